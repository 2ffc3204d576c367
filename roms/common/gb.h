/* The Game Boy's registers, and the little that the three games share. Register names are those of the Pan Docs. */
#ifndef GB_H
#define GB_H

#include <stdint.h>

__sfr __at(0x00) P1;
__sfr __at(0x04) DIV;
__sfr __at(0x0F) IF;
__sfr __at(0x10) NR10;
__sfr __at(0x11) NR11;
__sfr __at(0x12) NR12;
__sfr __at(0x13) NR13;
__sfr __at(0x14) NR14;
__sfr __at(0x20) NR41;
__sfr __at(0x21) NR42;
__sfr __at(0x22) NR43;
__sfr __at(0x23) NR44;
__sfr __at(0x24) NR50;
__sfr __at(0x25) NR51;
__sfr __at(0x26) NR52;
__sfr __at(0x40) LCDC;
__sfr __at(0x41) STAT;
__sfr __at(0x42) SCY;
__sfr __at(0x43) SCX;
__sfr __at(0x44) LY;
__sfr __at(0x45) LYC;
__sfr __at(0x47) BGP;
__sfr __at(0x48) OBP0;
__sfr __at(0x49) OBP1;
__sfr __at(0x4A) WY;
__sfr __at(0x4B) WX;
__sfr __at(0xFF) IE;

enum { A = 0x01, B = 0x02, SELECT = 0x04, START = 0x08, RIGHT = 0x10, LEFT = 0x20, UP = 0x40, DOWN = 0x80 };
enum { TITLE, PLAYING, OVER };
enum { LCD_ON = 0x80, WINDOW_MAP_9C00 = 0x40, WINDOW_ON = 0x20, TILES_8000 = 0x10, SPRITES_ON = 0x02, BG_ON = 0x01 };

typedef struct {
    uint8_t y, x, tile, flags;
} Sprite;

/* Where a trainer looks; the same in all three games. What follows from 0xC108 on is each game's own. */
volatile __at(0xC100) uint8_t phase; /* TITLE, PLAYING or OVER */
volatile __at(0xC101) uint8_t lives;
volatile __at(0xC102) uint16_t score; /* low byte first */
volatile __at(0xC104) uint8_t frame;  /* counts frames */
volatile __at(0xC105) uint8_t held;   /* buttons, as in the enum above */
volatile __at(0xC106) uint16_t chance;

__at(0xC000) Sprite sprites[40];

#define TILE(n) ((volatile uint8_t *)(0x8000 + 16 * (n)))
#define MAP(x, y) ((volatile uint8_t *)(0x9800 + 32 * (y) + (x)))
#define WINDOW_MAP(x, y) ((volatile uint8_t *)(0x9C00 + 32 * (y) + (x)))

#define copy_sprites() __asm__("call 0xFF80")
#define enable_interrupts() __asm__("ei")
#define sleep() __asm__("halt\n nop")

uint8_t random(void);       /* the next number of a xorshift generator */
void seed_chance(void);     /* from the divider: from when START was pressed */
void read_buttons(void);    /* into `held` */
uint8_t pressed(uint8_t button); /* went down since the last frame */
void lcd_off(void);
void load_tiles(uint8_t first, const uint8_t *rows, uint8_t count); /* a byte a row: colours 0 and 3 */
void load_shaded(uint8_t first, const uint8_t *rows, uint8_t count); /* the same in colours 0 and 1 */
void load_font(void);       /* digits and capitals, each at its ASCII code; every other tile is empty */
void clear_map(uint8_t tile);
void write_text(volatile uint8_t *place, const char *text);
void write_number(volatile uint8_t *place, uint16_t number); /* four digits */
void hide_sprites(void);
void beep(uint8_t pitch);
void rumble(void);          /* a burst of noise */
void sound_on(void);

#endif
