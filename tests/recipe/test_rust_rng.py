"""The generator that Rust translations draw luck with, compiled alone."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import crates
import numpy as np
import pytest
from scipy import stats

from envwright.recipe.targets import cargo
from envwright.recipe.targets.rust.scaffold import TEMPLATE

MANY = 20_000
MASK = 2**64 - 1
ALARM = 1e-6  # how often a sound generator may fail a test here, if its seed were another

MAIN = """
mod rng;
fn main() {
    let mut rng = rng::Rng::new(5, 7);
    let bits: Vec<u64> = (0..100).map(|_| rng.bits()).collect();
    let mut rng = rng::Rng::new(1, 0);
    let many = 20000;
    let integers: Vec<i64> = (0..many).map(|_| rng.integer(-3, 4)).collect();
    let uniform: Vec<f64> = (0..many).map(|_| rng.uniform()).collect();
    let between: Vec<f64> = (0..many).map(|_| rng.between(-2.0, 3.0)).collect();
    let normal: Vec<f64> = (0..many).map(|_| rng.normal()).collect();
    let chance: Vec<i64> = (0..many).map(|_| rng.chance(0.3) as i64).collect();
    let weighted: Vec<usize> = (0..many).map(|_| rng.weighted(&[1.0, 0.0, 3.0])).collect();
    let shuffled: Vec<usize> = (0..many).map(|_| {
        let mut three = [0, 1, 2];
        rng.shuffle(&mut three);
        three[0] * 9 + three[1] * 3 + three[2]
    }).collect();
    let wide: Vec<i64> = (0..many).map(|_| rng.integer(i64::MIN, i64::MAX)).collect();
    println!("{{\\"bits\\": {bits:?}, \\"integers\\": {integers:?},
        \\"uniform\\": {uniform:?}, \\"between\\": {between:?},
        \\"normal\\": {normal:?}, \\"chance\\": {chance:?}, \\"weighted\\": {weighted:?}, \\"shuffled\\": {shuffled:?},
        \\"wide\\": {wide:?}}}");
}
"""


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Many draws of every kind."""
    crates.need_cargo()
    rustc = cargo.find_cargo().with_name("rustc")
    folder = tmp_path_factory.mktemp("rng")
    shutil.copy(TEMPLATE / "src" / "rng.rs", folder)
    Path(folder, "main.rs").write_text(MAIN)
    command = [str(rustc), "-O", "-C", "overflow-checks=on", "--edition=2021", "main.rs"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return json.loads(subprocess.run([folder / "main"], check=True, capture_output=True).stdout)


def test_the_bits_are_those_of_xoshiro(drawn: dict[str, Any]) -> None:
    """Written again in another language, from the description of the algorithm."""

    def mixed(x: int) -> int:
        x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & MASK
        x = (x ^ x >> 27) * 0x94D049BB133111EB & MASK
        return x ^ x >> 31

    def rotated(x: int, by: int) -> int:
        return (x << by | x >> 64 - by) & MASK

    counter = mixed(5) ^ mixed((7 + 0x5851F42D4C957F2D) & MASK)
    s = [mixed((counter + i * 0x9E3779B97F4A7C15) & MASK) for i in (1, 2, 3, 4)]
    expected = []
    for _ in range(100):
        expected.append((rotated((s[0] + s[3]) & MASK, 23) + s[0]) & MASK)
        shifted = s[1] << 17 & MASK
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= shifted
        s[3] = rotated(s[3], 45)
    assert drawn["bits"] == expected


def test_draws_are_distributed_as_they_say(drawn: dict[str, Any]) -> None:
    seen = {name: np.array(values) for name, values in drawn.items()}
    assert stats.kstest(seen["uniform"], "uniform").pvalue > ALARM
    assert stats.kstest(seen["between"], stats.uniform(-2, 5).cdf).pvalue > ALARM
    assert stats.kstest(seen["normal"], "norm").pvalue > ALARM
    assert stats.kstest(seen["wide"] / 2.0**64 + 0.5, "uniform").pvalue > ALARM
    assert set(seen["integers"]) == set(range(-3, 4))
    assert stats.chisquare(np.bincount(seen["integers"] + 3)).pvalue > ALARM
    assert stats.binomtest(int(seen["chance"].sum()), MANY, 0.3).pvalue > ALARM
    assert set(seen["weighted"]) == {0, 2}
    assert stats.binomtest(int((seen["weighted"] == 2).sum()), MANY, 0.75).pvalue > ALARM
    orders, counts = np.unique(seen["shuffled"], return_counts=True)
    assert len(orders) == 6
    assert stats.chisquare(counts).pvalue > ALARM
