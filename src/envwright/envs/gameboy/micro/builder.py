"""A cartridge from Python: bytes in order, labels, and the instructions that small test programs need."""

from collections.abc import Callable
from typing import Self

VECTORS = {"vblank": 0x40, "stat": 0x48, "timer": 0x50, "serial": 0x58, "joypad": 0x60}
ENTRY, MAIN = 0x100, 0x150
BANK = 0x4000


class Cartridge:
    """32 KiB or more of ROM being written. Methods that emit return the cartridge, so that code reads in rows."""

    def __init__(self, title: str, mapper: int = 0, banks: int = 2, ram: int = 0) -> None:
        self.rom = bytearray(banks * BANK)
        self._labels: dict[str, int] = {}
        self._fixes: list[tuple[int, str, bool]] = []  # where, which label, whether relative
        self.at = 0
        self.org(0x134).raw(*title.encode()[:15]).org(0x147).raw(mapper, banks.bit_length() - 2, ram)
        self.org(ENTRY).raw(0x00).jp("main")
        for address in VECTORS.values():
            self.org(address).raw(0xD9)  # reti, unless a program has its own handler
        self.org(MAIN).label("main").raw(0xF3, 0x31, 0xFE, 0xDF)  # di; ld sp, 0xDFFE
        # What the boot ROM drew is cleared, so that a program does the same with any boot ROM and with none.
        self.screen_off().fill(0x8000, 0x2000, 0).fill(0xC000, 0x1000, 0).set(0x40, 0x91)

    # ---- layout ----

    def org(self, address: int) -> Self:
        self.at = address
        return self

    def raw(self, *data: int) -> Self:
        for byte in data:
            self.rom[self.at] = byte & 0xFF
            self.at += 1
        return self

    def label(self, name: str) -> Self:
        self._labels[name] = self.at if self.at < 2 * BANK else BANK + self.at % BANK
        return self

    def word(self, label: str, *opcode: int) -> Self:
        """An instruction whose operand is where a label is."""
        self.raw(*opcode)
        self._fixes.append((self.at, label, False))
        return self.raw(0, 0)

    def near(self, label: str, opcode: int) -> Self:
        """A relative jump."""
        self.raw(opcode)
        self._fixes.append((self.at, label, True))
        return self.raw(0)

    def handler(self, interrupt: str, body: Callable[[Self], object]) -> Self:
        """Code for an interrupt, which keeps AF and HL; it goes on wherever the program is then."""
        here = self.at
        self.org(VECTORS[interrupt]).jp(f"on_{interrupt}")
        self.org(here).label(f"on_{interrupt}").raw(0xF5, 0xE5)  # push af; push hl
        body(self)
        return self.raw(0xE1, 0xF1, 0xD9)  # pop hl; pop af; reti

    def done(self) -> bytes:
        """The ROM, with its checksums."""
        for place, label, relative in self._fixes:
            target = self._labels[label]
            if relative:
                offset = target - place - 1
                assert -128 <= offset < 128, f"{label} is too far away"
                self.rom[place] = offset & 0xFF
            else:
                self.rom[place : place + 2] = target.to_bytes(2, "little")
        self.rom[0x14D] = -sum(byte + 1 for byte in self.rom[0x134:0x14D]) & 0xFF
        self.rom[0x14E:0x150] = (sum(self.rom) & 0xFFFF).to_bytes(2, "big")
        return bytes(self.rom)

    # ---- instructions ----

    def jp(self, label: str) -> Self:
        return self.word(label, 0xC3)

    def jr(self, label: str) -> Self:
        return self.near(label, 0x18)

    def jr_nz(self, label: str) -> Self:
        return self.near(label, 0x20)

    def call(self, label: str) -> Self:
        return self.word(label, 0xCD)

    def ld_a(self, value: int) -> Self:
        return self.raw(0x3E, value)

    def ld_b(self, value: int) -> Self:
        return self.raw(0x06, value)

    def ld_c(self, value: int) -> Self:
        return self.raw(0x0E, value)

    def ld_hl(self, value: int) -> Self:
        return self.raw(0x21, value & 0xFF, value >> 8)

    def ld_de(self, value: int) -> Self:
        return self.raw(0x11, value & 0xFF, value >> 8)

    def set(self, register: int, value: int) -> Self:
        """An I/O register, 0xFF00 + `register`, to a number."""
        return self.ld_a(value).raw(0xE0, register)

    def put(self, register: int) -> Self:
        """A into an I/O register."""
        return self.raw(0xE0, register)

    def get(self, register: int) -> Self:
        """An I/O register into A."""
        return self.raw(0xF0, register)

    def store(self, address: int) -> Self:
        return self.raw(0xEA, address & 0xFF, address >> 8)

    def load(self, address: int) -> Self:
        return self.raw(0xFA, address & 0xFF, address >> 8)

    def poke(self, address: int, value: int) -> Self:
        return self.ld_a(value).store(address)

    def count(self, address: int) -> Self:
        """One more in a byte of memory."""
        return self.ld_hl(address).raw(0x34)

    def note(self, register: int, page: int) -> Self:
        """What an I/O register is now, into a ring of 256 bytes; its place is the byte at 0xC000 + page % 256."""
        place = 0xC000 | page & 0xFF
        self.ld_hl(place).raw(0x34, 0x6E, 0x26, page)  # inc (hl); ld l, (hl); ld h, page
        return self.get(register).raw(0x77)  # ld (hl), a

    def fill(self, address: int, count: int, step: int = 1, first: int = 0) -> Self:
        """`count` bytes from an address: first, first + step, ...; B, DE and HL are used."""
        again = f"fill_{self.at:x}"
        self.ld_hl(address).ld_de(count).ld_b(first).label(again)
        self.raw(0x78, 0x22).raw(0x78, 0xC6, step, 0x47)  # ld a, b; ld (hl+), a; add a, step; ld b, a
        return self.raw(0x1B, 0x7A, 0xB3).jr_nz(again)  # dec de; ld a, d; or e

    def buttons(self, address: int) -> Self:
        """All eight buttons into a byte of memory, those held as ones."""
        self.set(0x00, 0x20).get(0x00).get(0x00).raw(0xE6, 0x0F, 0xCB, 0x37, 0x47)  # and 15; swap a; ld b, a
        self.set(0x00, 0x10).get(0x00).get(0x00).raw(0xE6, 0x0F, 0xB0, 0x2F)  # and 15; or b; cpl
        return self.store(address)

    def screen_off(self) -> Self:
        again = f"off_{self.at:x}"
        return self.label(again).get(0x44).raw(0xFE, 0x90).jr_nz(again).set(0x40, 0)

    def interrupts(self, enabled: int) -> Self:
        return self.set(0x0F, 0).set(0xFF, enabled).raw(0xFB)  # ei

    def halt(self) -> Self:
        return self.raw(0x76, 0x00)
