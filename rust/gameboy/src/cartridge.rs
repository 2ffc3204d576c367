//! A cartridge's ROM and what its header says. Shared by all environments.

use std::fmt;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mapper {
    Rom,
    Mbc1,
    /// Several games behind one MBC1: the upper bank bits are wired one lower.
    Mbc1Multicart,
    Mbc2,
    Mbc3,
    Mbc5,
}

impl Mapper {
    pub fn name(self) -> &'static str {
        match self {
            Mapper::Rom => "ROM",
            Mapper::Mbc1 | Mapper::Mbc1Multicart => "MBC1",
            Mapper::Mbc2 => "MBC2",
            Mapper::Mbc3 => "MBC3",
            Mapper::Mbc5 => "MBC5",
        }
    }
}

#[derive(Debug)]
pub struct Rom {
    /// A power of two of 16 KB banks, at least two; what the file lacks is 0xFF.
    pub bytes: Box<[u8]>,
    pub mapper: Mapper,
    pub ram_bytes: usize,
    pub battery: bool,
    pub clock: bool,
    pub rumble: bool,
    pub title: String,
    pub checksum_ok: bool,
    /// Identifies the ROM in saved states.
    pub hash: u64,
}

#[derive(Debug, PartialEq, Eq)]
pub struct RomError(pub String);

impl fmt::Display for RomError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

const BANK: usize = 0x4000;

impl Rom {
    pub fn parse(file: &[u8]) -> Result<Rom, RomError> {
        if file.len() < 0x150 {
            return Err(RomError(format!(
                "the ROM is {} bytes long, which does not hold a header; at least {} are needed",
                file.len(),
                0x150
            )));
        }
        let (kind, size_code, ram_code) = (file[0x147], file[0x148], file[0x149]);
        let (mapper, ram, battery, clock, rumble) = kind_of(kind).ok_or_else(|| {
            RomError(format!("the cartridge type {kind:#04x} at 0x147 is not supported (ROM, MBC1, MBC2, MBC3, MBC5 are)"))
        })?;
        if size_code > 8 {
            return Err(RomError(format!("the ROM size {size_code:#04x} at 0x148 is unknown")));
        }
        let declared = (2 * BANK) << size_code;
        if file.len() < declared {
            return Err(RomError(format!("the ROM is truncated: its header says {declared} bytes, the file has {}", file.len())));
        }
        let ram_bytes = match (mapper, ram, ram_code) {
            (Mapper::Mbc2, _, _) => 512,
            (_, false, _) | (_, _, 0) => 0,
            (_, _, 1 | 2) => 0x2000,
            (_, _, 3) => 0x8000,
            (_, _, 4) => 0x20000,
            (_, _, 5) => 0x10000,
            _ => return Err(RomError(format!("the RAM size {ram_code:#04x} at 0x149 is unknown"))),
        };
        let bytes = file[..declared].to_vec().into_boxed_slice();
        let mapper = if mapper == Mapper::Mbc1 && is_multicart(&bytes) { Mapper::Mbc1Multicart } else { mapper };
        let checksum = file[0x134..0x14D].iter().fold(0u8, |sum, &b| sum.wrapping_sub(b).wrapping_sub(1));
        let title = file[0x134..0x144].iter().take_while(|&&b| b != 0);
        Ok(Rom {
            hash: fnv(&bytes),
            mapper,
            ram_bytes,
            battery,
            clock,
            rumble,
            title: title.map(|&b| if b.is_ascii_graphic() || b == b' ' { b as char } else { '?' }).collect(),
            checksum_ok: checksum == file[0x14D],
            bytes,
        })
    }

    pub fn banks(&self) -> usize {
        self.bytes.len() / BANK
    }
}

/// (mapper, RAM, battery, clock, rumble)
fn kind_of(kind: u8) -> Option<(Mapper, bool, bool, bool, bool)> {
    Some(match kind {
        0x00 => (Mapper::Rom, false, false, false, false),
        0x08 => (Mapper::Rom, true, false, false, false),
        0x09 => (Mapper::Rom, true, true, false, false),
        0x01 => (Mapper::Mbc1, false, false, false, false),
        0x02 => (Mapper::Mbc1, true, false, false, false),
        0x03 => (Mapper::Mbc1, true, true, false, false),
        0x05 => (Mapper::Mbc2, true, false, false, false),
        0x06 => (Mapper::Mbc2, true, true, false, false),
        0x0F => (Mapper::Mbc3, false, true, true, false),
        0x10 => (Mapper::Mbc3, true, true, true, false),
        0x11 => (Mapper::Mbc3, false, false, false, false),
        0x12 => (Mapper::Mbc3, true, false, false, false),
        0x13 => (Mapper::Mbc3, true, true, false, false),
        0x19 => (Mapper::Mbc5, false, false, false, false),
        0x1A => (Mapper::Mbc5, true, false, false, false),
        0x1B => (Mapper::Mbc5, true, true, false, false),
        0x1C => (Mapper::Mbc5, false, false, false, true),
        0x1D => (Mapper::Mbc5, true, false, false, true),
        0x1E => (Mapper::Mbc5, true, true, false, true),
        _ => return None,
    })
}

/// 1 MB with a logo at the start of the second quarter, as every game of a multicart has one.
fn is_multicart(bytes: &[u8]) -> bool {
    let logo = |bank: usize| &bytes[bank * BANK + 0x104..bank * BANK + 0x134];
    bytes.len() == 64 * BANK && logo(0x10) == logo(0) && logo(0).iter().any(|&b| b != 0)
}

fn fnv(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &b| (hash ^ b as u64).wrapping_mul(0x100_0000_01b3))
}
