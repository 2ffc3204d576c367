//! OAM DMA: 160 bytes, one a machine cycle. The bytes are copied when somebody looks; the machine makes sure of that before
//! anything that could change the source or see the destination.

#[derive(Clone, Copy, Debug)]
pub struct Dma {
    /// FF46 as written.
    pub register: u8,
    /// When byte 0 is copied; the engine runs while `next` < 160.
    pub start: u64,
    /// The next byte to be copied; 160 when idle.
    pub next: u16,
    /// The page of the transfer; one that is running meanwhile is the old one.
    pub source: u8,
    /// While a restart waits for its start: the transfer that is still running.
    pub old_source: u8,
    pub old_start: u64,
    pub old_next: u16,
}

impl Default for Dma {
    fn default() -> Self {
        Dma { register: 0, start: 0, next: 160, source: 0, old_source: 0, old_start: 0, old_next: 160 }
    }
}

/// From the write to the copy of the first byte.
const DELAY: u64 = 8;
/// The same if PyBoy has not noticed yet that the transfer before is over.
const RESTART_DELAY: u64 = 8;

impl Dma {
    pub fn write(&mut self, value: u8, time: u64, restart: bool) {
        self.register = value;
        if self.next < 160 && self.start <= time {
            (self.old_source, self.old_start, self.old_next) = (self.source, self.start, self.next);
        }
        self.source = value;
        self.start = time + if restart { RESTART_DELAY } else { DELAY };
        self.next = 0;
    }

    pub fn active(&self) -> bool {
        self.next < 160 || self.old_next < 160
    }

    /// The next byte due by `time`: (source page, index).
    pub fn take(&mut self, time: u64) -> Option<(u8, u16)> {
        if self.old_next < 160 {
            let due = self.old_start + 4 * self.old_next as u64;
            if due >= self.start {
                self.old_next = 160;
            } else if due <= time {
                self.old_next += 1;
                return Some((self.old_source, self.old_next - 1));
            } else {
                return None;
            }
        }
        if self.next < 160 && self.start + 4 * self.next as u64 <= time {
            self.next += 1;
            return Some((self.source, self.next - 1));
        }
        None
    }

    /// Whether OAM is in the engine's hands at `time`: from the first byte to a machine cycle after the last.
    pub fn holds_oam(&self, time: u64) -> bool {
        let holds = |start: u64| start <= time && time < start + 4 * 160;
        self.start != 0 && holds(self.start) || self.old_next < 160 && holds(self.old_start)
    }
}
