//! Loops that wait. When a backward jump arrives at the same place twice with the same registers, nothing was written in
//! between and nothing was read that changes by itself before time `until`, then every further round is the same: the machine
//! is at a fixed point until the next event, and whole rounds can be skipped.

/// A loop longer than this, in bytes between the jump and its target, is not looked at.
pub const REACH: u16 = 64;

#[derive(Clone, Copy, Debug, Default)]
pub struct Idle {
    /// Where the last backward jump went, and the state there.
    target: u16,
    registers: [u8; 8],
    sp: u16,
    time: u64,
    /// Set bits: memory changed since, or something was read whose value depends on time in a way that is not followed.
    pub changed: u8,
    /// Until when the values that were read since stay as they are.
    pub until: u64,
}

impl Idle {
    /// A backward jump to `target` was taken; `now` is the time there. Returns how many cycles can be skipped.
    #[inline(always)]
    pub fn arrive(&mut self, target: u16, registers: [u8; 8], sp: u16, now: u64, deadline: u64) -> u64 {
        let same = self.target == target && self.changed == 0 && self.registers == registers && self.sp == sp;
        let (time, until) = (self.time, self.until);
        *self = Idle { target, registers, sp, time: now, changed: 0, until: u64::MAX };
        if !same {
            return 0;
        }
        let round = now - time;
        let end = until.min(deadline);
        if round == 0 || end <= now {
            return 0;
        }
        let skipped = (end - now) / round * round;
        self.time += skipped;
        skipped
    }

    /// Something the CPU did not do may have changed memory or registers.
    pub fn disturb(&mut self) {
        self.changed = 1;
    }
}
