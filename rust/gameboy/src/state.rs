//! Saved states: one description of all fields, used for writing and reading, and the checks that keep a state that was
//! tampered with from doing harm.

use std::fmt;

use crate::cartridge::Rom;
use crate::machine::{Machine, Program};
use crate::ppu::{EVENTS, Event, FRAME, LINE};
use crate::time::NEVER;

pub const VERSION: u16 = 1;
const MAGIC: &[u8; 6] = b"EWGB\r\n";

#[derive(Debug, PartialEq, Eq)]
pub struct StateError(pub String);

impl fmt::Display for StateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

enum Archive<'a> {
    Write(Vec<u8>),
    Read(&'a [u8]),
}

impl Archive<'_> {
    fn bytes(&mut self, value: &mut [u8]) -> Option<()> {
        match self {
            Archive::Write(out) => out.extend_from_slice(value),
            Archive::Read(rest) => {
                let (head, tail) = rest.split_at_checked(value.len())?;
                value.copy_from_slice(head);
                *rest = tail;
            }
        }
        Some(())
    }

    fn u8(&mut self, value: &mut u8) -> Option<()> {
        self.bytes(std::slice::from_mut(value))
    }

    fn u16(&mut self, value: &mut u16) -> Option<()> {
        let mut bytes = value.to_le_bytes();
        self.bytes(&mut bytes)?;
        *value = u16::from_le_bytes(bytes);
        Some(())
    }

    fn u64(&mut self, value: &mut u64) -> Option<()> {
        let mut bytes = value.to_le_bytes();
        self.bytes(&mut bytes)?;
        *value = u64::from_le_bytes(bytes);
        Some(())
    }

    fn bool(&mut self, value: &mut bool) -> Option<()> {
        let mut byte = *value as u8;
        self.u8(&mut byte)?;
        *value = byte != 0;
        (byte < 2).then_some(())
    }
}

/// Every field of a machine that its future depends on.
fn fields(machine: &mut Machine, a: &mut Archive) -> Option<()> {
    let Machine { cpu, ticks, devices: d } = machine;
    a.u64(&mut d.now)?;
    a.u64(&mut d.previous)?;
    a.u64(ticks)?;
    a.bytes(&mut cpu.r)?;
    a.u16(&mut cpu.sp)?;
    a.u16(&mut cpu.pc)?;
    for flag in [
        &mut cpu.ime,
        &mut cpu.ime_next,
        &mut cpu.halted,
        &mut cpu.halted_by_ei,
        &mut cpu.repeat_fetch,
        &mut cpu.locked,
        &mut d.booting,
    ] {
        a.bool(flag)?;
    }
    a.u8(&mut d.interrupts.requested)?;
    a.u8(&mut d.interrupts.enabled)?;

    let t = &mut d.timer;
    for time in [&mut t.zero, &mut t.counted, &mut t.reload, &mut t.reloaded] {
        a.u64(time)?;
    }
    for register in [&mut t.tima, &mut t.tma, &mut t.tac] {
        a.u8(register)?;
    }

    let p = &mut d.ppu;
    for register in [&mut p.lcdc, &mut p.enables, &mut p.scy, &mut p.scx, &mut p.ly, &mut p.lyc, &mut p.bgp, &mut p.obp0] {
        a.u8(register)?;
    }
    for register in [&mut p.obp1, &mut p.wy, &mut p.wx, &mut p.mode, &mut p.window_line] {
        a.u8(register)?;
    }
    for flag in [&mut p.equal, &mut p.line_high, &mut p.first, &mut p.frame_done] {
        a.bool(flag)?;
    }
    let mut event = EVENTS.iter().position(|&e| e == p.event)? as u8;
    a.u8(&mut event)?;
    p.event = *EVENTS.get(event as usize)?;
    a.u64(&mut p.next)?;
    a.u64(&mut p.base)?;

    let s = &mut d.apu;
    a.bytes(&mut s.registers)?;
    a.bytes(&mut s.wave)?;
    a.bool(&mut s.on)?;
    for flag in &mut s.playing {
        a.bool(flag)?;
    }
    for length in &mut s.length {
        a.u16(length)?;
    }
    for counter in [&mut s.step, &mut s.sweep_timer, &mut s.wave_position] {
        a.u8(counter)?;
    }
    for flag in [&mut s.sweep_enabled, &mut s.sweep_subtracted] {
        a.bool(flag)?;
    }
    a.u16(&mut s.sweep_frequency)?;
    for time in [&mut s.counted, &mut s.wave_next, &mut s.wave_last] {
        a.u64(time)?;
    }

    for byte in [&mut d.joypad.held, &mut d.joypad.select, &mut d.joypad.lines, &mut d.serial.sb, &mut d.serial.sc] {
        a.u8(byte)?;
    }
    a.u64(&mut d.serial.done)?;

    let m = &mut d.dma;
    for byte in [&mut m.register, &mut m.source, &mut m.old_source] {
        a.u8(byte)?;
    }
    a.u64(&mut m.start)?;
    a.u16(&mut m.next)?;
    a.u64(&mut m.old_start)?;
    a.u16(&mut m.old_next)?;

    let b = &mut d.banks;
    a.bool(&mut b.ram_enabled)?;
    a.u16(&mut b.low)?;
    a.u8(&mut b.high)?;
    a.bool(&mut b.mode)?;
    a.bytes(&mut b.clock.live)?;
    a.bytes(&mut b.clock.latched)?;
    a.bool(&mut b.clock.latch_armed)?;
    let mut cycles = b.clock.cycles as u64;
    a.u64(&mut cycles)?;
    b.clock.cycles = (cycles % 4_194_304) as u32;
    a.u64(&mut b.clock.counted)?;

    a.bytes(&mut d.hram)?;
    a.bytes(&mut d.oam)?;
    a.bytes(&mut d.wram)?;
    a.bytes(&mut d.vram)?;
    for line in &mut d.screen {
        a.bytes(line)?;
    }
    a.bytes(&mut d.ram)
}

/// Whether the fields fit together, as far as running on depends on it.
fn check(machine: &Machine, program: &Program) -> Result<(), &'static str> {
    let d = &machine.devices;
    let now = d.now;
    let require = |condition: bool, what: &'static str| if condition { Ok(()) } else { Err(what) };
    let soon = |time: u64, distance: u64| time >= now.saturating_sub(64) && time <= now + distance;
    require(now < 1 << 60 && now.is_multiple_of(4) && now >= d.previous && now - d.previous <= 64, "the time")?;
    require(!d.booting || program.booting.is_some(), "a boot ROM that this batch does not have")?;
    let t = &d.timer;
    require(t.counted == now && t.zero <= now && t.tac < 8, "the timer")?;
    require((t.reload == NEVER || soon(t.reload, 4)) && t.reloaded <= now + 64, "the timer's reload")?;
    let s = &d.apu;
    require(s.counted == now && s.step < 8 && s.wave_position < 32 && s.sweep_frequency < 4096, "the sound registers")?;
    require(s.length.iter().all(|&l| l <= 256) && s.wave_next <= now + 0x4000 && s.wave_last <= now, "the sound counters")?;
    require(!s.playing[2] || s.wave_next + 0x10000 > now, "the wave channel")?;
    require(d.serial.done == NEVER || soon(d.serial.done, 4096), "the serial port")?;
    let m = &d.dma;
    require(m.next <= 160 && m.old_next <= 160 && m.start <= now + 64 && m.old_start <= now + 64, "OAM DMA")?;
    require(m.next == 160 || m.start + 1024 > now, "OAM DMA's start")?;
    require(m.old_next == 160 || m.old_start + 1024 > now, "OAM DMA's start")?;
    require(d.banks.low < 0x200 && d.banks.clock.counted <= now, "the mapper")?;
    check_ppu(machine).then_some(()).ok_or("the PPU")
}

/// The time of the next event follows from the event, the line and the frame's start.
fn check_ppu(machine: &Machine) -> bool {
    let (p, now) = (&machine.devices.ppu, machine.devices.now);
    if p.on() == (p.event == Event::FrameOff) || p.mode > 3 || p.enables & !0x78 != 0 || p.next + 64 < now {
        return false;
    }
    if p.event == Event::FrameOff {
        return p.next <= now + FRAME;
    }
    if p.base > now + 64 || p.base + 2 * FRAME < now {
        return false;
    }
    let line = p.base + p.ly as u64 * LINE;
    let visible = p.ly < 144;
    match p.event {
        Event::FrameOff => false,
        Event::NextLine => p.ly < 143 && p.next == line + LINE - 4,
        Event::Mode2 => visible && p.next == line,
        Event::Mode3 => visible && p.next == line + 80,
        Event::Mode0 => visible && (248..=372).contains(&(p.next - line.min(p.next))),
        Event::VBlank => p.ly == 143 && p.next == p.vblank(),
        Event::VBlankLine => (144..153).contains(&p.ly) && p.next == p.vblank() + (p.ly as u64 - 143) * LINE,
        Event::LongLine => p.first && p.ly == 153 && p.next == p.last_line_end(),
        Event::FrameStart => p.ly == 153 && p.next == p.last_line_end() + if p.first { 8 } else { 0 },
    }
}

fn checksum(bytes: &[u8]) -> u64 {
    let mut hash = 0x9E37_79B9_7F4A_7C15u64 ^ bytes.len() as u64;
    for chunk in bytes.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        hash = (hash ^ u64::from_le_bytes(word)).wrapping_mul(0x2545_F491_4F6C_DD1D).rotate_left(29);
    }
    hash
}

/// Magic, version, hardware flag, ROM hash, checksum of the rest.
const HEADER: usize = 6 + 2 + 1 + 8 + 8;

impl Machine {
    pub fn save(&self, program: &Program) -> Vec<u8> {
        let mut archive = Archive::Write(Vec::with_capacity(0x8000 + self.devices.ram.len()));
        let complete = fields(&mut self.clone(), &mut archive);
        let body = match (archive, complete) {
            (Archive::Write(body), Some(())) => body,
            _ => Vec::new(),
        };
        [&header(&program.rom, program.hardware), &checksum(&body).to_le_bytes()[..], &body].concat()
    }

    pub fn load(program: &Program, state: &[u8]) -> Result<Machine, StateError> {
        let fail = |message: String| Err(StateError(message));
        if state.len() < HEADER || &state[..6] != MAGIC {
            return fail("this is not a saved state of envwright's Game Boy".into());
        }
        let version = u16::from_le_bytes([state[6], state[7]]);
        if version != VERSION {
            return fail(format!("the state has version {version}, this build reads version {VERSION}"));
        }
        if state[8] != program.hardware as u8 {
            return fail("the state was saved with another setting of `hardware`".into());
        }
        if state[9..17] != program.rom.hash.to_le_bytes() {
            return fail(format!("the state belongs to another ROM, not to {:?}", program.rom.title));
        }
        let body = &state[HEADER..];
        if state[17..HEADER] != checksum(body).to_le_bytes() {
            return fail("the state is corrupt: its checksum does not fit".into());
        }
        let mut machine = Machine::new(program);
        let mut archive = Archive::Read(body);
        let complete = fields(&mut machine, &mut archive);
        if complete.is_none() || !matches!(archive, Archive::Read([])) {
            return fail("the state is corrupt: its length or a value in it is impossible".into());
        }
        check(&machine, program).map_err(|what| StateError(format!("the state is corrupt: {what} is impossible")))?;
        machine.devices.banks.map(&program.rom);
        machine.devices.idle.disturb();
        machine.devices.deadline = 0;
        Ok(machine)
    }
}

fn header(rom: &Rom, hardware: bool) -> Vec<u8> {
    [&MAGIC[..], &VERSION.to_le_bytes(), &[hardware as u8], &rom.hash.to_le_bytes()].concat()
}
