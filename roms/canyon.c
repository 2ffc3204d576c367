/* Canyon: fly through a cave that narrows, gather crystals, shoot drones. Scrolls, with a window, sprites and a second
 * interrupt: the stars above scroll at half the cave's speed, which the STAT interrupt of their last line sees to.
 *
 * The cross moves the ship, A shoots. A crystal pays 2, a drone 5. Rock and drones cost a life; the ship is then safe
 * for a second. `way` counts columns flown, and is not part of the score.
 */
#include "common/gb.h"

enum { STARS = 2, ROWS = 16, DRONES = 3, SAFE = 90 };
enum { BLANK, ROCK, EDGE_DOWN, EDGE_UP, STAR, CRYSTAL, SHIP, FLAME, DRONE, SHOT };

volatile __at(0xC108) uint8_t ship_x; /* on the screen */
volatile __at(0xC109) uint8_t ship_y;
volatile __at(0xC10A) uint8_t safe; /* frames in which nothing hurts */
volatile __at(0xC10B) uint16_t way;
volatile __at(0xC10D) uint8_t shot_x; /* 0: none */
volatile __at(0xC10E) uint8_t shot_y;
volatile __at(0xC10F) uint8_t drone_x[DRONES]; /* 0: none */
volatile __at(0xC112) uint8_t drone_y[DRONES];
volatile __at(0xC120) uint8_t ceiling[32]; /* of each column of the map: rows of rock from above, the stars included */
volatile __at(0xC140) uint8_t floor_row[32]; /* the first row of rock below */
volatile __at(0xC160) uint8_t crystal[32]; /* the row of a crystal; 0: none */

static volatile uint8_t frame_done;
static uint8_t scroll, top, bottom, drone_wait, column_ready, new_column, changed, ended, drone_down[DRONES];
static uint8_t taken_column, taken_row, taken_any;

static const uint8_t SHAPES[] = {
    0xFF, 0xDB, 0xFF, 0xB7, 0xFF, 0xED, 0xFF, 0xBB, /* rock */
    0xFF, 0xFF, 0xDB, 0xFF, 0x7E, 0x5A, 0x10, 0x00, /* its lower edge */
    0x00, 0x08, 0x5A, 0x7E, 0xFF, 0xDB, 0xFF, 0xFF, /* its upper edge */
    0x00, 0x04, 0x00, 0x40, 0x00, 0x00, 0x08, 0x00, /* stars */
    0x00, 0x10, 0x38, 0x6C, 0xC6, 0x6C, 0x38, 0x10, /* crystal */
    0xC0, 0x60, 0x78, 0xFE, 0xFF, 0x7C, 0x60, 0xC0, /* ship */
    0x00, 0x00, 0x1B, 0x2F, 0x5F, 0x1B, 0x00, 0x00, /* flame */
    0x3C, 0x7E, 0xDB, 0xFF, 0xFF, 0xA5, 0x42, 0x81, /* drone */
    0x00, 0x00, 0x00, 0x7E, 0x7E, 0x00, 0x00, 0x00, /* shot */
};

void vblank_interrupt(void) __interrupt {
    frame_done = 1;
    SCX = scroll >> 1;
}

/* The stars end here. */
void stat_interrupt(void) __interrupt { SCX = scroll; }

static void draw_column(uint8_t column) {
    volatile uint8_t *to = MAP(column, STARS);
    uint8_t row, last = floor_row[column], first = ceiling[column];
    for (row = STARS; row != ROWS; row++, to += 32) {
        if (row < first) *to = row == first - 1 ? EDGE_DOWN : ROCK;
        else if (row >= last) *to = row == last ? EDGE_UP : ROCK;
        else *to = row == crystal[column] ? CRYSTAL : BLANK;
    }
}

static void draw_status(void) {
    write_number(WINDOW_MAP(7, 0), score);
    *WINDOW_MAP(19, 0) = '0' + lives;
}

/* Whatever is drawn is drawn first, while the screen's memory is open. */
static void wait_frame(void) {
    while (!frame_done) sleep();
    frame_done = 0;
    copy_sprites();
    frame++;
    if (column_ready) draw_column(new_column);
    if (taken_any) *MAP(taken_column, taken_row) = BLANK;
    if (changed) draw_status();
    if (ended) write_text(WINDOW_MAP(5, 1), "GAME OVER");
    column_ready = taken_any = changed = ended = 0;
}

/* The cave one column on: its walls wander, and come closer to each other the farther the ship has come. */
static void carve(uint8_t column) {
    uint8_t gap = way < 640 ? 10 - (uint8_t)(way >> 7) : 5;
    uint8_t wander = random();
    if ((wander & 3) == 0 && top > STARS + 1) top--;
    if ((wander & 3) == 1 && top < ROWS - 2 - gap) top++;
    bottom = top + gap;
    if (bottom > ROWS - 1) {
        bottom = ROWS - 1;
        top = bottom - gap;
    }
    ceiling[column] = top;
    floor_row[column] = bottom;
    crystal[column] = (wander & 0x38) == 0 ? top + 1 + random() % (gap - 2) : 0;
}

static void lose_life(void) {
    if (safe) return;
    rumble();
    lives--;
    safe = SAFE;
    changed = 1;
}

static void scroll_on(void) {
    uint8_t column;
    scroll++;
    if (scroll & 7) return;
    way++;
    column = ((scroll >> 3) + 21) & 31;
    carve(column);
    new_column = column;
    column_ready = 1;
}

static void steer(void) {
    if ((held & UP) && ship_y > 16) ship_y--;
    if ((held & DOWN) && ship_y < 120) ship_y++;
    if ((held & LEFT) && ship_x > 8) ship_x--;
    if ((held & RIGHT) && ship_x < 120) ship_x++;
}

static uint8_t rock_at(uint8_t x, uint8_t y) {
    uint8_t column = ((uint8_t)(scroll + x)) >> 3, row = y >> 3;
    return row < ceiling[column] || row >= floor_row[column];
}

static void touch_walls(void) {
    if (rock_at(ship_x + 1, ship_y + 1) || rock_at(ship_x + 6, ship_y + 1) || rock_at(ship_x + 1, ship_y + 6) ||
        rock_at(ship_x + 6, ship_y + 6))
        lose_life();
}

static void gather(void) {
    uint8_t column = ((uint8_t)(scroll + ship_x + 4)) >> 3, row = (ship_y + 4) >> 3;
    if (!crystal[column] || crystal[column] != row) return;
    taken_column = column;
    taken_row = row;
    taken_any = 1;
    crystal[column] = 0;
    score += 2;
    changed = 1;
    beep(0xE0);
}

static void shoot(void) {
    if (shot_x) {
        shot_x += 4;
        if (shot_x >= 160 || rock_at(shot_x, shot_y + 4)) shot_x = 0;
    } else if (pressed(A)) {
        shot_x = ship_x + 8;
        shot_y = ship_y;
    }
}

static void send_drone(void) {
    uint8_t i, column;
    if (--drone_wait) return;
    drone_wait = 70 - (way < 320 ? (uint8_t)(way >> 3) : 40);
    for (i = 0; i != DRONES && drone_x[i]; i++)
        ;
    if (i == DRONES) return;
    column = ((uint8_t)(scroll + 159)) >> 3;
    drone_x[i] = 159;
    drone_y[i] = (ceiling[column] + 1) * 8 + random() % ((floor_row[column] - ceiling[column] - 2) * 8);
    drone_down[i] = random() & 1;
}

static uint8_t near(uint8_t a, uint8_t b) { return a > b ? a - b < 7 : b - a < 7; }

static void fly_drones(void) {
    uint8_t i, y;
    for (i = 0; i != DRONES; i++) {
        if (!drone_x[i]) continue;
        drone_x[i] -= 1 + (frame & 1);
        if (drone_x[i] > 200) drone_x[i] = 0;
        if (frame & 1) {
            y = drone_down[i] ? drone_y[i] + 1 : drone_y[i] - 1;
            if (rock_at(drone_x[i], y) || rock_at(drone_x[i], y + 7)) drone_down[i] ^= 1;
            else drone_y[i] = y;
        }
        if (drone_x[i] && shot_x && near(shot_x, drone_x[i]) && near(shot_y, drone_y[i])) {
            drone_x[i] = shot_x = 0;
            score += 5;
            changed = 1;
            beep(0x60);
        } else if (drone_x[i] && near(ship_x, drone_x[i]) && near(ship_y, drone_y[i])) {
            drone_x[i] = 0;
            lose_life();
        }
    }
}

static void show(uint8_t i, uint8_t x, uint8_t y, uint8_t tile) {
    sprites[i].x = x + 8;
    sprites[i].y = x ? y + 16 : 0;
    sprites[i].tile = tile;
}

static void place_sprites(void) {
    uint8_t i, visible = !(safe & 4);
    show(0, visible ? ship_x : 0, ship_y, SHIP);
    show(1, visible && (frame & 4) ? ship_x - 8 : 0, ship_y, FLAME);
    show(2, shot_x, shot_y, SHOT);
    for (i = 0; i != DRONES; i++) show(3 + i, drone_x[i], drone_y[i], DRONE);
}

static void play(void) {
    if (safe) safe--;
    scroll_on();
    steer();
    shoot();
    send_drone();
    fly_drones();
    gather();
    touch_walls();
    place_sprites();
    if (lives) return;
    ended = 1;
    phase = OVER;
}

static void draw_title(void) {
    lcd_off();
    clear_map(BLANK);
    scroll = 0;
    SCX = 0;
    write_text(MAP(7, 6), "CANYON");
    write_text(MAP(5, 10), "PUSH START");
    hide_sprites();
    LCDC = LCD_ON | TILES_8000 | SPRITES_ON | BG_ON;
}

static void begin(void) {
    uint8_t i;
    seed_chance();
    lives = 3;
    score = 0;
    way = 0;
    scroll = 0;
    ship_x = 24;
    ship_y = 68;
    safe = SAFE;
    shot_x = 0;
    drone_wait = 120;
    for (i = 0; i != DRONES; i++) drone_x[i] = 0;
    top = 4;
    lcd_off();
    clear_map(BLANK);
    for (i = 0; i != 32; i++) {
        *MAP(i, i & 1) = (i % 3) ? STAR : BLANK;
        carve(i);
        draw_column(i);
    }
    write_text(WINDOW_MAP(1, 0), "SCORE");
    write_text(WINDOW_MAP(13, 0), "LIVES");
    draw_status();
    hide_sprites();
    WX = 7;
    WY = 128;
    LCDC = LCD_ON | WINDOW_MAP_9C00 | WINDOW_ON | TILES_8000 | SPRITES_ON | BG_ON;
    phase = PLAYING;
}

void main(void) {
    lcd_off();
    load_font();
    load_tiles(ROCK, SHAPES, 9);
    BGP = OBP0 = 0xE4;
    LYC = 8 * STARS - 1;
    STAT = 0x40;
    sound_on();
    draw_title();
    IF = 0;
    IE = 0x03;
    enable_interrupts();
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
