//! The machine as PyBoy's boot ROM leaves it at 0x100, as seen from outside. What the boot ROM has drawn is not here: a game
//! that shows VRAM without clearing it first looks different.

use crate::interrupts::VBLANK;
use crate::machine::Machine;
use crate::ppu::Event;

/// The cycle in which the first instruction of the cartridge begins, in the 65th tick.
const CYCLE: u64 = 4_507_360;
const TICKS: u64 = 64;

/// NR10 to NR51 after the boot ROM's tune.
const SOUND: [(usize, u8); 7] =
    [(0x00, 0x13), (0x01, 0x80), (0x02, 0xF3), (0x03, 0x70), (0x04, 0x87), (0x14, 0x77), (0x15, 0xF3)];

impl Machine {
    pub fn after_boot(&mut self) {
        self.cpu.r = [0x00, 0x13, 0x00, 0x8F, 0x00, 0x87, 0xD0, 0x01];
        self.cpu.sp = 0xFFFE;
        self.cpu.pc = 0x100;
        self.ticks = TICKS;
        let d = &mut self.devices;
        (d.now, d.previous) = (CYCLE, CYCLE - 12);
        d.interrupts.requested = VBLANK;
        d.timer.counted = CYCLE;
        d.hram[0x7C] = 0xB1;

        d.ppu.lcdc = 0x91;
        d.ppu.ly = 145;
        d.ppu.mode = 1;
        d.ppu.equal = false;
        d.ppu.event = Event::VBlankLine;
        d.ppu.base = CYCLE - 66_232;
        d.ppu.next = CYCLE + 344;

        d.apu.on = true;
        for (register, value) in SOUND {
            d.apu.registers[register] = value;
        }
        d.apu.length[0] = 64;
        d.apu.step = 2;
        d.apu.counted = CYCLE;
        d.apu.sweep_enabled = true;
        d.apu.sweep_timer = 1;
        d.apu.sweep_frequency = 0x770;
    }
}
