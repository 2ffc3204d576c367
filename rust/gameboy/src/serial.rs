//! SB and SC with nothing at the other end of the cable: what comes in are ones.

use crate::interrupts::{Interrupts, SERIAL};
use crate::time::NEVER;

#[derive(Clone, Copy, Debug)]
pub struct Serial {
    pub sb: u8,
    pub sc: u8,
    /// When the transfer under way is over.
    pub done: u64,
}

impl Default for Serial {
    fn default() -> Self {
        Serial { sb: 0xFF, sc: 0, done: NEVER }
    }
}

/// Eight bits at 8,192 Hz; PyBoy moves them four times as fast.
const HARDWARE_CYCLES: u64 = 8 * 512;
const PYBOY_CYCLES: u64 = 8 * 128;

impl Serial {
    pub fn sync(&mut self, time: u64, interrupts: &mut Interrupts) {
        if self.done <= time {
            self.done = NEVER;
            self.sb = 0xFF;
            self.sc &= 0x7F;
            interrupts.request(SERIAL);
        }
    }

    pub fn write_sc(&mut self, value: u8, time: u64, hardware: bool) {
        self.sc = value & 0x81;
        self.done = NEVER;
        if self.sc == 0x81 {
            self.done = time + if hardware { HARDWARE_CYCLES } else { PYBOY_CYCLES };
        }
    }

    pub fn read_sc(&self) -> u8 {
        self.sc | 0x7E
    }
}
