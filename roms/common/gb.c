#include "gb.h"

#include "font.h"

static uint8_t held_before;

uint8_t random(void) {
    uint16_t x = chance;
    x ^= x << 7;
    x ^= x >> 9;
    x ^= x << 8;
    chance = x;
    return (uint8_t)(x >> 4);
}

void seed_chance(void) {
    chance = ((uint16_t)DIV << 8) | frame;
    if (!chance) chance = 1; /* the one number from which nothing else follows */
    random();
    random();
}

void read_buttons(void) {
    uint8_t crossed, others;
    held_before = held;
    P1 = 0x20;
    crossed = P1;
    crossed = P1;
    crossed = P1; /* the lines need time to settle */
    P1 = 0x10;
    others = P1;
    others = P1;
    others = P1;
    P1 = 0x30;
    held = (uint8_t)~(((crossed & 0x0F) << 4) | (others & 0x0F));
}

uint8_t pressed(uint8_t button) { return (held & button) && !(held_before & button); }

void lcd_off(void) {
    if (!(LCDC & LCD_ON)) return;
    while (LY != 144)
        ;
    LCDC = 0;
}

static void load(volatile uint8_t *to, const uint8_t *rows, uint16_t count, uint8_t second) {
    uint16_t i;
    for (i = 0; i != count * 8; i++) {
        *to++ = rows[i];
        *to++ = second ? rows[i] : 0;
    }
}

void load_tiles(uint8_t first, const uint8_t *rows, uint8_t count) { load(TILE(first), rows, count, 1); }

void load_shaded(uint8_t first, const uint8_t *rows, uint8_t count) { load(TILE(first), rows, count, 0); }

static void load_glyphs(uint8_t first, const uint8_t *rows, uint8_t count) {
    volatile uint8_t *to = TILE(first);
    uint8_t glyph, row;
    for (glyph = 0; glyph != count; glyph++) {
        for (row = 0; row != 7; row++, rows++) {
            *to++ = *rows << 2;
            *to++ = *rows << 2;
        }
        *to++ = 0;
        *to++ = 0;
    }
}

void load_font(void) {
    volatile uint8_t *to = TILE(0);
    uint16_t i;
    for (i = 0; i != 0x1800; i++) *to++ = 0; /* what the boot ROM drew */
    load_glyphs('0', DIGITS, 10);
    load_glyphs('A', CAPITALS, 26);
}

void clear_map(uint8_t tile) {
    volatile uint8_t *to = MAP(0, 0);
    uint16_t i;
    for (i = 0; i != 0x800; i++) *to++ = tile; /* both maps */
}

void write_text(volatile uint8_t *place, const char *text) {
    for (; *text; text++, place++) *place = *text == ' ' ? 0 : (uint8_t)*text;
}

void write_number(volatile uint8_t *place, uint16_t number) {
    static const uint16_t POWERS[4] = {1000, 100, 10, 1};
    uint8_t i, digit;
    for (i = 0; i != 4; i++) {
        digit = '0';
        while (number >= POWERS[i] && digit != '9') {
            number -= POWERS[i];
            digit++;
        }
        *place++ = digit;
    }
}

void hide_sprites(void) {
    uint8_t i;
    for (i = 0; i != 40; i++) sprites[i].y = 0;
}

void sound_on(void) {
    NR52 = 0x80;
    NR50 = 0x44;
    NR51 = 0xFF;
}

void beep(uint8_t pitch) {
    NR10 = 0x00;
    NR11 = 0x80;
    NR12 = 0xA3;
    NR13 = pitch;
    NR14 = 0x86;
}

void rumble(void) {
    NR41 = 0x20;
    NR42 = 0xF2;
    NR43 = 0x53;
    NR44 = 0x80;
}
