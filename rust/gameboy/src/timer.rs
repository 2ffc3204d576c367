//! DIV, TIMA, TMA, TAC. DIV is the high byte of a 16-bit counter that runs with the clock; TIMA counts the falling edges of
//! one of its bits. Nothing ticks: counts are differences of times, taken when somebody looks.

use crate::interrupts::{Interrupts, TIMER};
use crate::time::NEVER;

#[derive(Clone, Copy, Debug)]
pub struct Timer {
    /// The time at which the 16-bit counter was zero.
    pub zero: u64,
    pub tima: u8,
    pub tma: u8,
    pub tac: u8,
    /// Up to when TIMA has been counted.
    pub counted: u64,
    /// When an overflow, four cycles ago, puts TMA into TIMA; `NEVER` if none is under way.
    pub reload: u64,
    /// When TMA was last put into TIMA.
    pub reloaded: u64,
}

impl Default for Timer {
    fn default() -> Self {
        Timer { zero: 0, tima: 0, tma: 0, tac: 0, counted: 0, reload: NEVER, reloaded: 0 }
    }
}

impl Timer {
    pub fn counter(&self, time: u64) -> u16 {
        time.wrapping_sub(self.zero) as u16
    }

    fn enabled(&self) -> bool {
        self.tac & 4 != 0
    }

    /// log2 of TIMA's period in cycles.
    fn shift(&self) -> u32 {
        match self.tac & 3 {
            0 => 10,
            n => 2 + 2 * n as u32,
        }
    }

    /// The bit whose falling edge TIMA counts, after the enable bit.
    fn signal(&self, time: u64) -> bool {
        self.enabled() && self.counter(time) >> (self.shift() - 1) & 1 != 0
    }

    /// Counts up to `time`; an overflow on the way requests the interrupt when TIMA is reloaded.
    pub fn sync(&mut self, time: u64, interrupts: &mut Interrupts) {
        while self.counted < time {
            let mut until = time;
            if self.reload <= time {
                until = self.reload;
            }
            if until > self.counted {
                if self.enabled() {
                    let overflow = self.next_overflow();
                    if overflow <= until {
                        self.tima = 0;
                        self.counted = overflow;
                        self.reload = overflow + 4;
                        continue;
                    }
                    self.tima = self.tima.wrapping_add(self.edges(self.counted, until) as u8);
                }
                self.counted = until;
            }
            if self.reload <= self.counted {
                self.finish_reload(interrupts);
            }
        }
    }

    fn finish_reload(&mut self, interrupts: &mut Interrupts) {
        self.tima = self.tma;
        self.reloaded = self.reload;
        self.reload = NEVER;
        interrupts.request(TIMER);
    }

    /// Falling edges in (from, to].
    fn edges(&self, from: u64, to: u64) -> u64 {
        let shift = self.shift();
        (to.wrapping_sub(self.zero) >> shift) - (from.wrapping_sub(self.zero) >> shift)
    }

    /// When TIMA, counted up to `counted`, overflows.
    fn next_overflow(&self) -> u64 {
        let shift = self.shift();
        let edge = self.counted.wrapping_sub(self.zero) >> shift;
        self.zero.wrapping_add((edge + 256 - self.tima as u64) << shift)
    }

    /// When TIMA next overflows or is reloaded.
    pub fn next_change(&self) -> u64 {
        match self.next_event() {
            NEVER => NEVER,
            event if self.reload == NEVER => event - 4,
            event => event,
        }
    }

    /// When the next interrupt is requested.
    pub fn next_event(&self) -> u64 {
        if self.reload != NEVER {
            self.reload
        } else if self.enabled() {
            self.next_overflow() + 4
        } else {
            NEVER
        }
    }

    fn tick(&mut self, time: u64) {
        let (tima, overflow) = self.tima.overflowing_add(1);
        self.tima = tima;
        if overflow {
            self.reload = time + 4;
        }
    }

    pub fn write_div(&mut self, time: u64, interrupts: &mut Interrupts) {
        self.sync(time, interrupts);
        let falls = self.signal(time);
        self.zero = time;
        if falls {
            self.tick(time);
        }
    }

    pub fn write_tac(&mut self, value: u8, time: u64, interrupts: &mut Interrupts) {
        self.sync(time, interrupts);
        let before = self.signal(time);
        self.tac = value;
        if before && !self.signal(time) {
            self.tick(time);
        }
    }

    /// A write while the overflow is pending cancels the reload; in the cycles of the reload itself it is lost.
    pub fn write_tima(&mut self, value: u8, time: u64, interrupts: &mut Interrupts) {
        self.sync(time, interrupts);
        if time < self.reloaded + 4 && self.reloaded != 0 {
            return;
        }
        self.reload = NEVER;
        self.tima = value;
    }

    /// In the cycles of the reload TIMA takes the new value as well.
    pub fn write_tma(&mut self, value: u8, time: u64, interrupts: &mut Interrupts) {
        self.sync(time, interrupts);
        self.tma = value;
        if time < self.reloaded + 4 && self.reloaded != 0 {
            self.tima = value;
        }
    }
}
