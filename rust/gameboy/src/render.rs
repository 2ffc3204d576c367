//! One line of the picture, drawn at once from the registers as they are. Pixels are two planes of bits, the leftmost pixel
//! in a byte's high bit: a tile's row is two bytes already, and palettes and priorities are Boolean operations.

use crate::ppu::Ppu;

pub const WIDTH: usize = 160;
pub const HEIGHT: usize = 144;
pub const BYTES: usize = WIDTH / 8;

/// Shades 0 (white) to 3 (black): per line the low plane, then the high plane.
pub type Screen = [[u8; 2 * BYTES]; HEIGHT];

pub const BLANK: Screen = [[0; 2 * BYTES]; HEIGHT];

#[derive(Clone, Copy, Default)]
struct Planes {
    low: [u8; BYTES],
    high: [u8; BYTES],
}

impl Ppu {
    /// Draws line `ly` and counts the window's lines.
    #[inline(never)]
    pub fn draw_line(&mut self, vram: &[u8; 0x2000], oam: &[u8; 0x100], screen: &mut Screen) {
        let line = self.ly as usize;
        if line >= HEIGHT {
            return;
        }
        let mut colours = Planes::default();
        if self.lcdc & 0x01 != 0 {
            self.background(vram, &mut colours);
        }
        let window = self.lcdc & 0x20 != 0 && self.wy <= self.ly && self.wx <= 166;
        if window {
            if !self.hardware || self.lcdc & 0x01 != 0 {
                self.window(vram, &mut colours);
            }
            self.window_line = self.window_line.wrapping_add(1);
        }
        let mut shades = Planes::default();
        for i in 0..BYTES {
            (shades.low[i], shades.high[i]) = palette(self.bgp, colours.low[i], colours.high[i]);
        }
        if self.lcdc & 0x02 != 0 {
            self.objects(vram, oam, &colours, &mut shades);
        }
        screen[line][..BYTES].copy_from_slice(&shades.low);
        screen[line][BYTES..].copy_from_slice(&shades.high);
    }

    /// The two bytes of row `y` of a background tile.
    fn tile_row(&self, vram: &[u8; 0x2000], tile: u8, y: usize) -> (u8, u8) {
        let base =
            if self.lcdc & 0x10 != 0 { tile as usize * 16 } else { 0x1000usize.wrapping_add_signed(tile as i8 as isize * 16) };
        let at = (base + 2 * y) & 0x1FFE;
        (vram[at], vram[at + 1])
    }

    fn background(&self, vram: &[u8; 0x2000], out: &mut Planes) {
        let y = self.scy.wrapping_add(self.ly) as usize;
        let map = if self.lcdc & 0x08 != 0 { 0x1C00 } else { 0x1800 } + y / 8 * 32;
        let fine = self.scx as u32 & 7;
        let first = self.scx as usize / 8;
        let (mut low, mut high) = self.tile_row(vram, vram[map + first], y & 7);
        for i in 0..BYTES {
            let (l, h) = self.tile_row(vram, vram[map + (first + i + 1) % 32], y & 7);
            out.low[i] = (u16::from_be_bytes([low, l]) << fine >> 8) as u8;
            out.high[i] = (u16::from_be_bytes([high, h]) << fine >> 8) as u8;
            (low, high) = (l, h);
        }
    }

    /// The window covers the background from WX - 7 on.
    fn window(&self, vram: &[u8; 0x2000], out: &mut Planes) {
        let y = self.window_line as usize;
        let map = if self.lcdc & 0x40 != 0 { 0x1C00 } else { 0x1800 } + y / 8 % 32 * 32;
        let mut x = self.wx as isize - 7;
        let mut column = 0;
        while x < WIDTH as isize {
            let (low, high) = self.tile_row(vram, vram[map + column], y & 7);
            put(&mut out.low, x, low, 0xFF);
            put(&mut out.high, x, high, 0xFF);
            x += 8;
            column += 1;
        }
    }

    fn objects(&self, vram: &[u8; 0x2000], oam: &[u8; 0x100], background: &Planes, shades: &mut Planes) {
        let (order, count) = self.objects_on_line(oam);
        let height: u8 = if self.lcdc & 0x04 != 0 { 16 } else { 8 };
        let mut taken = [0u8; BYTES];
        for &object in &order[..count] {
            let [y, x, tile, attributes] = [0, 1, 2, 3].map(|i| oam[4 * object as usize + i]);
            if x == 0 || x >= 168 {
                continue;
            }
            let mut row = self.ly.wrapping_add(16).wrapping_sub(y);
            if attributes & 0x40 != 0 {
                row = height - 1 - row;
            }
            let tile = if height == 16 { tile & 0xFE } else { tile };
            let at = (tile as usize * 16 + 2 * row as usize) & 0x1FFE;
            let (mut low, mut high) = (vram[at], vram[at + 1]);
            if attributes & 0x20 != 0 {
                (low, high) = (low.reverse_bits(), high.reverse_bits());
            }
            let opaque = low | high;
            let colours = if attributes & 0x10 != 0 { self.obp1 } else { self.obp0 };
            let (low, high) = palette(colours, low, high);
            let x = x as isize - 8;
            for side in 0..2 {
                let byte = x.div_euclid(8) + side;
                if !(0..BYTES as isize).contains(&byte) {
                    continue;
                }
                let i = byte as usize;
                let shift = x.rem_euclid(8) as u32;
                let part = |bits: u8| if side == 0 { bits >> shift } else { ((bits as u16) << (8 - shift)) as u8 };
                let mut mask = part(opaque) & !taken[i];
                taken[i] |= mask;
                if attributes & 0x80 != 0 {
                    mask &= !(background.low[i] | background.high[i]);
                }
                shades.low[i] = shades.low[i] & !mask | part(low) & mask;
                shades.high[i] = shades.high[i] & !mask | part(high) & mask;
            }
        }
    }

    /// The first ten objects in OAM that touch the line, leftmost first: (numbers, how many).
    #[inline(never)]
    pub fn objects_on_line(&self, oam: &[u8; 0x100]) -> ([u8; 10], usize) {
        let height: u8 = if self.lcdc & 0x04 != 0 { 16 } else { 8 };
        let mut order = [0u8; 10];
        let mut count = 0;
        let top = self.ly.wrapping_add(16);
        let mut hits = 0u64;
        for object in 0..40 {
            hits |= ((top.wrapping_sub(oam[4 * object]) < height) as u64) << object;
        }
        while hits != 0 && count < 10 {
            order[count] = hits.trailing_zeros() as u8;
            hits &= hits - 1;
            count += 1;
        }
        if count > 1 {
            order[..count].sort_by_key(|&object| oam[4 * object as usize + 1]);
        }
        (order, count)
    }
}

/// Writes eight bits at pixel `x`, which may hang over either end.
fn put(plane: &mut [u8; BYTES], x: isize, bits: u8, mask: u8) {
    let shift = x.rem_euclid(8) as u32;
    let byte = x.div_euclid(8);
    let (bits, mask) = (u16::from_be_bytes([bits, 0]) >> shift, u16::from_be_bytes([mask, 0]) >> shift);
    for (side, (bits, mask)) in bits.to_be_bytes().into_iter().zip(mask.to_be_bytes()).enumerate() {
        let i = byte + side as isize;
        if (0..BYTES as isize).contains(&i) {
            plane[i as usize] = plane[i as usize] & !mask | bits;
        }
    }
}

/// Eight pixels through a palette register.
fn palette(register: u8, low: u8, high: u8) -> (u8, u8) {
    let colours = [!low & !high, low & !high, !low & high, low & high];
    let mut out = (0, 0);
    for (i, pixels) in colours.into_iter().enumerate() {
        let shade = register >> (2 * i);
        out.0 |= pixels & (shade & 1).wrapping_neg();
        out.1 |= pixels & (shade >> 1 & 1).wrapping_neg();
    }
    out
}
