//! Times are counts of T-cycles (4,194,304 a second) since power-on.

/// Later than every event.
pub const NEVER: u64 = u64::MAX / 4;

/// The next multiple of four: the CPU does nothing in between.
pub fn machine_cycle(time: u64) -> u64 {
    time.saturating_add(3) & !3
}
