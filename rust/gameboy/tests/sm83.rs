//! Single instructions against the public SingleStepTests/sm83 vectors (MIT, Copyright (c) 2024 SingleStepTests): registers,
//! memory, and every bus access with its machine cycle. `tests/data/sm83.json.gz` holds four cases an opcode; the variable
//! `ENVWRIGHT_SM83` names a larger file of the same form.

use std::collections::HashMap;
use std::io::Read;

use envwright_gameboy::cpu::{Bus, Cpu};
use serde_json::Value;

/// 64 KB of RAM that writes down what happens.
struct Flat {
    memory: HashMap<u16, u8>,
    accesses: Vec<(u64, u16, u8, bool)>,
    pending: u8,
}

impl Flat {
    fn access(&mut self, cycle: u64, address: u16, value: u8, write: bool) {
        self.accesses.push((cycle, address, value, write));
    }
}

impl Bus for Flat {
    fn fetch(&mut self, address: u16, at: u64) -> u8 {
        let cycle = if self.accesses.is_empty() { 0 } else { at / 4 + 1 };
        let value = self.memory.get(&address).copied().unwrap_or(0);
        self.access(cycle, address, value, false);
        value
    }
    fn read(&mut self, address: u16, at: u64) -> u8 {
        let value = self.memory.get(&address).copied().unwrap_or(0);
        self.access(at / 4 + 1, address, value, false);
        value
    }
    fn write(&mut self, address: u16, value: u8, at: u64) {
        self.memory.insert(address, value);
        self.access(at / 4 + 1, address, value, true);
    }
    fn pending(&self) -> u8 {
        self.pending
    }
    fn acknowledge(&mut self, bit: u8) {
        self.pending &= !bit;
    }
    fn attend(&mut self) {}
    fn event_within(&mut self, _: u64) -> bool {
        false
    }
    fn stop(&mut self, _: u64) {}
}

fn number(state: &Value, name: &str) -> u16 {
    state[name].as_u64().unwrap_or(0) as u16
}

fn cpu_of(state: &Value) -> Cpu {
    let r = ["b", "c", "d", "e", "h", "l", "f", "a"].map(|name| number(state, name) as u8);
    Cpu { r, sp: number(state, "sp"), pc: number(state, "pc"), ime: number(state, "ime") != 0, ..Cpu::default() }
}

fn check(case: &Value) -> Result<(), String> {
    let mut cpu = cpu_of(&case["initial"]);
    let ram = |state: &Value| -> Vec<(u16, u8)> {
        let cells = state["ram"].as_array().into_iter().flatten();
        cells.map(|cell| (cell[0].as_u64().unwrap() as u16, cell[1].as_u64().unwrap() as u8)).collect()
    };
    let mut bus = Flat { memory: ram(&case["initial"]).into_iter().collect(), accesses: Vec::new(), pending: 0 };
    let opcode = bus.memory[&cpu.pc];
    let cycles = cpu.execute(&mut bus);
    let expected = cpu_of(&case["final"]);
    // EI's delay is the CPU's own affair; the vectors show IME after the next instruction.
    let ime = cpu.ime || cpu.ime_next && number(&case["final"], "ime") != 0;
    // The vectors stop in the middle of STOP and HALT: no second byte, and idle cycles of the wait.
    let waits = matches!(opcode, 0x10 | 0x76);
    let pc = if opcode == 0x10 { cpu.pc.wrapping_sub(1) } else { cpu.pc };
    if (cpu.r, cpu.sp, pc, ime) != (expected.r, expected.sp, expected.pc, expected.ime) {
        return Err(format!("{}: {cpu:?} instead of {expected:?}", case["name"]));
    }
    if let Some((address, value)) =
        ram(&case["final"]).into_iter().find(|(address, value)| bus.memory.get(address) != Some(value))
    {
        return Err(format!("{}: {address:#06x} is {:?}, not {value:#04x}", case["name"], bus.memory.get(&address)));
    }
    let bus_cycles = case["cycles"].as_array().unwrap();
    let accesses: Vec<(u64, u16, u8, bool)> = bus_cycles
        .iter()
        .enumerate()
        .filter(|(_, cycle)| cycle[2] != "---")
        .map(|(i, cycle)| (i as u64, cycle[0].as_u64().unwrap() as u16, cycle[1].as_u64().unwrap() as u8, cycle[2] == "-wm"))
        .collect();
    if !waits && (bus.accesses != accesses || cycles != 4 * bus_cycles.len() as u64) {
        return Err(format!("{}: {cycles} cycles, {:?} instead of {accesses:?}", case["name"], bus.accesses));
    }
    Ok(())
}

#[test]
fn single_instructions_agree_with_the_public_vectors() {
    let path = std::env::var("ENVWRIGHT_SM83")
        .unwrap_or_else(|_| concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/sm83.json.gz").into());
    let file = std::fs::File::open(&path).expect("the vectors can be opened");
    let mut text = String::new();
    flate2::read::GzDecoder::new(file).read_to_string(&mut text).expect("the vectors are gzip");
    let opcodes: HashMap<String, Vec<Value>> = serde_json::from_str(&text).expect("the vectors are JSON");
    let cases: Vec<&Value> = opcodes.values().flatten().collect();
    let failures: Vec<String> = cases.iter().filter_map(|case| check(case).err()).collect();
    println!("{} cases of {} opcodes", cases.len(), opcodes.len());
    assert_eq!(opcodes.len(), 500);
    assert!(failures.is_empty(), "{} of {} differ, first: {}", failures.len(), cases.len(), failures[0]);
}
