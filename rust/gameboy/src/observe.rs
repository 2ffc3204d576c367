//! Screens as arrays: greys, half size, or four pixels a byte.

use crate::render::{HEIGHT, Screen, WIDTH};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    None,
    Grey,
    Half,
    Packed,
    HalfPacked,
}

pub const KINDS: [(&str, Kind); 5] = [
    ("none", Kind::None),
    ("grey", Kind::Grey),
    ("half", Kind::Half),
    ("packed", Kind::Packed),
    ("half_packed", Kind::HalfPacked),
];

const BYTES: usize = WIDTH / 8;

/// Bit i of the index, counted from the left, in byte i.
const SPREAD: [[u8; 8]; 256] = {
    let mut table = [[0; 8]; 256];
    let mut bits = 0;
    while bits < 256 {
        let mut i = 0;
        while i < 8 {
            table[bits][i] = (bits >> (7 - i) & 1) as u8;
            i += 1;
        }
        bits += 1;
    }
    table
};

/// The bits of the index at the even places of a 16-bit number.
const INTERLEAVE: [u16; 256] = {
    let mut table = [0; 256];
    let mut bits = 0;
    while bits < 256 {
        let mut i = 0;
        while i < 8 {
            table[bits] |= ((bits >> i & 1) << (2 * i)) as u16;
            i += 1;
        }
        bits += 1;
    }
    table
};

impl Kind {
    pub fn shape(self) -> &'static [usize] {
        match self {
            Kind::None => &[0],
            Kind::Grey => &[HEIGHT, WIDTH],
            Kind::Half => &[HEIGHT / 2, WIDTH / 2],
            Kind::Packed => &[HEIGHT, WIDTH / 4],
            Kind::HalfPacked => &[HEIGHT / 2, WIDTH / 8],
        }
    }

    pub fn size(self) -> usize {
        self.shape().iter().product()
    }

    pub fn write(self, screen: &Screen, out: &mut [u8]) {
        match self {
            Kind::None => {}
            Kind::Grey => {
                for (line, out) in screen.iter().zip(out.chunks_exact_mut(WIDTH)) {
                    for (i, out) in out.chunks_exact_mut(8).enumerate() {
                        out.copy_from_slice(&greys(line[i], line[i + BYTES]).to_le_bytes());
                    }
                }
            }
            Kind::Half => {
                for (line, out) in screen.iter().step_by(2).zip(out.chunks_exact_mut(WIDTH / 2)) {
                    for (i, out) in out.chunks_exact_mut(4).enumerate() {
                        let pixels = greys(line[i], line[i + BYTES]).to_le_bytes();
                        out.copy_from_slice(&[pixels[0], pixels[2], pixels[4], pixels[6]]);
                    }
                }
            }
            Kind::Packed => {
                for (line, out) in screen.iter().zip(out.chunks_exact_mut(WIDTH / 4)) {
                    for (i, out) in out.chunks_exact_mut(2).enumerate() {
                        let pixels = INTERLEAVE[line[i] as usize] | INTERLEAVE[line[i + BYTES] as usize] << 1;
                        out.copy_from_slice(&pixels.to_be_bytes());
                    }
                }
            }
            Kind::HalfPacked => {
                for (line, out) in screen.iter().step_by(2).zip(out.chunks_exact_mut(WIDTH / 8)) {
                    for (i, out) in out.iter_mut().enumerate() {
                        *out = every_second(line[i]) | every_second(line[i + BYTES]) << 1;
                    }
                }
            }
        }
    }
}

/// Eight pixels: 255, 153, 85, 0 for the shades 0 to 3.
fn greys(low: u8, high: u8) -> u64 {
    let spread = |bits: u8| u64::from_le_bytes(SPREAD[bits as usize]);
    !(spread(low & !high) * 102 + spread(high & !low) * 170 + spread(low & high) * 255)
}

/// Pixels 0, 2, 4, 6 of eight, each in the low bit of two.
fn every_second(bits: u8) -> u8 {
    bits >> 1 & 0x55
}

/// One byte a pixel, 0 to 3.
pub fn shades(screen: &Screen) -> Vec<u8> {
    let mut out = Vec::with_capacity(WIDTH * HEIGHT);
    for line in screen {
        for i in 0..BYTES {
            let (low, high) = (SPREAD[line[i] as usize], SPREAD[line[i + BYTES] as usize]);
            out.extend((0..8).map(|x| low[x] | high[x] << 1));
        }
    }
    out
}
