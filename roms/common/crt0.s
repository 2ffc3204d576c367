; What runs before main: interrupt vectors, the cartridge's header, memory set to what C expects.
        .module crt0
        .globl  _main
        .globl  _vblank_interrupt
        .globl  _stat_interrupt
        .globl  l__INITIALIZER
        .globl  s__INITIALIZER
        .globl  s__INITIALIZED

        .area   _HEADER (ABS)
        .org    0x40
        jp      _vblank_interrupt
        .org    0x48
        jp      _stat_interrupt
        .org    0x50
        reti
        .org    0x58
        reti
        .org    0x60
        reti
        .org    0x100
        nop
        jp      start

        .org    0x150
start:
        di
        ld      sp, #0xE000
        xor     a               ; work RAM is cleared: nothing depends on what a console leaves in it
        ld      hl, #0xC000
        ld      bc, #0x1F00
clear:
        ld      (hl+), a
        dec     c
        jr      NZ, clear
        dec     b
        jr      NZ, clear
        ld      hl, #dma_code   ; the processor sees only high RAM while sprites are copied
        ld      c, #0x80
        ld      b, #(dma_end - dma_code)
copy_dma:
        ld      a, (hl+)
        ldh     (c), a
        inc     c
        dec     b
        jr      NZ, copy_dma
        ld      bc, #l__INITIALIZER
        ld      hl, #s__INITIALIZER
        ld      de, #s__INITIALIZED
copy_data:
        ld      a, b
        or      a, c
        jr      Z, copied
        ld      a, (hl+)
        ld      (de), a
        inc     de
        dec     bc
        jr      copy_data
copied:
        call    _main
forever:
        halt
        nop
        jr      forever

dma_code:
        ld      a, #0xC0        ; the sprites' page
        ldh     (0x46), a
        ld      a, #40
dma_wait:
        dec     a
        jr      NZ, dma_wait
        ret
dma_end:

        .area   _CODE
        .area   _HOME
        .area   _INITIALIZER
        .area   _GSINIT
        .area   _GSFINAL
        .area   _DATA
        .area   _INITIALIZED
        .area   _BSS
