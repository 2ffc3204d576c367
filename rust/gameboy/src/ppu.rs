//! The PPU's registers and timing: modes, LY, interrupts. Drawing is in `render`.
//!
//! The PPU goes from one event to the next: LY counts up, four cycles later mode 2 begins, 80 cycles later mode 3, some 172
//! later mode 0. Nothing happens in between, so it is brought up to date only when somebody looks (`sync`), and lines in
//! which nothing can be seen are skipped in one step (`jump`).

use crate::interrupts::{Interrupts, STAT, VBLANK};
use crate::render::{BYTES, HEIGHT, Screen};
use crate::time::NEVER;

pub const LINE: u64 = 456;
pub const FRAME: u64 = 154 * LINE;
const VISIBLE: u64 = 144 * LINE;
const MODE_3: u64 = 80;
const MODE_0: u64 = 172;
/// SCX adds up to 7 cycles to mode 3, ten objects up to 110.
const LONGEST_EXTRA: u64 = 120;

const MODE_0_INTERRUPT: u8 = 0x08;
const MODE_1_INTERRUPT: u8 = 0x10;
const MODE_2_INTERRUPT: u8 = 0x20;
const LYC_INTERRUPT: u8 = 0x40;

/// What happens at `Ppu::next`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The LCD is off: PyBoy ends a tick every 70,224 cycles.
    FrameOff,
    NextLine,
    Mode2,
    Mode3,
    Mode0,
    VBlank,
    VBlankLine,
    /// Line 153 of the first frame is eight cycles longer; its end is an event of its own.
    LongLine,
    FrameStart,
}

pub const EVENTS: [Event; 9] = [
    Event::FrameOff,
    Event::NextLine,
    Event::Mode2,
    Event::Mode3,
    Event::Mode0,
    Event::VBlank,
    Event::VBlankLine,
    Event::LongLine,
    Event::FrameStart,
];

#[derive(Clone, Copy, Debug)]
pub struct Ppu {
    pub lcdc: u8,
    /// The four enable bits of STAT.
    pub enables: u8,
    pub scy: u8,
    pub scx: u8,
    pub ly: u8,
    pub lyc: u8,
    pub bgp: u8,
    pub obp0: u8,
    pub obp1: u8,
    pub wy: u8,
    pub wx: u8,
    pub mode: u8,
    /// LY = LYC, as bit 2 of STAT shows it; frozen while the LCD is off.
    pub equal: bool,
    /// The four sources of the STAT interrupt, or-ed: only a rise requests it.
    pub line_high: bool,
    pub event: Event,
    pub next: u64,
    /// When line 0 of this frame began.
    pub base: u64,
    /// The frame after switching on is different in small ways.
    pub first: bool,
    pub window_line: u8,
    /// A tick ended (the machine clears it).
    pub frame_done: bool,
    /// Whether lines are drawn in this tick.
    pub draw: bool,
    pub hardware: bool,
}

/// What drawing and the length of mode 3 depend on.
pub struct Memory<'a> {
    pub vram: &'a [u8; 0x2000],
    pub oam: &'a [u8; 0x100],
    pub screen: &'a mut Screen,
}

impl Ppu {
    pub fn new(hardware: bool) -> Ppu {
        Ppu {
            lcdc: 0,
            enables: 0,
            scy: 0,
            scx: 0,
            ly: 0,
            lyc: 0,
            bgp: 0xFC,
            obp0: 0xFF,
            obp1: 0xFF,
            wy: 0,
            wx: 0,
            mode: 0,
            equal: true,
            line_high: false,
            event: Event::FrameOff,
            next: FRAME,
            base: 0,
            first: false,
            window_line: 0,
            frame_done: false,
            draw: false,
            hardware,
        }
    }

    #[inline(always)]
    pub fn on(&self) -> bool {
        self.lcdc & 0x80 != 0
    }

    /// When the CPU has to stop for the PPU: the next event that requests an interrupt or ends the tick.
    pub fn next_stop(&self) -> u64 {
        if !self.on() || self.enables & (MODE_0_INTERRUPT | MODE_2_INTERRUPT) != 0 || self.event == Event::Mode2 {
            return self.next;
        }
        match self.event {
            Event::VBlankLine if self.enables & LYC_INTERRUPT == 0 => self.last_line_end(),
            Event::VBlankLine | Event::LongLine | Event::FrameStart => self.next,
            _ => {
                let lyc = self.lyc as u64;
                if self.enables & LYC_INTERRUPT != 0 && self.ly < self.lyc && lyc < 144 {
                    self.base + lyc * LINE - 4
                } else {
                    self.vblank()
                }
            }
        }
    }

    pub fn vblank(&self) -> u64 {
        self.base + VISIBLE - if self.first { 4 } else { 0 }
    }

    pub fn last_line_end(&self) -> u64 {
        self.base + FRAME - if self.first { 4 } else { 0 }
    }

    /// All events up to `time`.
    pub fn sync(&mut self, time: u64, interrupts: &mut Interrupts, memory: &mut Memory) {
        while self.next <= time {
            if !self.draw && self.jump(time) {
                continue;
            }
            self.step(interrupts, memory);
        }
    }

    /// Events as the CPU meets them at an instruction boundary: PyBoy handles one a boundary, so that mode 2 waits for the
    /// next one if LY has just changed.
    pub fn sync_boundary(&mut self, now: u64, previous: u64, interrupts: &mut Interrupts, memory: &mut Memory) {
        if self.next > now {
            return;
        }
        self.sync(previous, interrupts, memory);
        if self.next <= now {
            self.step(interrupts, memory);
        }
    }

    /// Skips the lines that end before `time` and before anything is due. False if there is none.
    fn jump(&mut self, time: u64) -> bool {
        if self.event == Event::VBlankLine {
            return self.jump_in_vblank(time);
        }
        if !self.on() || !matches!(self.event, Event::NextLine | Event::Mode3 | Event::Mode0) {
            return false;
        }
        let stop = self.next_stop();
        let until = time.min(stop.saturating_sub(1));
        // Lines are told apart by when their number appears, four cycles before they begin.
        let line = ((until + 4 - self.base) / LINE).min(143);
        if line <= self.ly as u64 {
            return false;
        }
        self.ly = line as u8;
        self.compare();
        self.line_high = self.level();
        self.mode = 0;
        self.event = Event::Mode2;
        self.next = self.base + line * LINE;
        self.equal &= !self.first || self.next <= until;
        if self.next <= until {
            self.mode = 2;
            self.event = Event::Mode3;
            self.next += MODE_3;
        }
        if until >= self.base + line * LINE + MODE_3 + MODE_0 + LONGEST_EXTRA {
            self.mode = 0;
            (self.event, self.next) = self.after_mode_0();
        }
        true
    }

    /// The same within the ten lines of VBlank, to the last one that has begun.
    fn jump_in_vblank(&mut self, time: u64) -> bool {
        let begun = (time - self.vblank()) / LINE;
        let line = (144 + begun.min(9)) as u8;
        if self.enables & LYC_INTERRUPT != 0 || line <= self.ly {
            return false;
        }
        self.ly = line;
        self.compare();
        self.line_high = self.level();
        self.after_vblank_line();
        true
    }

    fn after_vblank_line(&mut self) {
        if self.ly < 153 {
            self.next = self.vblank() + (self.ly as u64 - 143) * LINE;
        } else {
            self.event = if self.first { Event::LongLine } else { Event::FrameStart };
            self.next = self.last_line_end();
        }
    }

    fn after_mode_0(&self) -> (Event, u64) {
        if self.ly == 143 {
            (Event::VBlank, self.vblank())
        } else {
            (Event::NextLine, self.base + (self.ly as u64 + 1) * LINE - 4)
        }
    }

    /// The picture while the LCD is off: PyBoy shows colour 0, hardware white.
    #[cold]
    #[inline(never)]
    fn blank(&self) -> Screen {
        let shade = if self.hardware { 0 } else { self.bgp & 3 };
        let (low, high) = ((shade & 1).wrapping_neg(), (shade >> 1).wrapping_neg());
        let mut line = [low; 2 * BYTES];
        line[BYTES..].fill(high);
        [line; HEIGHT]
    }

    fn compare(&mut self) {
        self.equal = self.ly == self.lyc;
    }

    /// The next event.
    pub fn step(&mut self, interrupts: &mut Interrupts, memory: &mut Memory) {
        let at = self.next;
        match self.event {
            Event::FrameOff => {
                self.frame_done = true;
                *memory.screen = self.blank();
                self.next = at + FRAME;
                return;
            }
            Event::NextLine => {
                self.ly += 1;
                self.compare();
                self.equal &= !self.first;
                self.event = Event::Mode2;
                self.next = at + 4;
            }
            Event::Mode2 => {
                self.mode = 2;
                self.compare();
                self.event = Event::Mode3;
                self.next = at + MODE_3;
            }
            Event::Mode3 => {
                self.mode = 3;
                self.event = Event::Mode0;
                self.next = at + self.mode_3_length(memory.oam);
            }
            Event::Mode0 => {
                self.mode = 0;
                if self.draw && !self.first {
                    self.draw_line(memory.vram, memory.oam, memory.screen);
                }
                (self.event, self.next) = self.after_mode_0();
            }
            Event::VBlank => {
                self.mode = 1;
                self.ly = 144;
                self.window_line = 0;
                if self.first {
                    *memory.screen = self.blank();
                }
                self.compare();
                interrupts.request(VBLANK);
                if self.enables & MODE_2_INTERRUPT != 0 && !self.line_high {
                    interrupts.request(STAT);
                }
                self.event = Event::VBlankLine;
                self.next = at + LINE;
            }
            Event::VBlankLine => {
                self.ly += 1;
                self.compare();
                self.after_vblank_line();
            }
            Event::LongLine => {
                self.event = Event::FrameStart;
                self.next = at + 8;
            }
            Event::FrameStart => {
                self.ly = 0;
                self.mode = 2;
                self.compare();
                self.base = at;
                self.first = false;
                self.frame_done = true;
                self.event = Event::Mode3;
                self.next = at + MODE_3;
            }
        }
        self.raise(interrupts);
    }

    fn level(&self) -> bool {
        let mode = match self.mode {
            0 => MODE_0_INTERRUPT,
            1 => MODE_1_INTERRUPT,
            2 => MODE_2_INTERRUPT,
            _ => 0,
        };
        self.on() && (self.enables & mode != 0 || self.enables & LYC_INTERRUPT != 0 && self.equal)
    }

    fn raise(&mut self, interrupts: &mut Interrupts) {
        let level = self.level();
        if level && !self.line_high {
            interrupts.request(STAT);
        }
        self.line_high = level;
    }

    /// How long mode 3 is: 172 cycles, and more for the scroll and for objects.
    fn mode_3_length(&self, oam: &[u8; 0x100]) -> u64 {
        if self.first {
            return MODE_0;
        }
        let objects = if self.lcdc & 0x02 != 0 { self.object_cycles(oam) } else { 0 };
        MODE_0.wrapping_add_signed((((self.scx as i64 & 7) + 3) & !3) + objects)
    }

    /// Each object stops the line for 6 cycles, and the first one at its place for up to 5 more.
    fn object_cycles(&self, oam: &[u8; 0x100]) -> i64 {
        let (order, count) = self.objects_on_line(oam);
        let mut cycles = 0u64;
        let mut last = usize::MAX;
        for &object in &order[..count] {
            let x = oam[4 * object as usize + 1] as usize;
            if x >= 168 {
                continue;
            }
            if x != last {
                last = x;
                cycles += 5 - ((x + self.scx as usize) % 8).min(5) as u64;
            }
            cycles += 6;
        }
        // On a line with objects the rest of mode 3 is a machine cycle shorter in PyBoy.
        if count > 0 { (cycles & !3) as i64 - 4 } else { 0 }
    }

    pub fn read_stat(&self) -> u8 {
        0x80 | self.enables | (self.equal as u8) << 2 | self.mode
    }

    pub fn write_stat(&mut self, value: u8, interrupts: &mut Interrupts) {
        self.enables = value & 0x78;
        self.raise(interrupts);
    }

    pub fn write_lyc(&mut self, value: u8, interrupts: &mut Interrupts) {
        self.lyc = value;
        if self.on() {
            self.compare();
            self.raise(interrupts);
        }
    }

    pub fn write_lcdc(&mut self, value: u8, time: u64, interrupts: &mut Interrupts, screen: &mut Screen) {
        let was_on = self.on();
        self.lcdc = value;
        if was_on && !self.on() {
            self.ly = 0;
            self.mode = 0;
            self.event = Event::FrameOff;
            self.next = time + FRAME;
            self.frame_done = true;
            *screen = self.blank();
        } else if !was_on && self.on() {
            self.base = time + 4;
            self.first = true;
            self.frame_done = true;
            self.compare();
            self.event = Event::Mode3;
            self.next = self.base + MODE_3;
            self.raise(interrupts);
        }
    }

    /// Whether a read of VRAM at `time` gets nothing (the PPU is up to date).
    pub fn holds_vram(&self, time: u64, write: bool) -> bool {
        self.on() && (self.mode == 3 || !write && self.event == Event::Mode3 && !self.blank_line() && time + 4 >= self.next)
    }

    /// The same of OAM, which the PPU also reads in mode 2.
    pub fn holds_oam(&self, time: u64, write: bool) -> bool {
        if !self.on() || self.blank_line() {
            return false;
        }
        match self.event {
            Event::Mode0 => true,
            Event::Mode2 => !write,
            Event::Mode3 => !write || time + 4 < self.next,
            _ => false,
        }
    }

    /// Line 0 after switching on, before its mode 3.
    fn blank_line(&self) -> bool {
        self.first && self.ly == 0 && self.event == Event::Mode3
    }

    pub const fn never() -> u64 {
        NEVER
    }
}
