//! Prints the chips when a boot ROM jumps to 0x100: the source of the numbers in `start.rs`.
//! `cargo run --release --example after_boot -- BOOT ROM`

use envwright_gameboy::cartridge::Rom;
use envwright_gameboy::machine::{Machine, Program};

fn main() {
    let mut arguments = std::env::args().skip(1).map(|path| std::fs::read(path).expect("the file can be read"));
    let boot = arguments.next().expect("a boot ROM");
    let rom = Rom::parse(&arguments.next().expect("a ROM")).expect("a valid ROM");
    let program = Program::new(rom, Some(boot[..].try_into().expect("256 bytes")), false, false);
    let mut machine = Machine::new(&program);
    while machine.cpu.pc != 0x100 {
        machine.step_instruction(&program);
    }
    let d = &mut machine.devices;
    d.settle(&program.rom.bytes);
    println!(
        "ticks {} now {} previous {}\n{:?}\n{:?}\n{:?}",
        machine.ticks, d.now, d.previous, machine.cpu, d.interrupts, d.timer
    );
    println!("{:?}\n{:?}\n{:?}\n{:?}\n{:?}", d.ppu, d.apu, d.joypad, d.serial, d.dma);
    println!("HRAM {:?}", d.hram.iter().enumerate().filter(|(_, b)| **b != 0).collect::<Vec<_>>());
    println!("OAM {} WRAM {}", d.oam.iter().filter(|b| **b != 0).count(), d.wram.iter().filter(|b| **b != 0).count());
}
