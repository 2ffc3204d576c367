//! SM83: registers, decoding, execution. The bus is a trait, so that single instructions can be checked on flat memory.
//!
//! Every access is given the cycle at which it happens, counted from the end of the opcode fetch: an access in the second
//! machine cycle happens `at` 0, in the third at 4, and so on. PyBoy counts the same way, so its peripherals and ours are
//! seen at the same moment.

use crate::alu::{self, C, H, N, Z};

/// What the CPU is wired to.
pub trait Bus {
    /// A byte of the instruction stream.
    fn fetch(&mut self, address: u16, at: u64) -> u8;
    fn read(&mut self, address: u16, at: u64) -> u8;
    fn write(&mut self, address: u16, value: u8, at: u64);
    /// `LD A,(HL)`, `LD A,(DE)`: the only reads for which PyBoy honours the PPU's hold on VRAM and OAM.
    fn read_held(&mut self, address: u16, at: u64) -> u8 {
        self.read(address, at)
    }
    /// `LD (DE),A`: the only such write.
    fn write_held(&mut self, address: u16, value: u8, at: u64) {
        self.write(address, value, at);
    }
    /// Interrupts that are both requested and enabled.
    fn pending(&self) -> u8;
    /// Takes back the request of an interrupt that is being served.
    fn acknowledge(&mut self, bit: u8);
    /// IME was set or cleared, or the CPU halted: the run loop must look at interrupts before it goes on.
    fn attend(&mut self);
    /// Whether an interrupt is pending, or something happens in the next cycles.
    fn event_within(&mut self, cycles: u64) -> bool;
    /// Whether HALT with an interrupt pending and IME clear fetches the next opcode twice.
    fn halt_bug(&self) -> bool {
        false
    }
    /// STOP was executed.
    fn stop(&mut self, at: u64);
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cpu {
    /// B, C, D, E, H, L, F, A: the order of the opcodes, with F where they name (HL).
    pub r: [u8; 8],
    pub sp: u16,
    pub pc: u16,
    pub ime: bool,
    /// EI takes effect after the instruction that follows it.
    pub ime_next: bool,
    pub halted: bool,
    /// HALT came right after EI and an interrupt was there already: it is served first, and returns to the HALT. PyBoy does
    /// the same if any chip changed its state during the HALT, however long the wait is.
    pub halted_by_ei: bool,
    /// The HALT bug: the next opcode is fetched without moving PC (hardware only).
    pub repeat_fetch: bool,
    /// An opcode that does not exist was executed; nothing runs any more.
    pub locked: bool,
}

pub const B: usize = 0;
pub const CC: usize = 1;
pub const D: usize = 2;
pub const E: usize = 3;
pub const HH: usize = 4;
pub const L: usize = 5;
pub const F: usize = 6;
pub const A: usize = 7;

impl Cpu {
    #[inline(always)]
    pub fn bc(&self) -> u16 {
        u16::from_be_bytes([self.r[B], self.r[CC]])
    }
    #[inline(always)]
    pub fn de(&self) -> u16 {
        u16::from_be_bytes([self.r[D], self.r[E]])
    }
    #[inline(always)]
    pub fn hl(&self) -> u16 {
        u16::from_be_bytes([self.r[HH], self.r[L]])
    }
    #[inline(always)]
    fn set_pair(&mut self, high: usize, value: u16) {
        let [h, l] = value.to_be_bytes();
        self.r[high] = h;
        self.r[high + 1] = l;
    }
    #[inline(always)]
    fn set_hl(&mut self, value: u16) {
        self.set_pair(HH, value);
    }
    /// BC, DE, HL, SP.
    #[inline(always)]
    fn pair(&self, index: u8) -> u16 {
        match index & 3 {
            0 => self.bc(),
            1 => self.de(),
            2 => self.hl(),
            _ => self.sp,
        }
    }
    #[inline(always)]
    fn set_pair_or_sp(&mut self, index: u8, value: u16) {
        match index & 3 {
            3 => self.sp = value,
            i => self.set_pair(2 * i as usize, value),
        }
    }
    /// NZ, Z, NC, C.
    #[inline(always)]
    fn condition(&self, opcode: u8) -> bool {
        let flag = if opcode & 0x10 == 0 { Z } else { C };
        (self.r[F] & flag != 0) == (opcode & 0x08 != 0)
    }
    #[inline(always)]
    fn carry(&self) -> u8 {
        self.r[F] >> 4 & 1
    }

    #[inline(always)]
    fn byte<M: Bus>(&mut self, bus: &mut M) -> u8 {
        self.operand(bus, 0)
    }
    #[inline(always)]
    fn operand<M: Bus>(&mut self, bus: &mut M, at: u64) -> u8 {
        let value = bus.fetch(self.pc, at);
        self.pc = self.pc.wrapping_add(1);
        value
    }
    #[inline(always)]
    fn word<M: Bus>(&mut self, bus: &mut M) -> u16 {
        let low = self.operand(bus, 0);
        let high = self.operand(bus, 4);
        u16::from_le_bytes([low, high])
    }
    #[inline(always)]
    fn push<M: Bus>(&mut self, bus: &mut M, value: u16, at: u64) {
        let [high, low] = value.to_be_bytes();
        self.sp = self.sp.wrapping_sub(1);
        bus.write(self.sp, high, at);
        self.sp = self.sp.wrapping_sub(1);
        bus.write(self.sp, low, at + 4);
    }
    #[inline(always)]
    fn pop<M: Bus>(&mut self, bus: &mut M, at: u64) -> u16 {
        let low = bus.read(self.sp, at);
        self.sp = self.sp.wrapping_add(1);
        let high = bus.read(self.sp, at + 4);
        self.sp = self.sp.wrapping_add(1);
        u16::from_le_bytes([low, high])
    }

    /// ADD, ADC, SUB, SBC, AND, XOR, OR, CP with A, in the order of the opcodes.
    #[inline(always)]
    fn arithmetic(&mut self, opcode: u8, value: u8) {
        let a = self.r[A];
        let (result, flags) = match opcode >> 3 & 7 {
            0 => alu::add(a, value, 0),
            1 => alu::add(a, value, self.carry()),
            2 => alu::sub(a, value, 0),
            3 => alu::sub(a, value, self.carry()),
            4 => (a & value, alu::zero(a & value) | H),
            5 => (a ^ value, alu::zero(a ^ value)),
            6 => (a | value, alu::zero(a | value)),
            _ => (a, alu::sub(a, value, 0).1),
        };
        self.r[A] = result;
        self.r[F] = flags;
    }

    /// A call into an interrupt handler: 20 cycles. The push of PC's high byte can overwrite IE, which changes or cancels the
    /// dispatch, so which interrupt it is is asked between the two pushes.
    pub fn dispatch<M: Bus>(&mut self, bus: &mut M) -> u64 {
        self.ime = false;
        let [high, low] = self.pc.to_be_bytes();
        self.sp = self.sp.wrapping_sub(1);
        bus.write(self.sp, high, 4);
        let pending = bus.pending();
        self.sp = self.sp.wrapping_sub(1);
        bus.write(self.sp, low, 8);
        self.pc = if pending == 0 {
            0
        } else {
            let bit = pending.trailing_zeros() as u16;
            bus.acknowledge(1 << bit);
            0x40 + 8 * bit
        };
        20
    }

    /// Executes one instruction and returns its cycles.
    #[inline(always)]
    pub fn execute<M: Bus>(&mut self, bus: &mut M) -> u64 {
        let after_ei = self.ime_next;
        if after_ei {
            self.ime_next = false;
            self.ime = true;
            bus.attend();
        }
        let opcode = bus.fetch(self.pc, 0);
        self.pc = self.pc.wrapping_add(1);
        if self.repeat_fetch {
            self.repeat_fetch = false;
            self.pc = self.pc.wrapping_sub(1);
        }
        match opcode {
            0x00 => 4,
            0x10 => {
                self.byte(bus);
                bus.stop(0);
                4
            }
            0x76 => {
                if !self.ime && bus.halt_bug() {
                    self.repeat_fetch = true;
                } else {
                    self.halted = true;
                    self.halted_by_ei = after_ei && bus.event_within(4);
                }
                bus.attend();
                4
            }
            0xF3 => {
                self.ime = false;
                self.ime_next = false;
                4
            }
            0xFB => {
                self.ime_next = !self.ime;
                4
            }

            // 8-bit loads
            0x7E => {
                self.r[A] = bus.read_held(self.hl(), 0);
                8
            }
            0x46 | 0x4E | 0x56 | 0x5E | 0x66 | 0x6E => {
                self.r[(opcode >> 3 & 7) as usize] = bus.read(self.hl(), 0);
                8
            }
            0x70..=0x77 => {
                bus.write(self.hl(), self.r[(opcode & 7) as usize], 0);
                8
            }
            0x40..=0x7F => {
                self.r[(opcode >> 3 & 7) as usize] = self.r[(opcode & 7) as usize];
                4
            }
            0x36 => {
                let value = self.byte(bus);
                bus.write(self.hl(), value, 4);
                12
            }
            0x06 | 0x0E | 0x16 | 0x1E | 0x26 | 0x2E | 0x3E => {
                self.r[(opcode >> 3) as usize] = self.byte(bus);
                8
            }
            0x02 => {
                bus.write(self.bc(), self.r[A], 0);
                8
            }
            0x12 => {
                bus.write_held(self.de(), self.r[A], 0);
                8
            }
            0x22 => {
                let hl = self.hl();
                bus.write(hl, self.r[A], 0);
                self.set_hl(hl.wrapping_add(1));
                8
            }
            0x32 => {
                let hl = self.hl();
                bus.write(hl, self.r[A], 0);
                self.set_hl(hl.wrapping_sub(1));
                8
            }
            0x0A => {
                self.r[A] = bus.read(self.bc(), 0);
                8
            }
            0x1A => {
                self.r[A] = bus.read_held(self.de(), 0);
                8
            }
            0x2A => {
                let hl = self.hl();
                self.r[A] = bus.read(hl, 0);
                self.set_hl(hl.wrapping_add(1));
                8
            }
            0x3A => {
                let hl = self.hl();
                self.r[A] = bus.read(hl, 0);
                self.set_hl(hl.wrapping_sub(1));
                8
            }
            0xE0 => {
                let low = self.byte(bus);
                bus.write(0xFF00 | low as u16, self.r[A], 4);
                12
            }
            0xF0 => {
                let low = self.byte(bus);
                self.r[A] = bus.read(0xFF00 | low as u16, 4);
                12
            }
            0xE2 => {
                bus.write(0xFF00 | self.r[CC] as u16, self.r[A], 0);
                8
            }
            0xF2 => {
                self.r[A] = bus.read(0xFF00 | self.r[CC] as u16, 0);
                8
            }
            0xEA => {
                let address = self.word(bus);
                bus.write(address, self.r[A], 8);
                16
            }
            0xFA => {
                let address = self.word(bus);
                self.r[A] = bus.read(address, 8);
                16
            }

            // 16-bit loads
            0x01 | 0x11 | 0x21 | 0x31 => {
                let value = self.word(bus);
                self.set_pair_or_sp(opcode >> 4, value);
                12
            }
            0x08 => {
                let address = self.word(bus);
                let [high, low] = self.sp.to_be_bytes();
                bus.write(address, low, 8);
                bus.write(address.wrapping_add(1), high, 12);
                20
            }
            0xF9 => {
                self.sp = self.hl();
                8
            }
            0xF8 => {
                let offset = self.byte(bus);
                let (value, flags) = alu::add_signed(self.sp, offset);
                self.set_hl(value);
                self.r[F] = flags;
                12
            }
            0xE8 => {
                let offset = self.byte(bus);
                let (value, flags) = alu::add_signed(self.sp, offset);
                self.sp = value;
                self.r[F] = flags;
                16
            }
            0xC5 | 0xD5 | 0xE5 => {
                let value = self.pair(opcode >> 4);
                self.push(bus, value, 4);
                16
            }
            0xF5 => {
                let value = u16::from_be_bytes([self.r[A], self.r[F]]);
                self.push(bus, value, 4);
                16
            }
            0xC1 | 0xD1 | 0xE1 => {
                let value = self.pop(bus, 0);
                self.set_pair_or_sp(opcode >> 4, value);
                12
            }
            0xF1 => {
                let [high, low] = self.pop(bus, 0).to_be_bytes();
                self.r[A] = high;
                self.r[F] = low & 0xF0;
                12
            }

            // 8-bit arithmetic
            0x86 | 0x8E | 0x96 | 0x9E | 0xA6 | 0xAE | 0xB6 | 0xBE => {
                let value = bus.read(self.hl(), 0);
                self.arithmetic(opcode, value);
                8
            }
            0x80..=0xBF => {
                self.arithmetic(opcode, self.r[(opcode & 7) as usize]);
                4
            }
            0xC6 | 0xCE | 0xD6 | 0xDE | 0xE6 | 0xEE | 0xF6 | 0xFE => {
                let value = self.byte(bus);
                self.arithmetic(opcode, value);
                8
            }
            0x34 => {
                let (value, flags) = alu::inc(bus.read(self.hl(), 0), self.r[F]);
                self.r[F] = flags;
                bus.write(self.hl(), value, 4);
                12
            }
            0x35 => {
                let (value, flags) = alu::dec(bus.read(self.hl(), 0), self.r[F]);
                self.r[F] = flags;
                bus.write(self.hl(), value, 4);
                12
            }
            0x04 | 0x0C | 0x14 | 0x1C | 0x24 | 0x2C | 0x3C => {
                let r = &mut self.r[(opcode >> 3) as usize & 7];
                let (value, flags) = alu::inc(*r, 0);
                *r = value;
                self.r[F] = flags | self.r[F] & C;
                4
            }
            0x05 | 0x0D | 0x15 | 0x1D | 0x25 | 0x2D | 0x3D => {
                let r = &mut self.r[(opcode >> 3) as usize & 7];
                let (value, flags) = alu::dec(*r, 0);
                *r = value;
                self.r[F] = flags | self.r[F] & C;
                4
            }
            0x07 | 0x0F | 0x17 | 0x1F => {
                let (value, flags) = alu::rotate(opcode, self.r[A], self.carry());
                self.r[A] = value;
                self.r[F] = flags & C;
                4
            }
            0x27 => {
                let (value, flags) = alu::daa(self.r[A], self.r[F]);
                self.r[A] = value;
                self.r[F] = flags;
                4
            }
            0x2F => {
                self.r[A] = !self.r[A];
                self.r[F] |= N | H;
                4
            }
            0x37 => {
                self.r[F] = self.r[F] & Z | C;
                4
            }
            0x3F => {
                self.r[F] = self.r[F] & (Z | C) ^ C;
                4
            }

            // 16-bit arithmetic
            0x03 | 0x13 | 0x23 | 0x33 => {
                let value = self.pair(opcode >> 4).wrapping_add(1);
                self.set_pair_or_sp(opcode >> 4, value);
                8
            }
            0x0B | 0x1B | 0x2B | 0x3B => {
                let value = self.pair(opcode >> 4).wrapping_sub(1);
                self.set_pair_or_sp(opcode >> 4, value);
                8
            }
            0x09 | 0x19 | 0x29 | 0x39 => {
                let (value, flags) = alu::add16(self.hl(), self.pair(opcode >> 4));
                self.set_hl(value);
                self.r[F] = self.r[F] & Z | flags;
                8
            }

            // Jumps
            0x18 => {
                let offset = self.byte(bus) as i8;
                self.pc = self.pc.wrapping_add_signed(offset as i16);
                12
            }
            0x20 | 0x28 | 0x30 | 0x38 => {
                let offset = self.byte(bus) as i8;
                if self.condition(opcode) {
                    self.pc = self.pc.wrapping_add_signed(offset as i16);
                    12
                } else {
                    8
                }
            }
            0xC3 => {
                self.pc = self.word(bus);
                16
            }
            0xC2 | 0xCA | 0xD2 | 0xDA => {
                let target = self.word(bus);
                if self.condition(opcode) {
                    self.pc = target;
                    16
                } else {
                    12
                }
            }
            0xE9 => {
                self.pc = self.hl();
                4
            }
            0xCD => {
                let target = self.word(bus);
                self.push(bus, self.pc, 12);
                self.pc = target;
                24
            }
            0xC4 | 0xCC | 0xD4 | 0xDC => {
                let target = self.word(bus);
                if self.condition(opcode) {
                    self.push(bus, self.pc, 12);
                    self.pc = target;
                    24
                } else {
                    12
                }
            }
            0xC9 => {
                self.pc = self.pop(bus, 0);
                16
            }
            0xD9 => {
                self.pc = self.pop(bus, 0);
                self.ime = true;
                bus.attend();
                16
            }
            0xC0 | 0xC8 | 0xD0 | 0xD8 => {
                if self.condition(opcode) {
                    self.pc = self.pop(bus, 4);
                    20
                } else {
                    8
                }
            }
            0xC7 | 0xCF | 0xD7 | 0xDF | 0xE7 | 0xEF | 0xF7 | 0xFF => {
                self.push(bus, self.pc, 4);
                self.pc = (opcode & 0x38) as u16;
                16
            }

            0xCB => self.prefixed(bus),

            0xD3 | 0xDB | 0xDD | 0xE3 | 0xE4 | 0xEB | 0xEC | 0xED | 0xF4 | 0xFC | 0xFD => {
                self.locked = true;
                self.pc = self.pc.wrapping_sub(1);
                bus.attend();
                4
            }
        }
    }

    /// Rotates, shifts, SWAP, BIT, RES, SET.
    fn prefixed<M: Bus>(&mut self, bus: &mut M) -> u64 {
        let opcode = self.byte(bus);
        let index = (opcode & 7) as usize;
        let memory = index == 6;
        let value = if memory { bus.read(self.hl(), 4) } else { self.r[index] };
        let mask = 1 << (opcode >> 3 & 7);
        let result = match opcode >> 6 {
            0 => {
                let (result, flags) = alu::rotate(opcode, value, self.carry());
                self.r[F] = flags;
                result
            }
            1 => {
                self.r[F] = alu::zero(value & mask) | H | self.r[F] & C;
                return if memory { 12 } else { 8 };
            }
            2 => value & !mask,
            _ => value | mask,
        };
        if memory {
            bus.write(self.hl(), result, 8);
            16
        } else {
            self.r[index] = result;
            8
        }
    }
}
