//! The shortcuts (idle loops, HALT, a lazy PPU) change nothing: machines with and without them agree tick for tick, drawn or
//! not, saved and loaded in between or not.

use envwright_gameboy::cartridge::Rom;
use envwright_gameboy::machine::{Machine, Program};

/// xorshift64*: enough to scatter bytes.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 16
    }
    fn below(&mut self, end: u64) -> usize {
        (self.next() % end) as usize
    }
    fn pick(&mut self, from: &[u8]) -> u8 {
        from[self.below(from.len() as u64)]
    }
}

/// A program of loops that wait: for LY, STAT, memory, an interrupt, or a count; with registers written in between.
fn waiting_program(random: &mut Random) -> Vec<u8> {
    let mut code = vec![0x31, 0xFE, 0xDF, 0x3E, random.pick(&[0, 1, 3, 7, 31]), 0xE0, 0xFF, random.pick(&[0xF3, 0xFB])];
    while code.len() < 0x600 {
        let value = random.next() as u8;
        match random.below(12) {
            0 => code.extend([0xF0, 0x44, 0xFE, value % 154, 0x20, 0xFA]),
            1 => code.extend([0xF0, 0x41, 0xE6, 0x03, 0xFE, value % 4, 0x20, 0xF8]),
            2 => code.extend([0x76, 0x00]),
            3 => code.extend([0x06, value, 0x05, 0x20, 0xFD]),
            4 => code.extend([0x3E, value, 0xE0, random.pick(&[0x41, 0x42, 0x43, 0x45, 0x47, 0x4A, 0x4B, 0x05, 0x06])]),
            5 => code.extend([0x3E, value & 7, 0xE0, 0x07]),
            6 => code.extend([0x3E, value | 0x80, 0xE0, 0x40]),
            7 => code.extend([0x3E, 0xC1, 0xE0, 0x46]),
            8 => code.extend([0xFA, value, 0xC1, 0x3C, 0xEA, value, 0xC1]),
            9 => code.extend([0x21, value, 0x98, 0x77]),
            10 => code.extend([0x21, 0x80, 0xC0, 0x34, 0x7E, 0xA7, 0x20, 0xFB]),
            _ => code.extend([0x3E, 0x81, 0xE0, 0x02, 0xFB]),
        }
    }
    code.extend([0xC3, 0x50, 0x01]);
    code
}

fn rom(random: &mut Random) -> Vec<u8> {
    let mut rom = vec![0; 0x8000];
    for vector in [0x40, 0x48, 0x50, 0x58, 0x60] {
        // Counts in 0xC080, so that loops that wait for it go on.
        rom[vector..vector + 8].copy_from_slice(&[0xF5, 0x3E, 0x01, 0xEA, 0x80, 0xC0, 0xF1, 0xD9]);
    }
    rom[0x100..0x104].copy_from_slice(&[0x00, 0xC3, 0x50, 0x01]);
    let code = waiting_program(random);
    rom[0x150..0x150 + code.len()].copy_from_slice(&code);
    rom
}

#[test]
fn shortcuts_change_nothing() {
    for seed in 1..=60 {
        let mut random = Random(seed * 0x9E37_79B9_7F4A_7C15);
        let file = rom(&mut random);
        let hardware = seed % 4 == 0;
        let program = |skip| Program::new(Rom::parse(&file).unwrap(), None, hardware, skip);
        let (fast, slow) = (program(true), program(false));
        let (mut a, mut b, mut c) = (Machine::new(&fast), Machine::new(&slow), Machine::new(&fast));
        for tick in 0..40 {
            let buttons = random.next() as u8 & random.next() as u8;
            a.tick(&fast, buttons, tick % 3 == 0);
            b.tick(&slow, buttons, tick % 3 == 0);
            c.tick(&fast, buttons, tick % 3 == 0);
            assert!(a.save(&fast) == b.save(&slow), "seed {seed}, tick {tick}: with and without shortcuts");
            assert!(a.save(&fast) == c.save(&fast), "seed {seed}, tick {tick}: saved and loaded");
            c = Machine::load(&fast, &c.save(&fast)).unwrap_or_else(|error| panic!("seed {seed}, tick {tick}: {error}"));
        }
    }
}

#[test]
fn drawing_changes_nothing_else() {
    for seed in 1..=30 {
        let mut random = Random(seed * 0x9E37_79B9_7F4A_7C15);
        let program = Program::new(Rom::parse(&rom(&mut random)).unwrap(), None, false, true);
        let (mut drawn, mut blind) = (Machine::new(&program), Machine::new(&program));
        for tick in 0..40 {
            drawn.tick(&program, 0, true);
            blind.tick(&program, 0, tick == 39);
            assert_eq!(drawn.cpu, blind.cpu, "seed {seed}, tick {tick}");
            assert_eq!(
                (drawn.devices.now, drawn.devices.wram),
                (blind.devices.now, blind.devices.wram),
                "seed {seed}, tick {tick}"
            );
        }
    }
}
