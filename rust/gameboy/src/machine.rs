//! One Game Boy: the loop that lets the CPU run from one event to the next.

use crate::bus::{Devices, Wired};
use crate::cartridge::Rom;
use crate::cpu::{Bus, Cpu};
use crate::idle::REACH;
use crate::time::machine_cycle;

/// What all environments of a batch share.
pub struct Program {
    pub rom: Rom,
    /// The ROM with the boot ROM over its first 256 bytes.
    pub booting: Option<Box<[u8]>>,
    pub hardware: bool,
    /// Whether loops that wait are skipped.
    pub skip_idle: bool,
}

impl Program {
    pub fn new(rom: Rom, boot: Option<&[u8; 0x100]>, hardware: bool, skip_idle: bool) -> Program {
        let booting = boot.map(|boot| {
            let mut bytes = rom.bytes.clone();
            bytes[..0x100].copy_from_slice(boot);
            bytes
        });
        Program { rom, booting, hardware, skip_idle }
    }

    fn bytes(&self, booting: bool) -> &[u8] {
        match &self.booting {
            Some(bytes) if booting => bytes,
            _ => &self.rom.bytes,
        }
    }
}

#[derive(Clone)]
pub struct Machine {
    pub cpu: Cpu,
    pub ticks: u64,
    pub devices: Devices,
}

impl Machine {
    /// Power-on, at the start of the boot ROM if there is one, else where PyBoy's boot ROM leaves off.
    pub fn new(program: &Program) -> Machine {
        let devices = Devices::new(&program.rom, program.hardware);
        let mut machine = Machine { cpu: Cpu::default(), ticks: 0, devices };
        if program.booting.is_some() {
            machine.devices.booting = true;
        } else {
            machine.after_boot();
        }
        machine
    }

    /// Presses and releases buttons, then runs until the tick ends.
    pub fn tick(&mut self, program: &Program, held: u8, draw: bool) {
        let devices = &mut self.devices;
        devices.joypad.hold(held, program.hardware, &mut devices.interrupts);
        devices.idle.disturb();
        devices.deadline = 0;
        devices.ppu.draw = draw;
        while !self.advance(program, u64::MAX) {}
        self.ticks += 1;
        self.devices.settle(program.bytes(self.devices.booting));
    }

    /// Presses and releases buttons, as `tick` does before it runs.
    pub fn hold(&mut self, program: &Program, held: u8) {
        let devices = &mut self.devices;
        devices.joypad.hold(held, program.hardware, &mut devices.interrupts);
        devices.idle.disturb();
    }

    /// One instruction, dispatch or stretch of HALT; true if the tick ended with it.
    pub fn step_instruction(&mut self, program: &Program) -> bool {
        self.devices.idle.disturb();
        let done = self.advance(program, 1);
        self.ticks += done as u64;
        done
    }

    /// Runs to the next event, or for so many instructions. True at the end of a tick.
    fn advance(&mut self, program: &Program, instructions: u64) -> bool {
        let bytes = program.bytes(self.devices.booting);
        let Machine { cpu, devices, .. } = self;
        if devices.now >= devices.deadline {
            devices.boundary(bytes);
        }
        if devices.ppu.frame_done {
            devices.ppu.frame_done = false;
            return true;
        }
        let pending = devices.interrupts.pending() != 0;
        if cpu.halted && pending {
            cpu.halted = false;
            cpu.pc = cpu.pc.wrapping_sub((cpu.halted_by_ei && cpu.ime) as u16);
        }
        if cpu.locked || cpu.halted {
            let until = machine_cycle(devices.deadline).max(devices.now + 4);
            devices.previous = until - 4;
            devices.now = until;
            return false;
        }
        if pending && cpu.ime {
            devices.previous = devices.now;
            let mut wired = Wired { devices, rom: &program.rom, bytes };
            let cycles = cpu.dispatch(&mut wired);
            devices.now += cycles;
            devices.deadline = 0;
            devices.idle.disturb();
            return false;
        }
        let mut wired = Wired { devices, rom: &program.rom, bytes };
        if instructions == 1 || !program.skip_idle {
            for _ in 0..instructions {
                wired.instruction(cpu);
                if wired.devices.now >= wired.devices.deadline {
                    break;
                }
            }
        } else {
            wired.run(cpu);
        }
        false
    }
}

impl Wired<'_> {
    #[inline(always)]
    fn instruction(&mut self, cpu: &mut Cpu) {
        let cycles = cpu.execute(self);
        self.devices.previous = self.devices.now;
        self.devices.now += cycles;
    }

    /// Instructions until the deadline, skipping rounds of loops that wait.
    fn run(&mut self, cpu: &mut Cpu) {
        loop {
            let before = cpu.pc;
            self.instruction(cpu);
            let devices = &mut *self.devices;
            if devices.now >= devices.deadline {
                return;
            }
            if before.wrapping_sub(cpu.pc) < REACH {
                let skipped = devices.idle.arrive(cpu.pc, cpu.r, cpu.sp, devices.now, devices.deadline);
                devices.now += skipped;
                devices.previous += skipped;
                if devices.now >= devices.deadline {
                    return;
                }
            }
        }
    }
}

/// Looking and changing from outside, between instructions.
impl Machine {
    /// Becomes a copy of a machine with the same ROM.
    pub fn copy_from(&mut self, other: &Machine) {
        self.cpu = other.cpu;
        self.ticks = other.ticks;
        self.devices.copy_from(&other.devices);
    }

    /// What the CPU would read, without side effects and with VRAM and OAM open; or a byte of a bank.
    pub fn peek(&self, program: &Program, bank: Option<u16>, address: u16) -> u8 {
        let devices = &self.devices;
        match bank {
            Some(bank) => program.banked(devices, bank, address),
            None => devices.peek(program.bytes(devices.booting), address),
        }
    }

    /// A write as the CPU would do it; or into a bank of cartridge RAM.
    pub fn poke(&mut self, program: &Program, bank: Option<u16>, address: u16, value: u8) {
        let devices = &mut self.devices;
        let bytes = program.bytes(devices.booting);
        if let (Some(bank), 0xA000..0xC000) = (bank, address) {
            if let Some(cell) = devices.ram.get_mut(bank as usize * 0x2000 + (address as usize & 0x1FFF)) {
                *cell = value;
            }
        } else {
            Wired { devices, rom: &program.rom, bytes }.write(address, value, 0);
        }
        devices.idle.disturb();
        devices.settle(bytes);
    }
}

impl Program {
    fn banked(&self, devices: &Devices, bank: u16, address: u16) -> u8 {
        let (memory, size): (&[u8], usize) = match address {
            0x0000..0x8000 => (&self.rom.bytes, 0x4000),
            0xA000..0xC000 => (&devices.ram, 0x2000),
            _ => return devices.peek(self.bytes(devices.booting), address),
        };
        memory.get(bank as usize * size + (address as usize & (size - 1))).copied().unwrap_or(0xFF)
    }
}
