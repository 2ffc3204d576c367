//! The APU as the CPU sees it: registers, length counters, the sweep of channel 1, the position in wave RAM. No sound is
//! made; envelopes, which no register shows, are left out.
//!
//! The sequencer steps at the falling edges of bit 12 of the timer's counter (512 Hz).

const PERIOD_SHIFT: u32 = 13;
const NR52: usize = 0x16;

/// Bits that read as ones, from NR10 on.
const UNREADABLE: [u8; 0x17] = [
    0x80, 0x3F, 0x00, 0xFF, 0xBF, 0xFF, 0x3F, 0x00, 0xFF, 0xBF, 0x7F, 0xFF, 0x9F, 0xFF, 0xBF, 0xFF, 0xFF, 0x00, 0x00, 0xBF, 0x00,
    0x00, 0x70,
];

#[derive(Clone, Copy, Debug)]
pub struct Apu {
    /// NR10 to NR52 as written.
    pub registers: [u8; 0x17],
    pub wave: [u8; 16],
    pub on: bool,
    /// Channels that play, as NR52 shows them.
    pub playing: [bool; 4],
    pub length: [u16; 4],
    /// The next step of the sequencer, 0 to 7.
    pub step: u8,
    /// Up to when the sequencer has been run.
    pub counted: u64,
    pub sweep_enabled: bool,
    pub sweep_timer: u8,
    pub sweep_frequency: u16,
    pub sweep_subtracted: bool,
    /// Channel 3: the position in samples, and when the next and the last sample are fetched.
    pub wave_position: u8,
    pub wave_next: u64,
    pub wave_last: u64,
}

impl Default for Apu {
    fn default() -> Self {
        Apu {
            registers: [0; 0x17],
            wave: [0xFF; 16],
            on: false,
            playing: [false; 4],
            length: [0; 4],
            step: 0,
            counted: 0,
            sweep_enabled: false,
            sweep_timer: 0,
            sweep_frequency: 0,
            sweep_subtracted: false,
            wave_position: 0,
            wave_next: 0,
            wave_last: 0,
        }
    }
}

impl Apu {
    /// Runs the sequencer up to `time`; `zero` is when the timer's counter was zero.
    pub fn sync(&mut self, time: u64, zero: u64) {
        if self.on && time > self.counted {
            let edges = (time.wrapping_sub(zero) >> PERIOD_SHIFT) - (self.counted.wrapping_sub(zero) >> PERIOD_SHIFT);
            for _ in 0..edges {
                self.clock();
            }
        }
        self.counted = self.counted.max(time);
        self.sync_wave(time);
    }

    /// DIV is about to be reset: a falling edge if bit 12 is set.
    pub fn reset_div(&mut self, time: u64, zero: u64) {
        self.sync(time, zero);
        if self.on && time.wrapping_sub(zero) >> (PERIOD_SHIFT - 1) & 1 != 0 {
            self.clock();
        }
    }

    fn clock(&mut self) {
        if self.step & 1 == 0 {
            for channel in 0..4 {
                if self.length_enabled(channel) {
                    self.count_length(channel);
                }
            }
        }
        if self.step & 3 == 2 {
            self.clock_sweep();
        }
        self.step = (self.step + 1) & 7;
    }

    fn count_length(&mut self, channel: usize) {
        if self.length[channel] > 0 {
            self.length[channel] -= 1;
            if self.length[channel] == 0 {
                self.playing[channel] = false;
            }
        }
    }

    fn length_enabled(&self, channel: usize) -> bool {
        self.registers[5 * channel + 4] & 0x40 != 0
    }

    fn frequency(&self, channel: usize) -> u16 {
        self.registers[5 * channel + 3] as u16 | (self.registers[5 * channel + 4] as u16 & 7) << 8
    }

    fn sweep_period(&self) -> u8 {
        self.registers[0] >> 4 & 7
    }

    fn clock_sweep(&mut self) {
        self.sweep_timer = self.sweep_timer.saturating_sub(1);
        if self.sweep_timer > 0 {
            return;
        }
        self.sweep_timer = if self.sweep_period() == 0 { 8 } else { self.sweep_period() };
        if !self.sweep_enabled || self.sweep_period() == 0 {
            return;
        }
        let frequency = self.swept();
        if frequency <= 2047 && self.registers[0] & 7 != 0 {
            self.sweep_frequency = frequency;
            self.registers[3] = frequency as u8;
            self.registers[4] = self.registers[4] & 0xF8 | (frequency >> 8) as u8;
            self.swept();
        }
    }

    /// The next frequency of the sweep; silences the channel if it is out of range.
    fn swept(&mut self) -> u16 {
        let change = self.sweep_frequency >> (self.registers[0] & 7);
        let frequency = if self.registers[0] & 8 != 0 {
            self.sweep_subtracted = true;
            self.sweep_frequency.wrapping_sub(change)
        } else {
            self.sweep_frequency + change
        };
        if frequency > 2047 {
            self.playing[0] = false;
        }
        frequency
    }

    fn wave_period(&self) -> u64 {
        2 * (2048 - self.frequency(2) as u64)
    }

    fn sync_wave(&mut self, time: u64) {
        if !self.playing[2] || self.wave_next > time {
            return;
        }
        let period = self.wave_period();
        let samples = (time - self.wave_next) / period + 1;
        self.wave_position = ((self.wave_position as u64 + samples) & 31) as u8;
        self.wave_last = self.wave_next + (samples - 1) * period;
        self.wave_next += samples * period;
    }

    /// The byte of wave RAM within reach of the CPU: any while channel 3 rests, else the one being played, and only in the
    /// cycle in which the channel reads it.
    fn wave_index(&self, index: usize, time: u64) -> Option<usize> {
        if !self.playing[2] {
            Some(index)
        } else if time - self.wave_last.min(time) < 2 {
            Some(self.wave_position as usize / 2)
        } else {
            None
        }
    }

    /// A register from 0xFF10 to 0xFF3F; the APU is up to date.
    pub fn read(&self, address: u16, time: u64) -> u8 {
        let index = (address & 0xFF) as usize - 0x10;
        match index {
            NR52 => 0x70 | (self.on as u8) << 7 | (0..4).map(|i| (self.playing[i] as u8) << i).sum::<u8>(),
            0..0x17 => self.registers[index] | UNREADABLE[index],
            0x20..0x30 => self.wave_index(index - 0x20, time).map_or(0xFF, |i| self.wave[i]),
            _ => 0xFF,
        }
    }

    pub fn write(&mut self, address: u16, value: u8, time: u64) {
        let index = (address & 0xFF) as usize - 0x10;
        match index {
            0x20..0x30 => {
                if let Some(i) = self.wave_index(index - 0x20, time) {
                    self.wave[i] = value;
                }
            }
            NR52 => self.power(value & 0x80 != 0),
            0..0x17 if self.on => self.write_register(index, value, time),
            // Lengths can be set while the power is off.
            1 | 6 | 11 | 16 => self.set_length(index / 5, value),
            _ => {}
        }
    }

    fn power(&mut self, on: bool) {
        if on && !self.on {
            self.step = 0;
        } else if !on && self.on {
            self.registers = [0; 0x17];
            self.playing = [false; 4];
            self.sweep_enabled = false;
        }
        self.on = on;
    }

    fn full_length(channel: usize) -> u16 {
        if channel == 2 { 256 } else { 64 }
    }

    fn set_length(&mut self, channel: usize, value: u8) {
        let mask = if channel == 2 { 0xFF } else { 0x3F };
        self.length[channel] = Self::full_length(channel) - (value & mask) as u16;
    }

    fn dac(&self, channel: usize) -> bool {
        if channel == 2 { self.registers[10] & 0x80 != 0 } else { self.registers[5 * channel + 2] & 0xF8 != 0 }
    }

    fn write_register(&mut self, index: usize, value: u8, time: u64) {
        if index >= 0x14 {
            self.registers[index] = value;
            return;
        }
        let (channel, part) = (index / 5, index % 5);
        let before = self.registers[index];
        self.registers[index] = value;
        match part {
            0 if channel == 0 && self.sweep_subtracted && before & 8 != 0 && value & 8 == 0 => self.playing[0] = false,
            1 => self.set_length(channel, value),
            4 => self.write_control(channel, before, value, time),
            _ => {}
        }
        if !self.dac(channel) {
            self.playing[channel] = false;
        }
    }

    /// NRx4. Enabling the length counter in the half of the sequencer that does not clock it costs one count.
    fn write_control(&mut self, channel: usize, before: u8, value: u8, time: u64) {
        let idle_half = self.step & 1 != 0;
        let trigger = value & 0x80 != 0;
        if before & 0x40 == 0 && value & 0x40 != 0 && idle_half {
            self.count_length(channel);
        }
        if !trigger {
            return;
        }
        if self.length[channel] == 0 {
            self.length[channel] = Self::full_length(channel);
            if value & 0x40 != 0 && idle_half {
                self.length[channel] -= 1;
            }
        }
        if channel == 2 {
            self.trigger_wave(time);
        }
        self.playing[channel] = self.dac(channel);
        if channel == 0 {
            self.sweep_subtracted = false;
            self.sweep_frequency = self.frequency(0);
            self.sweep_timer = if self.sweep_period() == 0 { 8 } else { self.sweep_period() };
            self.sweep_enabled = self.registers[0] & 0x77 != 0;
            if self.registers[0] & 7 != 0 {
                self.swept();
            }
        }
    }

    /// Starting channel 3 in the cycle in which it reads a byte overwrites the first bytes of wave RAM.
    fn trigger_wave(&mut self, time: u64) {
        if self.playing[2] && self.wave_next == time + 2 {
            let byte = ((self.wave_position as usize + 1) & 31) / 2;
            if byte < 4 {
                self.wave[0] = self.wave[byte];
            } else {
                let from = byte & !3;
                self.wave.copy_within(from..from + 4, 0);
            }
        }
        self.wave_position = 0;
        self.wave_next = time + 6 + self.wave_period();
        self.wave_last = 0;
    }
}
