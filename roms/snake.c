/* Snake: eat, grow, do not bite. Waits for the next frame by reading LY again and again; uses no interrupts.
 *
 * The cross turns the snake. An apple pays 1 and makes it longer by one. Into a wall or into itself costs a life, and
 * a short snake goes on. The best score is kept in the cartridge's RAM.
 */
#include "common/gb.h"

enum { WIDE = 16, HIGH = 15, CELLS = WIDE * HIGH, LEFT_COLUMN = 2, TOP_ROW = 2 };
enum { BLANK = 0, WALL = 1, BODY = 2, HEAD = 3, APPLE = 4 };
enum { FREE, TAKEN };

volatile __at(0xC108) uint8_t head;      /* cells are numbered in rows: 16 * row + column */
volatile __at(0xC109) uint8_t apple;
volatile __at(0xC10A) uint8_t heading;   /* RIGHT, LEFT, UP or DOWN */
volatile __at(0xC10B) uint8_t length;
volatile __at(0xC10C) uint16_t best;     /* a copy of what the cartridge keeps */
volatile __at(0xC200) uint8_t taken[CELLS];
static __at(0xC300) uint8_t body[256];   /* a ring of cells; the head is the newest */

static __at(0xA000) uint8_t saved_mark;  /* cartridge RAM: 0x5A once a best score was written */
static __at(0xA001) uint16_t saved_best;

static uint8_t newest, oldest, growing, until_move, next_heading;
static uint8_t changed; /* whether the numbers on the screen are old */
static uint8_t ended;   /* whether the screen does not yet say so */

static const uint8_t SHAPES[] = {
    0xFF, 0x81, 0xBD, 0xA5, 0xA5, 0xBD, 0x81, 0xFF, /* wall */
    0x7E, 0xFF, 0xFF, 0xE7, 0xE7, 0xFF, 0xFF, 0x7E, /* body */
    0x7E, 0xFF, 0xDB, 0xFF, 0xFF, 0xC3, 0xFF, 0x7E, /* head */
    0x08, 0x10, 0x6C, 0xFE, 0xFE, 0xFE, 0x7C, 0x28, /* apple */
};

void vblank_interrupt(void) __interrupt {}
void stat_interrupt(void) __interrupt {}

static void draw_cell(uint8_t cell, uint8_t tile) { *MAP(LEFT_COLUMN + (cell & 15), TOP_ROW + (cell >> 4)) = tile; }

static void draw_status(void) {
    write_number(MAP(7, 0), score);
    *MAP(19, 0) = '0' + lives;
}

/* Numbers are drawn first, while the screen's memory is open. */
static void wait_frame(void) {
    while (LY == 144)
        ;
    while (LY != 144)
        ;
    frame++;
    if (changed) draw_status();
    if (ended) write_text(MAP(6, 8), "GAME OVER");
    changed = ended = 0;
}

static void place_apple(void) {
    uint8_t cell;
    do
        cell = random();
    while (cell >= CELLS || taken[cell]);
    apple = cell;
    draw_cell(cell, APPLE);
}

static void push(uint8_t cell) {
    newest++;
    body[newest] = cell;
    taken[cell] = TAKEN;
    head = cell;
    length++;
}

/* A short snake in the middle; the apple and the score stay. */
static void hatch(void) {
    uint8_t cell;
    for (cell = 0; cell != CELLS; cell++) {
        if (taken[cell]) draw_cell(cell, BLANK);
        taken[cell] = FREE;
    }
    newest = 255;
    oldest = 0;
    length = 0;
    for (cell = 7 * 16 + 4; cell != 7 * 16 + 7; cell++) {
        push(cell);
        draw_cell(cell, BODY);
    }
    draw_cell(head, HEAD);
    heading = next_heading = RIGHT;
    growing = 0;
    until_move = 12;
}

static void draw_field(void) {
    uint8_t i;
    clear_map(BLANK);
    for (i = 1; i != 19; i++) *MAP(i, 1) = *MAP(i, 17) = WALL;
    for (i = 2; i != 17; i++) *MAP(1, i) = *MAP(18, i) = WALL;
    write_text(MAP(1, 0), "SCORE");
    write_text(MAP(13, 0), "LIVES");
}

static void load_best(void) {
    *(volatile uint8_t *)0x0000 = 0x0A; /* cartridge RAM on */
    if (saved_mark != 0x5A) {
        saved_best = 0;
        saved_mark = 0x5A;
    }
    best = saved_best;
    *(volatile uint8_t *)0x0000 = 0x00;
}

static void save_best(void) {
    if (score <= best) return;
    best = score;
    *(volatile uint8_t *)0x0000 = 0x0A;
    saved_best = best;
    *(volatile uint8_t *)0x0000 = 0x00;
}

static void draw_title(void) {
    lcd_off();
    clear_map(BLANK);
    write_text(MAP(7, 6), "SNAKE");
    write_text(MAP(5, 10), "PUSH START");
    write_text(MAP(5, 13), "BEST");
    write_number(MAP(10, 13), best);
    LCDC = LCD_ON | TILES_8000 | BG_ON;
}

static void begin(void) {
    seed_chance();
    lives = 3;
    score = 0;
    lcd_off();
    draw_field();
    hatch();
    place_apple();
    draw_status();
    LCDC = LCD_ON | TILES_8000 | BG_ON;
    phase = PLAYING;
}

static void crash(void) {
    rumble();
    lives--;
    if (lives) {
        lcd_off();
        hatch();
        if (taken[apple]) place_apple();
        draw_cell(apple, APPLE);
        draw_status();
        LCDC = LCD_ON | TILES_8000 | BG_ON;
    } else {
        save_best();
        changed = ended = 1;
        phase = OVER;
    }
}

static void turn(void) {
    if ((held & UP) && heading != DOWN) next_heading = UP;
    else if ((held & DOWN) && heading != UP) next_heading = DOWN;
    else if ((held & LEFT) && heading != RIGHT) next_heading = LEFT;
    else if ((held & RIGHT) && heading != LEFT) next_heading = RIGHT;
}

/* The next cell in the snake's way; 255: a wall. */
static uint8_t ahead(void) {
    switch (heading) {
    case UP: return head < 16 ? 255 : head - 16;
    case DOWN: return head >= CELLS - 16 ? 255 : head + 16;
    case LEFT: return (head & 15) == 0 ? 255 : head - 1;
    default: return (head & 15) == 15 ? 255 : head + 1;
    }
}

static void move(void) {
    uint8_t next, tail;
    heading = next_heading;
    next = ahead();
    if (growing) {
        growing--;
    } else { /* the tail leaves first: its cell may be entered */
        tail = body[oldest];
        taken[tail] = FREE;
        draw_cell(tail, BLANK);
        oldest++;
        length--;
    }
    if (next == 255 || taken[next]) {
        crash();
        return;
    }
    draw_cell(head, BODY);
    push(next);
    draw_cell(next, HEAD);
    if (next != apple) return;
    score++;
    growing++;
    beep(0xC0);
    place_apple();
    changed = 1;
}

static void play(void) {
    turn();
    if (--until_move) return;
    until_move = score < 30 ? 10 - (uint8_t)(score / 8) : 6;
    move();
}

void main(void) {
    lcd_off();
    load_font();
    load_tiles(WALL, SHAPES, 4);
    BGP = 0xE4;
    SCX = SCY = 0;
    sound_on();
    load_best();
    draw_title();
    while (1) {
        wait_frame();
        read_buttons();
        if (phase == PLAYING) {
            play();
        } else if (pressed(START)) {
            if (phase == OVER) {
                phase = TITLE;
                draw_title();
            } else {
                begin();
            }
        }
    }
}
