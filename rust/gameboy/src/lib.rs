//! A Game Boy (DMG) for reinforcement learning: many of them step in one process, each equal to PyBoy 2.8.1 tick for tick.
//!
//! One file a chip: `cpu` and `alu`, `interrupts`, `timer`, `ppu` (timing) and `render` (pixels), `apu`, `joypad`, `serial`,
//! `dma`, `cartridge`, `mapper` and `clock`. `bus` wires them, `machine` runs them, `start` is where they begin, `idle` skips loops that wait, `state`
//! saves them, `observe` turns screens into observations, `batch` steps many, `python` is the only door to the outside.

#![deny(unsafe_code)]

pub mod alu;
pub mod apu;
pub mod batch;
pub mod bus;
pub mod cartridge;
pub mod clock;
pub mod cpu;
pub mod dma;
pub mod idle;
pub mod interrupts;
pub mod joypad;
pub mod machine;
pub mod mapper;
pub mod observe;
pub mod ppu;
mod python;
pub mod render;
pub mod serial;
pub mod start;
pub mod state;
pub mod time;
pub mod timer;
