//! MBC1, MBC2, MBC3, MBC5: which ROM and RAM banks the CPU sees.

use crate::cartridge::{Mapper, Rom};
use crate::clock::Clock;

/// What is at 0xA000-0xBFFF.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Window {
    Nothing,
    /// RAM from this offset on.
    Ram(usize),
    /// 512 half bytes (MBC2).
    Nibbles,
    /// A register of the clock.
    Clock(u8),
}

#[derive(Clone, Copy, Debug)]
pub struct Banks {
    pub ram_enabled: bool,
    /// The registers as written: the lower and the upper bank number, the mode of MBC1.
    pub low: u16,
    pub high: u8,
    pub mode: bool,
    pub clock: Clock,
    /// Offsets into the ROM of 0x0000-0x3FFF and 0x4000-0x7FFF.
    pub rom0: u32,
    pub romx: u32,
    pub window: Window,
}

impl Banks {
    pub fn new(rom: &Rom) -> Banks {
        let mut banks = Banks {
            ram_enabled: false,
            low: 1,
            high: 0,
            mode: false,
            clock: Clock::default(),
            rom0: 0,
            romx: 0x4000,
            window: Window::Nothing,
        };
        banks.map(rom);
        banks
    }

    /// A write to 0x0000-0x7FFF.
    pub fn write(&mut self, rom: &Rom, address: u16, value: u8) {
        match (rom.mapper, address) {
            (Mapper::Rom, _) => {}
            (Mapper::Mbc1 | Mapper::Mbc1Multicart, _) => match address >> 13 {
                0 => self.ram_enabled = value & 0xF == 0xA,
                1 => self.low = (value & 0x1F).max(1) as u16,
                2 => self.high = value & 3,
                _ => self.mode = value & 1 != 0,
            },
            (Mapper::Mbc2, 0..0x4000) => {
                if address & 0x100 == 0 {
                    self.ram_enabled = value & 0xF == 0xA;
                } else {
                    self.low = (value & 0xF).max(1) as u16;
                }
            }
            (Mapper::Mbc2, _) => {}
            (Mapper::Mbc3, _) => match address >> 13 {
                0 => self.ram_enabled = value & 0xF == 0xA,
                1 => {
                    let mask = if rom.banks() > 128 { 0xFF } else { 0x7F };
                    self.low = (value & mask).max(1) as u16;
                }
                2 => self.high = value & 0xF,
                _ => self.clock.write_latch(value),
            },
            (Mapper::Mbc5, _) => match address >> 12 {
                0 | 1 => self.ram_enabled = value == 0xA,
                2 => self.low = self.low & 0x100 | value as u16,
                3 => self.low = self.low & 0xFF | (value as u16 & 1) << 8,
                4 | 5 => self.high = value & 0xF,
                _ => {}
            },
        }
        self.map(rom);
    }

    /// Works out the offsets from the registers.
    pub fn map(&mut self, rom: &Rom) {
        let bank = |n: usize| ((n << 14) & (rom.bytes.len() - 1)) as u32;
        let shift = if rom.mapper == Mapper::Mbc1Multicart { 4 } else { 5 };
        let (low, high) = (self.low as usize, self.high as usize);
        (self.rom0, self.romx) = match rom.mapper {
            Mapper::Mbc1 | Mapper::Mbc1Multicart => {
                let low = if shift == 4 { low & 0xF } else { low };
                (if self.mode { bank(high << shift) } else { 0 }, bank(high << shift | low))
            }
            _ => (0, bank(low)),
        };
        self.window = self.map_ram(rom);
    }

    fn map_ram(&self, rom: &Rom) -> Window {
        let high = self.high as usize;
        let ram = |n: usize| match rom.ram_bytes {
            0 => Window::Nothing,
            size => Window::Ram((n << 13) & (size - 1)),
        };
        match rom.mapper {
            Mapper::Rom => ram(0),
            _ if !self.ram_enabled => Window::Nothing,
            Mapper::Mbc1 | Mapper::Mbc1Multicart => ram(if self.mode { high } else { 0 }),
            Mapper::Mbc2 => Window::Nibbles,
            Mapper::Mbc3 => match high {
                0..=7 => ram(high),
                8..=12 if rom.clock => Window::Clock(high as u8 - 8),
                _ => Window::Nothing,
            },
            Mapper::Mbc5 => ram(if rom.rumble { high & 7 } else { high }),
        }
    }

    pub fn read_ram(&self, ram: &[u8], address: u16) -> u8 {
        let index = address as usize & 0x1FFF;
        match self.window {
            Window::Nothing => 0xFF,
            Window::Ram(base) => ram.get(base + index).copied().unwrap_or(0xFF),
            Window::Nibbles => ram.get(index & 0x1FF).map_or(0xFF, |b| b | 0xF0),
            Window::Clock(register) => self.clock.read(register),
        }
    }

    /// Returns whether anything changed.
    pub fn write_ram(&mut self, ram: &mut [u8], address: u16, value: u8) -> bool {
        let index = address as usize & 0x1FFF;
        let cell = match self.window {
            Window::Nothing => None,
            Window::Ram(base) => ram.get_mut(base + index),
            Window::Nibbles => ram.get_mut(index & 0x1FF),
            Window::Clock(register) => {
                self.clock.write(register, value);
                return true;
            }
        };
        match cell {
            Some(cell) if *cell != value => {
                *cell = value;
                true
            }
            _ => false,
        }
    }
}
