/* Orchard: catch what falls from the tree, but not the stones. Sleeps with HALT until the next frame.
 *
 * LEFT and RIGHT move the basket. An apple pays 1, a pear, which falls faster, 3. A life is lost with an apple or a pear
 * that reaches the ground, and with a stone that is caught. The more is caught, the faster everything falls.
 */
#include "common/gb.h"

enum { APPLE, PEAR, STONE, NOTHING };
enum { FALLING = 4, GROUND = 136, BASKET_Y = 128, LOWEST_X = 8, HIGHEST_X = 136 };
enum { BLANK = 0, FIRST_KIND = 1, BASKET = 4, GRASS = 6, LEAVES = 7 };

volatile __at(0xC108) uint8_t basket; /* its left edge on the screen */
volatile __at(0xC109) uint8_t kind[FALLING];
volatile __at(0xC10D) uint8_t fall_x[FALLING];
volatile __at(0xC111) uint8_t fall_y[FALLING];

static volatile uint8_t frame_done;
static uint8_t fraction[FALLING]; /* of a line, in sixteenths */
static uint8_t until_next;        /* frames until something else falls */
static uint8_t changed;           /* whether the numbers on the screen are old */
static uint8_t ended;             /* whether the screen does not yet say so */

static const uint8_t SHAPES[] = {
    0x08, 0x10, 0x6C, 0xFE, 0xFE, 0xFE, 0x7C, 0x28, /* apple */
    0x08, 0x18, 0x18, 0x3C, 0x3C, 0x7E, 0x7E, 0x3C, /* pear */
    0x00, 0x3C, 0x5E, 0xBF, 0xFF, 0xFF, 0x7E, 0x3C, /* stone */
    0xFF, 0x80, 0xAA, 0x95, 0xAA, 0x55, 0x7F, 0x3F, /* basket */
    0xFF, 0x01, 0x55, 0xA9, 0x55, 0xAA, 0xFE, 0xFC,
};
static const uint8_t SCENERY[] = {
    0x22, 0x55, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, /* grass */
    0xFF, 0xBB, 0xFF, 0xEE, 0xFF, 0xBB, 0x6E, 0x24, /* leaves */
};

void vblank_interrupt(void) __interrupt { frame_done = 1; }
void stat_interrupt(void) __interrupt {}

static void draw_status(void) {
    write_number(MAP(7, 0), score);
    *MAP(19, 0) = '0' + lives;
}

/* Whatever is drawn is drawn first, while the screen's memory is open. */
static void wait_frame(void) {
    while (!frame_done) sleep();
    frame_done = 0;
    copy_sprites();
    frame++;
    if (changed) draw_status();
    if (ended) write_text(MAP(6, 8), "GAME OVER");
    changed = ended = 0;
}

static void draw_scene(void) {
    uint8_t x;
    lcd_off();
    clear_map(BLANK);
    for (x = 0; x != 20; x++) {
        *MAP(x, 1) = LEAVES;
        *MAP(x, 17) = GRASS;
    }
    write_text(MAP(1, 0), "SCORE");
    write_text(MAP(13, 0), "LIVES");
    draw_status();
    hide_sprites();
    LCDC = LCD_ON | TILES_8000 | SPRITES_ON | BG_ON;
}

static void draw_title(void) {
    lcd_off();
    clear_map(BLANK);
    write_text(MAP(6, 6), "ORCHARD");
    write_text(MAP(5, 10), "PUSH START");
    hide_sprites();
    LCDC = LCD_ON | TILES_8000 | SPRITES_ON | BG_ON;
}

static void begin(void) {
    uint8_t i;
    seed_chance();
    lives = 3;
    score = 0;
    basket = 72;
    until_next = 1;
    for (i = 0; i != FALLING; i++) kind[i] = NOTHING;
    draw_scene();
    phase = PLAYING;
}

static void drop_one(void) {
    uint8_t i, what;
    if (--until_next) return;
    until_next = score < 100 ? 56 - (uint8_t)(score >> 2) : 31;
    for (i = 0; i != FALLING && kind[i] != NOTHING; i++)
        ;
    if (i == FALLING) return;
    what = random() & 7;
    kind[i] = what < 4 ? APPLE : what < 6 ? PEAR : STONE;
    fall_x[i] = 8 + (random() % 140);
    fall_y[i] = 16;
    fraction[i] = 0;
}

static void lose_life(void) {
    rumble();
    lives--;
    changed = 1;
}

static void land(uint8_t i) {
    uint8_t caught = fall_x[i] + 7 >= basket && fall_x[i] <= basket + 15;
    if (fall_y[i] >= GROUND) {
        if (kind[i] != STONE) lose_life();
    } else if (!caught || fall_y[i] < BASKET_Y - 6) {
        return;
    } else if (kind[i] == STONE) {
        lose_life();
    } else {
        score += kind[i] == PEAR ? 3 : 1;
        beep(kind[i] == PEAR ? 0xD0 : 0x80);
        changed = 1;
    }
    kind[i] = NOTHING;
}

static void fall(void) {
    uint8_t i, speed;
    for (i = 0; i != FALLING; i++) {
        if (kind[i] == NOTHING) continue;
        speed = score < 160 ? 16 + (uint8_t)(score >> 3) : 36;
        if (kind[i] == PEAR) speed += 8;
        fraction[i] += speed;
        fall_y[i] += fraction[i] >> 4;
        fraction[i] &= 15;
        land(i);
    }
}

static void place_sprites(void) {
    uint8_t i;
    Sprite *sprite = sprites + 2;
    sprites[0].y = BASKET_Y + 16;
    sprites[1].y = BASKET_Y + 16;
    sprites[0].x = basket + 8;
    sprites[1].x = basket + 16;
    sprites[0].tile = BASKET;
    sprites[1].tile = BASKET + 1;
    for (i = 0; i != FALLING; i++, sprite++) {
        sprite->y = kind[i] == NOTHING ? 0 : fall_y[i] + 16;
        sprite->x = fall_x[i] + 8;
        sprite->tile = FIRST_KIND + kind[i];
    }
}

static void play(void) {
    if ((held & LEFT) && basket > LOWEST_X) basket -= 2;
    if ((held & RIGHT) && basket < HIGHEST_X) basket += 2;
    drop_one();
    fall();
    place_sprites();
    if (lives) return;
    ended = 1;
    phase = OVER;
}

void main(void) {
    lcd_off();
    load_font();
    load_tiles(FIRST_KIND, SHAPES, 5);
    load_shaded(GRASS, SCENERY, 2);
    BGP = OBP0 = 0xE4;
    sound_on();
    draw_title();
    IF = 0;
    IE = 0x01;
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
