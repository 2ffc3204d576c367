//! IF and IE.

pub const VBLANK: u8 = 0x01;
pub const STAT: u8 = 0x02;
pub const TIMER: u8 = 0x04;
pub const SERIAL: u8 = 0x08;
pub const JOYPAD: u8 = 0x10;

#[derive(Clone, Copy, Debug, Default)]
pub struct Interrupts {
    pub requested: u8,
    pub enabled: u8,
}

impl Interrupts {
    #[inline(always)]
    pub fn pending(&self) -> u8 {
        self.requested & self.enabled & 0x1F
    }
    #[inline(always)]
    pub fn request(&mut self, which: u8) {
        self.requested |= which;
    }
    pub fn flags(&self) -> u8 {
        self.requested | 0xE0
    }
}
