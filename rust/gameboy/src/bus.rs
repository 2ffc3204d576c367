//! The wiring: which address is which chip, and bringing a chip up to date before somebody looks at it or changes it.

use crate::apu::Apu;
use crate::cartridge::Rom;
use crate::cpu::Bus;
use crate::dma::Dma;
use crate::idle::Idle;
use crate::interrupts::Interrupts;
use crate::joypad::Joypad;
use crate::mapper::Banks;
use crate::ppu::{Memory, Ppu};
use crate::render::{BLANK, Screen};
use crate::serial::Serial;
use crate::timer::Timer;

/// Bits of LCDC: the LCD, the window and the background are on.
const SHOWN: u8 = 0xA1;

/// The accesses that PyBoy holds up see the PPU a machine cycle later than others do.
const HELD_LATER: u64 = 4;

/// Everything but the CPU.
#[derive(Clone)]
pub struct Devices {
    /// The start of the instruction being executed, and of the one before.
    pub now: u64,
    pub previous: u64,
    /// The CPU runs without looking left or right until then; 0 makes it stop after this instruction.
    pub deadline: u64,
    pub interrupts: Interrupts,
    pub idle: Idle,
    pub ppu: Ppu,
    pub timer: Timer,
    pub dma: Dma,
    pub banks: Banks,
    pub joypad: Joypad,
    pub serial: Serial,
    pub apu: Apu,
    /// The boot ROM covers the first 256 bytes.
    pub booting: bool,
    pub hardware: bool,
    pub hram: [u8; 0x80],
    /// OAM, and the 96 bytes after it, which PyBoy has as RAM.
    pub oam: [u8; 0x100],
    pub wram: [u8; 0x2000],
    pub vram: [u8; 0x2000],
    pub screen: Screen,
    pub ram: Vec<u8>,
}

/// The devices and the ROM, as the CPU sees them during a run.
pub struct Wired<'a> {
    pub devices: &'a mut Devices,
    pub rom: &'a Rom,
    /// The ROM's bytes, with the boot ROM over them while it is there.
    pub bytes: &'a [u8],
}

impl Devices {
    pub fn new(rom: &Rom, hardware: bool) -> Devices {
        Devices {
            now: 0,
            previous: 0,
            deadline: 0,
            interrupts: Interrupts::default(),
            idle: Idle::default(),
            ppu: Ppu::new(hardware),
            timer: Timer::default(),
            dma: Dma::default(),
            banks: Banks::new(rom),
            joypad: Joypad::default(),
            serial: Serial::default(),
            apu: Apu::default(),
            booting: false,
            hardware,
            hram: [0; 0x80],
            oam: [0; 0x100],
            wram: [0; 0x2000],
            vram: [0; 0x2000],
            screen: BLANK,
            ram: vec![0; rom.ram_bytes],
        }
    }

    /// Copies field by field, in place: no temporary, no allocation.
    pub fn copy_from(&mut self, other: &Devices) {
        let Devices { now, previous, deadline, interrupts, idle, ppu, timer, dma, banks, joypad, serial, apu, .. } = *other;
        (self.now, self.previous, self.deadline) = (now, previous, deadline);
        (self.interrupts, self.idle, self.ppu, self.timer) = (interrupts, idle, ppu, timer);
        (self.dma, self.banks, self.joypad, self.serial) = (dma, banks, joypad, serial);
        self.apu = apu;
        (self.booting, self.hardware) = (other.booting, other.hardware);
        self.hram = other.hram;
        self.oam = other.oam;
        self.wram = other.wram;
        self.vram = other.vram;
        self.screen = other.screen;
        self.ram.clone_from(&other.ram);
    }

    /// PPU, memory it reads, interrupts it requests.
    fn split(&mut self) -> (&mut Ppu, &mut Interrupts, Memory<'_>) {
        let memory = Memory { vram: &self.vram, oam: &self.oam, screen: &mut self.screen };
        (&mut self.ppu, &mut self.interrupts, memory)
    }

    /// A byte of memory without side effects, the PPU's holds and I/O: what OAM DMA copies.
    fn source(&self, bytes: &[u8], address: u16) -> u8 {
        match address {
            0x0000..0x8000 => self.rom_byte(bytes, address),
            0x8000..0xA000 => self.vram[address as usize & 0x1FFF],
            0xA000..0xC000 => self.banks.read_ram(&self.ram, address),
            _ => self.wram[address as usize & 0x1FFF],
        }
    }

    #[inline(always)]
    fn rom_byte(&self, bytes: &[u8], address: u16) -> u8 {
        let base = if address < 0x4000 { self.banks.rom0 } else { self.banks.romx };
        bytes.get(base as usize + (address as usize & 0x3FFF)).copied().unwrap_or(0xFF)
    }

    /// Copies the bytes of OAM DMA that are due by `time`. As in PyBoy this happens at stops and when the CPU looks at OAM, so
    /// that a change of the source in between is copied too, even if the byte was due before.
    pub fn sync_dma(&mut self, bytes: &[u8], time: u64) {
        while let Some((page, index)) = self.dma.take(time) {
            let value = self.source(bytes, (page as u16) << 8 | index);
            self.oam[index as usize] = value;
            self.idle.disturb();
        }
    }

    /// The PPU as it is at this instruction's boundary.
    fn ppu_at_boundary(&mut self) {
        if self.ppu.next > self.now {
            return;
        }
        let (now, previous) = (self.now, self.previous);
        let (ppu, interrupts, mut memory) = self.split();
        ppu.sync_boundary(now, previous, interrupts, &mut memory);
    }

    /// The PPU as a read `at` cycles into the instruction finds it.
    fn ppu_at_access(&mut self, at: u64) {
        self.ppu_at_boundary();
        if at > 0 && self.ppu.next <= self.now + at {
            let (ppu, interrupts, mut memory) = self.split();
            ppu.step(interrupts, &mut memory);
        }
        self.idle.until = self.idle.until.min(self.ppu.next);
    }

    /// All that is due at an instruction boundary; then the time of the next stop.
    pub fn boundary(&mut self, bytes: &[u8]) {
        let now = self.now;
        self.serial.sync(now, &mut self.interrupts);
        if self.timer.next_event() <= now {
            self.timer.sync(now, &mut self.interrupts);
        }
        let mut stop = self.ppu.next_stop();
        if self.dma.active() {
            self.sync_dma(bytes, now);
            stop = self.ppu.next;
        }
        if stop <= now {
            self.ppu_at_boundary();
        }
        stop = if self.dma.active() { self.ppu.next } else { self.ppu.next_stop() };
        self.deadline = self.timer.next_event().min(self.serial.done).min(stop);
    }

    /// Brings everything that is lazy up to this boundary: before it is looked at from outside.
    pub fn settle(&mut self, bytes: &[u8]) {
        self.ppu_at_boundary();
        self.sync_dma(bytes, self.now);
        self.timer.sync(self.now, &mut self.interrupts);
        self.apu.sync(self.now, self.timer.zero);
    }

    /// What the CPU would read, when everything is settled: no side effects, VRAM and OAM open.
    pub fn peek(&self, bytes: &[u8], address: u16) -> u8 {
        match address {
            0xFE00..0xFF00 if self.dma.holds_oam(self.now) => 0xFF,
            0xFE00..0xFF00 => self.oam[address as usize & 0xFF],
            0xFF04 => (self.timer.counter(self.now) >> 8) as u8,
            0xFF05 => self.timer.tima,
            0xFF10..0xFF40 => self.apu.read(address, self.now),
            0xFF41 => self.ppu.read_stat(),
            0xFF44 => self.ppu.ly,
            0xFF80..=0xFFFE => self.hram[address as usize & 0x7F],
            0xFF00.. => self.plain_register(address),
            _ => self.source(bytes, address),
        }
    }

    /// Registers that do not depend on the time.
    fn plain_register(&self, address: u16) -> u8 {
        match address & 0xFF {
            0x00 => self.joypad.read(self.hardware),
            0x01 => self.serial.sb,
            0x02 => self.serial.read_sc(),
            0x06 => self.timer.tma,
            0x07 => self.timer.tac | 0xF8,
            0x0F => self.interrupts.flags(),
            0x40 => self.ppu.lcdc,
            0x42 => self.ppu.scy,
            0x43 => self.ppu.scx,
            0x45 => self.ppu.lyc,
            0x46 => self.dma.register,
            0x47 => self.ppu.bgp,
            0x48 => self.ppu.obp0,
            0x49 => self.ppu.obp1,
            0x4A => self.ppu.wy,
            0x4B => self.ppu.wx,
            0xFF => self.interrupts.enabled,
            _ => 0xFF,
        }
    }

    /// A read of I/O registers, 0xFF00-0xFF7F and 0xFFFF.
    fn read_io(&mut self, address: u16, at: u64) -> u8 {
        let time = self.now + at;
        match address & 0xFF {
            0x04 => {
                self.idle.disturb();
                (self.timer.counter(time) >> 8) as u8
            }
            0x05 => {
                self.idle.disturb();
                self.timer.sync(time, &mut self.interrupts);
                self.timer.tima
            }
            0x10..=0x3F => {
                self.idle.disturb();
                self.apu.sync(time, self.timer.zero);
                self.apu.read(address, time)
            }
            0x41 => {
                self.ppu_at_access(at);
                self.ppu.read_stat()
            }
            0x44 => {
                self.ppu_at_access(at);
                self.ppu.ly
            }
            0x80..0xFF => self.hram[address as usize & 0x7F],
            _ => self.plain_register(address),
        }
    }

    fn write_io(&mut self, bytes: &[u8], address: u16, value: u8, at: u64) {
        let time = self.now + at;
        self.idle.disturb();
        self.deadline = 0;
        match address & 0xFF {
            0x00 => self.joypad.write(value, self.hardware, &mut self.interrupts),
            // What is written is sent away; PyBoy shows the ones of the open cable at once.
            0x01 if self.hardware => self.serial.sb = value,
            0x02 => self.serial.write_sc(value, self.now, self.hardware),
            0x04 => {
                self.apu.reset_div(time, self.timer.zero);
                self.timer.write_div(time, &mut self.interrupts);
            }
            0x05 => self.timer.write_tima(value, time, &mut self.interrupts),
            0x06 => self.timer.write_tma(value, time, &mut self.interrupts),
            0x07 => self.timer.write_tac(value & 7, time, &mut self.interrupts),
            0x0F => self.interrupts.requested = value & 0x1F,
            0x10..=0x3F => {
                self.apu.sync(time, self.timer.zero);
                self.apu.write(address, value, time);
            }
            0x40..=0x4B => self.write_ppu(bytes, address, value, at),
            0x50 => self.booting &= value & 1 == 0,
            _ => {}
        }
    }

    fn write_ppu(&mut self, bytes: &[u8], address: u16, value: u8, at: u64) {
        let time = self.now + at;
        if address == 0xFF40 && self.ppu.on() && value & 0x80 != 0 {
            // A line that is due in the cycles of this very write takes the new tile and map addresses, but not what is shown.
            self.ppu_at_boundary();
            self.ppu.lcdc = self.ppu.lcdc & SHOWN | value & !SHOWN;
        }
        self.ppu_at_access(at);
        match address & 0xFF {
            0x40 => self.ppu.write_lcdc(value, time, &mut self.interrupts, &mut self.screen),
            0x41 => self.ppu.write_stat(value, &mut self.interrupts),
            0x42 => self.ppu.scy = value,
            0x43 => self.ppu.scx = value,
            0x45 => self.ppu.write_lyc(value, &mut self.interrupts),
            0x46 => {
                let restart = self.dma.active();
                self.sync_dma(bytes, time);
                self.dma.write(value, time, restart);
            }
            0x47 => self.ppu.bgp = value,
            0x48 => self.ppu.obp0 = value,
            0x49 => self.ppu.obp1 = value,
            0x4A => self.ppu.wy = value,
            0x4B => self.ppu.wx = value,
            _ => {}
        }
    }

    fn read_oam(&mut self, bytes: &[u8], address: u16, at: u64) -> u8 {
        self.idle.disturb();
        self.sync_dma(bytes, self.now + at);
        if self.dma.holds_oam(self.now + at) {
            return 0xFF;
        }
        self.oam[address as usize & 0xFF]
    }

    fn write_oam(&mut self, bytes: &[u8], address: u16, value: u8, at: u64) {
        self.ppu_at_boundary();
        self.sync_dma(bytes, self.now + at);
        if self.dma.holds_oam(self.now + at) {
            return;
        }
        let cell = &mut self.oam[address as usize & 0xFF];
        self.idle.changed |= *cell ^ value;
        *cell = value;
    }

    /// Whether the PPU keeps the CPU from this address now.
    fn held(&mut self, address: u16, at: u64, write: bool) -> bool {
        let vram = matches!(address, 0x8000..0xA000);
        if !vram && !matches!(address, 0xFE00..0xFEA0) {
            return false;
        }
        self.idle.disturb();
        let at = at + HELD_LATER;
        self.ppu_at_access(at);
        let time = self.now + at;
        if vram { self.ppu.holds_vram(time, write) } else { self.ppu.holds_oam(time, write) }
    }
}

impl Wired<'_> {
    /// Everything that is not ROM, VRAM or WRAM.
    #[inline(never)]
    fn read_high(&mut self, address: u16, at: u64) -> u8 {
        match address {
            0xA000..0xC000 => self.devices.read_cartridge(address, at),
            0xFE00..0xFF00 => self.devices.read_oam(self.bytes, address, at),
            _ => self.devices.read_io(address, at),
        }
    }

    #[inline(never)]
    fn write_high(&mut self, address: u16, value: u8, at: u64) {
        match address {
            0x0000..0x8000 => {
                self.devices.write_mapper(self.rom, address, value, at);
            }
            0xA000..0xC000 => {
                self.devices.write_cartridge(address, value, at);
            }
            0xFE00..0xFF00 => self.devices.write_oam(self.bytes, address, value, at),
            0xFFFF => {
                self.devices.interrupts.enabled = value;
                self.devices.idle.disturb();
                self.devices.deadline = 0;
            }
            _ => self.devices.write_io(self.bytes, address, value, at),
        }
    }
}

impl Devices {
    fn read_cartridge(&mut self, address: u16, at: u64) -> u8 {
        if let crate::mapper::Window::Clock(_) = self.banks.window {
            self.idle.disturb();
            self.sync_clock(at);
        }
        self.banks.read_ram(&self.ram, address)
    }

    fn write_cartridge(&mut self, address: u16, value: u8, at: u64) {
        self.sync_clock(at);
        if self.banks.write_ram(&mut self.ram, address, value) {
            self.idle.disturb();
        }
    }

    fn write_mapper(&mut self, rom: &Rom, address: u16, value: u8, at: u64) {
        self.idle.disturb();
        self.deadline = 0;
        self.sync_clock(at);
        self.banks.write(rom, address, value);
    }

    /// The clock of the cartridge runs only where PyBoy need not be followed.
    fn sync_clock(&mut self, at: u64) {
        if self.hardware {
            self.banks.clock.sync(self.now + at);
        }
    }
}

impl Bus for Wired<'_> {
    #[inline(always)]
    fn fetch(&mut self, address: u16, at: u64) -> u8 {
        match address {
            0x0000..0x8000 => self.devices.rom_byte(self.bytes, address),
            0xC000..0xFE00 => self.devices.wram[address as usize & 0x1FFF],
            0xFF80..=0xFFFE => self.devices.hram[address as usize & 0x7F],
            0x8000..0xA000 => self.devices.vram[address as usize & 0x1FFF],
            _ => self.read_high(address, at),
        }
    }

    #[inline(always)]
    fn read(&mut self, address: u16, at: u64) -> u8 {
        match address {
            0x0000..0x8000 => self.devices.rom_byte(self.bytes, address),
            0x8000..0xA000 => self.devices.vram[address as usize & 0x1FFF],
            0xC000..0xFE00 => self.devices.wram[address as usize & 0x1FFF],
            0xFF80..=0xFFFE => self.devices.hram[address as usize & 0x7F],
            _ => self.read_high(address, at),
        }
    }

    #[inline(always)]
    fn write(&mut self, address: u16, value: u8, at: u64) {
        let devices = &mut *self.devices;
        let cell = match address {
            0xC000..0xFE00 => &mut devices.wram[address as usize & 0x1FFF],
            0xFF80..=0xFFFE => &mut devices.hram[address as usize & 0x7F],
            0x8000..0xA000 => {
                // Lines that are due are drawn from what is there now.
                if devices.ppu.draw && devices.ppu.next <= devices.now {
                    devices.ppu_at_boundary();
                }
                &mut devices.vram[address as usize & 0x1FFF]
            }
            _ => return self.write_high(address, value, at),
        };
        devices.idle.changed |= *cell ^ value;
        *cell = value;
    }

    fn read_held(&mut self, address: u16, at: u64) -> u8 {
        let at = if matches!(address, 0xFF40..=0xFF4B) { at + HELD_LATER } else { at };
        if self.devices.held(address, at, false) { 0xFF } else { self.read(address, at) }
    }

    fn write_held(&mut self, address: u16, value: u8, at: u64) {
        if !self.devices.held(address, at, true) {
            self.write(address, value, at);
        }
    }

    #[inline(always)]
    fn pending(&self) -> u8 {
        self.devices.interrupts.pending()
    }

    fn acknowledge(&mut self, bit: u8) {
        self.devices.interrupts.requested &= !bit;
        self.devices.deadline = 0;
    }

    #[inline(always)]
    fn attend(&mut self) {
        self.devices.deadline = 0;
    }

    fn event_within(&mut self, cycles: u64) -> bool {
        let devices = &mut *self.devices;
        if devices.hardware {
            return devices.interrupts.pending() != 0;
        }
        devices.ppu_at_boundary();
        let next = devices.ppu.next.min(devices.timer.next_change()).min(devices.serial.done);
        devices.interrupts.pending() != 0 || next <= devices.now + cycles
    }

    fn halt_bug(&self) -> bool {
        self.devices.hardware && self.devices.interrupts.pending() != 0
    }

    fn stop(&mut self, at: u64) {
        if self.devices.hardware {
            self.devices.write_io(self.bytes, 0xFF04, 0, at);
        }
    }
}
