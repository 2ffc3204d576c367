//! The clock of MBC3: seconds, minutes, hours, and nine bits of days with a halt and an overflow bit. It stands still unless
//! it is told the time: PyBoy takes the host's, which no run can repeat, so it is compared with PyBoy's clock locked.

const SECOND: u64 = 4_194_304;
const MASKS: [u8; 5] = [0x3F, 0x3F, 0x1F, 0xFF, 0xC1];

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Clock {
    pub live: [u8; 5],
    pub latched: [u8; 5],
    pub latch_armed: bool,
    /// Cycles of the second under way.
    pub cycles: u32,
    /// Up to when the clock has been counted (hardware only).
    pub counted: u64,
}

impl Clock {
    pub fn read(&self, register: u8) -> u8 {
        self.latched[register as usize % 5]
    }

    pub fn write(&mut self, register: u8, value: u8) {
        let i = register as usize % 5;
        self.live[i] = value & MASKS[i];
        self.latched[i] = self.live[i];
        if i == 0 {
            self.cycles = 0;
        }
    }

    pub fn write_latch(&mut self, value: u8) {
        if self.latch_armed && value == 1 {
            self.latched = self.live;
        }
        self.latch_armed = value == 0;
    }

    /// Runs the clock up to `time`.
    pub fn sync(&mut self, time: u64) {
        let passed = time - self.counted.min(time);
        self.counted = time;
        if self.live[4] & 0x40 != 0 {
            return;
        }
        let total = self.cycles as u64 + passed;
        self.cycles = (total % SECOND) as u32;
        for _ in 0..total / SECOND {
            self.second();
        }
    }

    /// Values out of range count up to the end of their bits without a carry, as in the chip.
    fn second(&mut self) {
        let limits = [60, 60, 24];
        for (i, limit) in limits.into_iter().enumerate() {
            self.live[i] = (self.live[i] + 1) & MASKS[i];
            if self.live[i] != limit {
                return;
            }
            self.live[i] = 0;
        }
        let day = (self.live[3] as u16 | (self.live[4] as u16 & 1) << 8) + 1;
        self.live[3] = day as u8;
        self.live[4] = self.live[4] & 0xC0 | (day >> 8 & 1) as u8;
        if day == 512 {
            self.live[4] |= 0x80;
        }
    }
}
