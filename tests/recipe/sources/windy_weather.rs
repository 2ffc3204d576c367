//! The wind, and what it does to a torch.

pub const SIZE: i64 = 5;

/// A strong gust blows a place to the east, a weak one to the west.
pub fn drifted(col: i64, gust: i64) -> i64 {
    match gust {
        2 => (col + 1).min(SIZE - 1),
        0 => (col - 1).max(0),
        _ => col,
    }
}

/// The stronger the gust, the faster the torch burns down.
pub fn burnt(light: f64, gust: i64) -> f64 {
    light * 0.9 - 0.01 * gust as f64
}
