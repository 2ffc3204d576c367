"""Small programs that put parts of the machine together: each runs for ever, reads the buttons and keeps notes in RAM.

Notes are rings of 256 bytes in work RAM (0xC100, 0xC200, ...), so that what a program once saw stays comparable.
"""

from envwright.envs.gameboy.micro.builder import Cartridge

BUTTONS = 0xC0F0
VBLANK, STAT, TIMER, SERIAL, JOYPAD = 1, 2, 4, 8, 16


def timer() -> Cartridge:
    """The timer at the speed that the buttons choose, its interrupt, and the divider, which is written now and then."""
    rom = Cartridge("TIMER")
    rom.set(0x06, 0x73).set(0x07, 0x05).interrupts(TIMER).jp("loop")
    rom.handler("timer", lambda c: c.count(0xC080).note(0x04, 0xC1).note(0x05, 0xC2))
    rom.label("loop").buttons(BUTTONS).raw(0xE6, 0x07, 0xF6, 0x04).put(0x07)  # and 7; or 4
    rom.note(0x05, 0xC3).note(0x04, 0xC4)
    rom.load(BUTTONS).raw(0xE6, 0x40).near("no_reset", 0x28)  # jr z
    rom.put(0x04)
    rom.label("no_reset").load(BUTTONS).raw(0xE6, 0x80).near("no_write", 0x28)
    rom.load(0xC080).put(0x05).load(0xC080).put(0x06)
    return rom.label("no_write").jr("loop")


def halt() -> Cartridge:
    """HALT with interrupts on and off, woken by the timer and by VBlank; EI and DI next to it."""
    rom = Cartridge("HALT")
    rom.set(0x06, 0xE0).set(0x07, 0x05).interrupts(VBLANK | TIMER).jp("loop")
    rom.handler("timer", lambda c: c.count(0xC081).note(0x44, 0xC1))
    rom.handler("vblank", lambda c: c.count(0xC082).note(0x05, 0xC2))
    rom.label("loop").buttons(BUTTONS).halt().count(0xC083).note(0x05, 0xC3)
    rom.load(BUTTONS).raw(0xE6, 0x01).near("awake", 0x28)
    rom.raw(0xF3).halt().count(0xC084).raw(0xFB).raw(0x00)  # di; halt; ei
    rom.label("awake").raw(0xFB, 0xF3, 0xFB).note(0x0F, 0xC4)  # ei; di; ei
    return rom.jr("loop")


def stat() -> Cartridge:
    """STAT interrupts of every source that the buttons choose, with colours and scrolling changed in mid-screen."""
    rom = Cartridge("STAT")
    rom.screen_off().fill(0x8000, 0x1000, 7).fill(0x9800, 0x400, 5).set(0x47, 0xE4).set(0x45, 40).set(0x41, 0x48)
    rom.set(0x40, 0x91).interrupts(VBLANK | STAT).jp("loop")
    rom.handler("stat", lambda c: c.count(0xC081).note(0x44, 0xC1).note(0x41, 0xC2).load(0xC081).put(0x43).put(0x47))
    rom.handler("vblank", lambda c: c.count(0xC082).get(0x45).raw(0xC6, 13).put(0x45))
    rom.label("loop").halt().buttons(BUTTONS).raw(0xE6, 0x0F, 0xCB, 0x37, 0xE6, 0x78, 0xF6, 0x40).put(0x41)
    return rom.note(0x41, 0xC3).jr("loop")


def poll() -> Cartridge:
    """Loops that read LY and STAT until something changes; no interrupts. Now and then the screen is switched off."""
    rom = Cartridge("POLL")
    rom.screen_off().fill(0x8000, 0x800, 3).fill(0x9800, 0x400, 1).set(0x47, 0x1B).set(0x40, 0x91)
    rom.label("loop").label("line").get(0x44).raw(0xFE, 100).jr_nz("line").count(0xC081)
    rom.label("mode").get(0x41).raw(0xE6, 0x03).jr_nz("mode").note(0x04, 0xC1).load(0xC081).put(0x42)
    rom.label("drawing").get(0x41).raw(0xE6, 0x03, 0xFE, 0x03).jr_nz("drawing").note(0x44, 0xC2)
    rom.buttons(BUTTONS).raw(0xE6, 0x10).near("on", 0x28)
    rom.screen_off().count(0x9800).count(0x8010).note(0x41, 0xC3).note(0x44, 0xC4).set(0x40, 0x91)
    return rom.label("on").jp("loop")


def dma() -> Cartridge:
    """OAM DMA from a page that changes, waited for in high RAM or left running while work RAM is read."""
    rom = Cartridge("DMA")
    rom.screen_off().fill(0x8000, 0x800, 11).fill(0xC500, 0x100, 3).set(0x48, 0xE4).set(0x49, 0x1B).set(0x47, 0xE4)
    code = (0xE0, 0x46, 0x3E, 0x28, 0x3D, 0x20, 0xFD, 0xC9)  # ldh (46), a; ld a, 40; dec a; jr nz; ret
    for i, byte in enumerate(code):
        rom.set(0x80 + i, byte)
    rom.set(0x40, 0x93).interrupts(VBLANK).jp("loop")
    rom.handler("vblank", lambda c: c.count(0xC081))
    rom.label("loop").halt().ld_a(0xC5).raw(0xCD, 0x80, 0xFF).buttons(BUTTONS)  # call 0xFF80
    rom.raw(0xE6, 0x20).near("quiet", 0x28)
    rom.set(0x46, 0xC5).load(0xC510).store(0xC082).note(0x46, 0xC1).load(0xFE10).store(0xC083)
    rom.label("quiet").ld_hl(0xC500).ld_c(0xA0)
    rom.label("move").raw(0x7E, 0xC6, 0x01, 0x22, 0x0D).jr_nz("move")  # ld a, (hl); add a, 1; ld (hl+), a; dec c
    return rom.jr("loop")


def sprites() -> Cartridge:
    """More sprites in a line than are drawn, of both heights, with every flag; the buttons change them."""
    rom = Cartridge("SPRITES")
    rom.screen_off().fill(0x8000, 0x1000, 29).fill(0x9800, 0x400, 3).fill(0xFE00, 0xA0, 23, 9)
    rom.set(0x47, 0xE4).set(0x48, 0x1E).set(0x49, 0xC6).set(0x40, 0x93).interrupts(VBLANK).jp("loop")
    rom.handler("vblank", lambda c: c.count(0xC081))
    rom.label("loop").halt().buttons(BUTTONS).raw(0xE6, 0x04, 0xF6, 0x93).put(0x40)  # 8x16 while select is held
    rom.ld_hl(0xFE00).ld_c(0xA0).load(BUTTONS).raw(0x47)
    rom.label("move").raw(0x7E, 0x80, 0x22, 0x0D).jr_nz("move")  # ld a, (hl); add a, b; ld (hl+), a; dec c
    return rom.jr("loop")


def window() -> Cartridge:
    """A window that the buttons move and switch, also in mid-screen, over a background that scrolls both ways."""
    rom = Cartridge("WINDOW")
    rom.screen_off().fill(0x8000, 0x1800, 13).fill(0x9800, 0x400, 1).fill(0x9C00, 0x400, 3)
    rom.set(0x47, 0xE4).set(0x4A, 40).set(0x4B, 50).set(0x45, 80).set(0x41, 0x40).set(0x40, 0xF1)
    rom.interrupts(VBLANK | STAT).jp("loop")
    rom.handler("vblank", lambda c: c.count(0xC081).load(0xC081).put(0x42).set(0x40, 0xF1))
    rom.handler("stat", lambda c: c.load(BUTTONS).raw(0xE6, 0x21, 0xEE, 0xF1).put(0x40))
    rom.label("loop").halt().buttons(BUTTONS).raw(0xE6, 0x7F).put(0x4B).load(BUTTONS).raw(0xCB, 0x3F).put(0x4A)
    return rom.load(BUTTONS).put(0x43).jr("loop")


def sound() -> Cartridge:
    """The sound chip's registers: triggered, swept, counted down, switched off, and read back."""
    rom = Cartridge("SOUND")
    rom.set(0x26, 0x80).set(0x25, 0xFF).set(0x24, 0x77).interrupts(VBLANK).jp("loop")
    rom.handler("vblank", lambda c: c.count(0xC081))
    rom.label("loop").halt().buttons(BUTTONS).note(0x26, 0xC1)
    rom.load(BUTTONS).raw(0xE6, 0x01).near("second", 0x28)
    rom.set(0x10, 0x1A).set(0x11, 0x3F).set(0x12, 0xF1).load(0xC081).put(0x13).set(0x14, 0xC3)
    rom.label("second").load(BUTTONS).raw(0xE6, 0x02).near("third", 0x28)
    rom.set(0x16, 0xB0).set(0x17, 0x83).set(0x18, 0x40).set(0x19, 0xC5)
    rom.label("third").load(BUTTONS).raw(0xE6, 0x04).near("fourth", 0x28)
    rom.set(0x1A, 0x80).set(0x30, 0x5C).set(0x1B, 0xF0).set(0x1C, 0x20).set(0x1E, 0xC4).note(0x30, 0xC2)
    rom.label("fourth").load(BUTTONS).raw(0xE6, 0x08).near("off", 0x28)
    rom.set(0x20, 0x30).set(0x21, 0xA1).set(0x22, 0x57).set(0x23, 0xC0)
    rom.label("off").load(BUTTONS).raw(0xE6, 0x90, 0xFE, 0x90).jr_nz("read").set(0x26, 0x00).set(0x26, 0x80)
    rom.label("read").note(0x10, 0xC3).note(0x12, 0xC4).note(0x14, 0xC5).note(0x26, 0xC6)
    return rom.jp("loop")


def lines() -> Cartridge:
    """The joypad's lines under both selections, its interrupt, and serial transfers that the buttons begin."""
    rom = Cartridge("LINES")
    rom.set(0x00, 0x10).interrupts(SERIAL | JOYPAD | VBLANK).jp("loop")
    rom.handler("joypad", lambda c: c.count(0xC081).note(0x44, 0xC1))
    rom.handler("serial", lambda c: c.count(0xC082).note(0x01, 0xC2).note(0x04, 0xC3))
    rom.handler("vblank", lambda c: c.count(0xC083))
    rom.label("loop").halt().note(0x00, 0xC4).set(0x00, 0x20).note(0x00, 0xC5).set(0x00, 0x30).note(0x00, 0xC6)
    rom.buttons(BUTTONS).raw(0xE6, 0x11).near("none", 0x28)
    rom.load(0xC083).put(0x01).set(0x02, 0x81).note(0x02, 0xC7)
    return rom.label("none").set(0x00, 0x10).jr("loop")


def _banked(title: str, mapper: int, ram: int, switch: int) -> Cartridge:
    """Banks of ROM and RAM in turn: their first bytes are noted, the RAM's is counted up."""
    rom = Cartridge(title, mapper, banks=8, ram=ram)
    code = rom.at
    for bank in range(1, 8):
        rom.org(bank * 0x4000).raw(bank * 17)
    rom.org(code).poke(0x0000, 0x0A).interrupts(VBLANK).jp("loop")
    rom.handler("vblank", lambda c: c.count(0xC081))
    rom.label("loop").halt().buttons(BUTTONS).load(0xC081).store(switch)
    rom.load(0x4000).store(0xC090).note(0x44, 0xC1).load(BUTTONS).raw(0xE6, 0x03).store(0x4000)
    rom.count(0xA000).load(0xA000).store(0xC091).load(0xC081).store(0xA123).load(0xB123).store(0xC092)
    rom.load(BUTTONS).raw(0xE6, 0x80).near("open", 0x28)
    rom.poke(0x0000, 0x00).load(0xA000).store(0xC093).poke(0x0000, 0x0A)
    return rom.label("open").load(BUTTONS).raw(0xCB, 0x37, 0xE6, 0x01).store(0x6000).jp("loop")


def mbc1() -> Cartridge:
    """MBC1 with four banks of RAM, in both of its modes."""
    return _banked("MBC1", 0x03, 3, 0x2000)


def mbc2() -> Cartridge:
    """MBC2 with its 512 half bytes."""
    return _banked("MBC2", 0x06, 0, 0x2100)


def mbc3() -> Cartridge:
    """MBC3 with RAM, without a clock."""
    return _banked("MBC3", 0x13, 3, 0x2000)


def mbc5() -> Cartridge:
    """MBC5 with RAM."""
    return _banked("MBC5", 0x1B, 3, 0x2000)


def mix() -> Cartridge:
    """Everything at once: random numbers into random registers, which are read back, while all interrupts are on."""
    registers = (0x04, 0x05, 0x06, 0x07, 0x0F, 0x41, 0x42, 0x43, 0x45, 0x47, 0x48, 0x49, 0x4A, 0x4B, 0x11, 0x14)
    rom = Cartridge("MIX")
    rom.screen_off().fill(0x8000, 0x1800, 7).fill(0x9800, 0x800, 3).fill(0xFE00, 0xA0, 19)
    rom.set(0x26, 0x80).set(0x40, 0xF3).poke(0xC085, 0x5A).interrupts(0x1F).jp("loop")
    for i, name in enumerate(("vblank", "stat", "timer", "serial", "joypad")):
        rom.handler(name, lambda c, place=0xC086 + i: c.count(place).note(0x44, 0xC1).note(0x05, 0xC2))
    rom.label("loop").buttons(BUTTONS).raw(0x47).load(0xC085)  # ld b, a
    rom.raw(0xCB, 0x3F).near("even", 0x30).raw(0xEE, 0xB8)  # srl a; jr nc; xor 0xB8
    rom.label("even").raw(0xA8).jr_nz("seeded").ld_a(0x31)  # xor b
    rom.label("seeded").store(0xC085).raw(0xE6, 0x0F, 0x5F, 0x16, 0x00).word("table", 0x21).raw(0x19, 0x4E)
    rom.load(0xC085).raw(0xCB, 0x37, 0xE2).raw(0xF2)  # swap a; ldh (c), a; ldh a, (c)
    rom.raw(0x57).ld_hl(0xC0C3).raw(0x34, 0x6E, 0x26, 0xC3, 0x72)  # ld d, a; a ring at 0xC300; ld (hl), d
    rom.note(0x41, 0xC4).raw(0xFB).jp("loop")
    return rom.label("table").raw(*registers)


PROGRAMS = (timer, halt, stat, poll, dma, sprites, window, sound, lines, mbc1, mbc2, mbc3, mbc5, mix)
