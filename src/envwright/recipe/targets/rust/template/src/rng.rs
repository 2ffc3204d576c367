//! Luck: xoshiro256++, filled from a seed by SplitMix64. The same seed gives the same luck on every machine.

/// A generator of random numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Rng {
    state: [u64; 4],
}

#[allow(dead_code)]
impl Rng {
    /// A generator of its own for every seed and every purpose.
    pub fn new(seed: u64, purpose: u64) -> Self {
        let mut counter = mixed(seed) ^ mixed(purpose.wrapping_add(0x5851_f42d_4c95_7f2d));
        Rng {
            state: std::array::from_fn(|_| {
                counter = counter.wrapping_add(0x9e37_79b9_7f4a_7c15);
                mixed(counter)
            }),
        }
    }

    /// What is left of it, to be saved.
    pub fn state(&self) -> [u64; 4] {
        self.state
    }

    /// A generator that goes on where another was saved.
    pub fn from_state(state: [u64; 4]) -> Self {
        Rng { state }
    }

    /// 64 random bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        let [a, b, c, d] = self.state;
        let result = a.wrapping_add(d).rotate_left(23).wrapping_add(a);
        let (c, d) = (c ^ a, d ^ b);
        self.state = [a ^ d, b ^ c, c ^ (b << 17), d.rotate_left(45)];
        result
    }

    /// A whole number from `low` up to but not including `high`, all equally likely.
    #[inline]
    pub fn integer(&mut self, low: i64, high: i64) -> i64 {
        assert!(low < high, "there is no whole number from {low} up to but not including {high}");
        let many = high.wrapping_sub(low) as u64;
        loop {
            let wide = u128::from(self.bits()) * u128::from(many);
            let rest = wide as u64;
            // The few draws that would make some numbers likelier than others are made again; dividing is slow, so
            // it is only done where it may matter.
            if rest >= many || rest >= many.wrapping_neg() % many {
                return low.wrapping_add((wide >> 64) as i64);
            }
        }
    }

    /// A number from 0 up to but not including 1.
    #[inline]
    pub fn uniform(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A number from `low` up to but not including `high`.
    #[inline]
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.uniform()
    }

    /// True with this probability.
    #[inline]
    pub fn chance(&mut self, probability: f64) -> bool {
        self.uniform() < probability
    }

    /// A number from the standard normal distribution (Box and Muller's way).
    pub fn normal(&mut self) -> f64 {
        let away = (-2.0 * (1.0 - self.uniform()).ln()).sqrt();
        away * (std::f64::consts::TAU * self.uniform()).cos()
    }

    /// An index, each as likely as its weight.
    pub fn weighted(&mut self, weights: &[f64]) -> usize {
        let mut left = self.uniform() * weights.iter().sum::<f64>();
        for (index, weight) in weights.iter().enumerate() {
            left -= weight;
            if left < 0.0 {
                return index;
            }
        }
        // Rounding may leave a little over; it belongs to the last index that can be drawn at all.
        weights.iter().rposition(|weight| *weight > 0.0).expect("a weight above 0")
    }

    /// All orders equally likely.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.integer(0, last as i64 + 1) as usize);
        }
    }
}

fn mixed(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}
