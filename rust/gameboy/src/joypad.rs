//! P1. PyBoy works out the four lines when P1 is written and keeps them, so a button pressed later is seen after the next
//! write; hardware shows the lines as they are. Any press requests the interrupt in PyBoy, on hardware only one that pulls a
//! selected line down.

use crate::interrupts::{Interrupts, JOYPAD};

#[derive(Clone, Copy, Debug, Default)]
pub struct Joypad {
    /// Right, left, up, down, A, B, select, start: a set bit is a button held.
    pub held: u8,
    /// P14 and P15 as written; low selects.
    pub select: u8,
    /// What PyBoy shows: 0 until P1 is written, then the lines as they were at that time, the select bits low.
    pub lines: u8,
}

impl Joypad {
    fn current(&self, hardware: bool) -> u8 {
        let directions = if self.select & 0x10 == 0 { self.held & 0xF } else { 0 };
        let buttons = if self.select & 0x20 == 0 { self.held >> 4 } else { 0 };
        if !hardware && self.select & 0x30 == 0 {
            return 0xF;
        }
        !(directions | buttons) & 0xF
    }

    pub fn read(&self, hardware: bool) -> u8 {
        if hardware { 0xC0 | self.select | self.current(true) } else { self.lines }
    }

    pub fn write(&mut self, value: u8, hardware: bool, interrupts: &mut Interrupts) {
        let before = self.current(true);
        self.select = value & 0x30;
        self.lines = 0xC0 | self.current(hardware);
        if hardware && before & !self.current(true) != 0 {
            interrupts.request(JOYPAD);
        }
    }

    pub fn hold(&mut self, held: u8, hardware: bool, interrupts: &mut Interrupts) {
        let before = self.current(true);
        let pressed = held & !self.held;
        self.held = held;
        let low = before & !self.current(true);
        if if hardware { low != 0 } else { pressed != 0 } {
            interrupts.request(JOYPAD);
        }
    }
}
