//! The Python module: checks arguments, borrows the caller's arrays, lets go of the GIL.

use numpy::{PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn, PyReadwriteArrayDyn, PyUntypedArrayMethods};
use pyo3::create_exception;
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::batch::{Batch, Job, Probe};
use crate::cartridge::Rom;
use crate::cpu::{A, B, CC, D, E, F, HH, L};
use crate::machine::{Machine, Program};
use crate::observe::{KINDS, shades};
use crate::state::VERSION;

create_exception!(envwright_gameboy, GameBoyError, PyValueError, "Something is wrong with a ROM or a state.");
create_exception!(envwright_gameboy, RomError, GameBoyError, "The ROM cannot be used.");
create_exception!(envwright_gameboy, StateError, GameBoyError, "The state cannot be loaded.");

const BUTTONS: [&str; 8] = ["right", "left", "up", "down", "a", "b", "select", "start"];

fn value_error(message: impl Into<String>) -> PyErr {
    PyValueError::new_err(message.into())
}

fn parse_rom(bytes: &[u8]) -> PyResult<Rom> {
    Rom::parse(bytes).map_err(|error| RomError::new_err(error.0))
}

/// An address, or a pair of bank and address.
#[derive(FromPyObject)]
enum Address {
    Plain(u16),
    Banked(u16, u16),
}

fn probe(address: Address) -> Probe {
    match address {
        Address::Plain(address) => Probe { bank: None, address },
        Address::Banked(bank, address) => Probe { bank: Some(bank), address },
    }
}

/// Seconds, minutes, hours, low and high byte of the days.
type ClockTime = (u8, u8, u8, u8, u8);

/// One or several start states.
#[derive(FromPyObject)]
enum Starts {
    One(usize),
    Many(Vec<usize>),
}

fn check_shape(name: &str, shape: &[usize], wanted: &[usize], contiguous: bool) -> PyResult<()> {
    if shape != wanted || !contiguous {
        return Err(value_error(format!("{name} must be C-contiguous with shape {wanted:?}, not {shape:?}")));
    }
    Ok(())
}

fn writable<'py>(
    name: &str,
    array: Option<Bound<'py, PyAny>>,
    wanted: &[usize],
) -> PyResult<Option<PyReadwriteArrayDyn<'py, u8>>> {
    let Some(array) = array else { return Ok(None) };
    let array = array.cast_into::<PyArrayDyn<u8>>().map_err(|_| value_error(format!("{name} must be a NumPy array of uint8")))?;
    check_shape(name, array.shape(), wanted, array.is_c_contiguous())?;
    let borrowed = array.try_readwrite();
    borrowed.map(Some).map_err(|_| value_error(format!("{name} must be writable and used for nothing else in this call")))
}

fn readable<'py>(name: &str, array: Bound<'py, PyAny>) -> PyResult<PyReadonlyArrayDyn<'py, u8>> {
    let array = array.cast_into::<PyArrayDyn<u8>>().map_err(|_| value_error(format!("{name} must be a NumPy array of uint8")))?;
    array.try_readonly().map_err(|_| value_error(format!("{name} must be used for nothing else in this call")))
}

/// Many Game Boys with one ROM.
#[pyclass(name = "Batch", module = "envwright_gameboy")]
struct PyBatch {
    batch: Batch,
    frame_skip: usize,
    observation: String,
}

impl PyBatch {
    fn machine(&self, index: usize) -> PyResult<&Machine> {
        let count = self.batch.machines.len();
        self.batch.machines.get(index).ok_or_else(|| PyIndexError::new_err(format!("there is no env {index}; there are {count}")))
    }

    fn machine_mut(&mut self, index: usize) -> PyResult<(&Program, &mut Machine)> {
        let count = self.batch.machines.len();
        let machine = self.batch.machines.get_mut(index);
        let machine = machine.ok_or_else(|| PyIndexError::new_err(format!("there is no env {index}; there are {count}")))?;
        Ok((&self.batch.program, machine))
    }

    fn select(&mut self, indices: Option<&[usize]>) -> PyResult<Vec<&mut Machine>> {
        Batch::select(&mut self.batch.machines, indices).map_err(PyIndexError::new_err)
    }

    fn obs_shape(&self, rows: usize) -> Vec<usize> {
        [&[rows], self.batch.kind.shape()].concat()
    }

    #[allow(clippy::too_many_arguments)]
    fn run(
        &mut self,
        py: Python<'_>,
        indices: Option<&[usize]>,
        buttons: Bound<'_, PyAny>,
        obs: Option<Bound<'_, PyAny>>,
        ram: Option<Bound<'_, PyAny>>,
        ticks: Option<usize>,
    ) -> PyResult<()> {
        let rows = indices.map_or(self.batch.machines.len(), <[usize]>::len);
        let ticks = ticks.unwrap_or(self.frame_skip);
        let buttons = readable("buttons", buttons)?;
        let shape = buttons.shape();
        if shape != [rows] && shape != [rows, ticks] || ticks == 0 || !buttons.is_c_contiguous() {
            return Err(value_error(format!(
                "buttons must be C-contiguous with shape [{rows}] or [{rows}, {ticks}] and at least one tick, not {shape:?}"
            )));
        }
        let (kind, width) = (self.batch.kind, self.batch.probes.len());
        let mut obs = writable("obs", obs, &self.obs_shape(rows))?;
        let mut ram = writable("ram", ram, &[rows, width])?;
        let borrow = |_| value_error("the arrays must be C-contiguous");
        let obs = obs.as_mut().map(|a| a.as_slice_mut().map_err(borrow)).transpose()?;
        let ram = ram.as_mut().map(|a| a.as_slice_mut().map_err(borrow)).transpose()?;
        let buttons = buttons.as_slice().map_err(borrow)?;
        if rows == 0 {
            return Ok(());
        }
        let Batch { program, machines, probes, pool, .. } = &mut self.batch;
        let machines = Batch::select(machines, indices).map_err(PyIndexError::new_err)?;
        let mut jobs: Vec<Job> = Batch::jobs(machines, buttons, obs.map(|o| (o, kind.size())), ram.map(|r| (r, width)));
        let pool = pool.as_ref();
        py.detach(|| Batch::run(program, kind, probes, pool, &mut jobs, ticks));
        Ok(())
    }
}

#[pymethods]
impl PyBatch {
    #[new]
    #[pyo3(signature = (rom, num_envs, *, frame_skip = 1, observation = "grey", addresses = Vec::new(), boot = None,
                        hardware = false, threads = 0, skip_idle = true))]
    #[allow(clippy::too_many_arguments)]
    fn new(
        rom: &[u8],
        num_envs: usize,
        frame_skip: usize,
        observation: &str,
        addresses: Vec<Address>,
        boot: Option<&[u8]>,
        hardware: bool,
        threads: usize,
        skip_idle: bool,
    ) -> PyResult<PyBatch> {
        if num_envs == 0 || frame_skip == 0 {
            return Err(value_error("num_envs and frame_skip must be at least 1"));
        }
        let kind = KINDS.iter().find(|(name, _)| *name == observation).ok_or_else(|| {
            value_error(format!("there is no observation {observation:?}; there are {}", KINDS.map(|(name, _)| name).join(", ")))
        })?;
        let boot: Option<&[u8; 0x100]> = match boot {
            None => None,
            Some(boot) => {
                let fail = |_| RomError::new_err(format!("a boot ROM has 256 bytes, not {}", boot.len()));
                Some(boot.try_into().map_err(fail)?)
            }
        };
        let program = Program::new(parse_rom(rom)?, boot, hardware, skip_idle);
        let probes = addresses.into_iter().map(probe).collect();
        let batch = Batch::new(program, num_envs, kind.1, probes, threads).map_err(value_error)?;
        Ok(PyBatch { batch, frame_skip, observation: observation.to_string() })
    }

    #[getter]
    fn num_envs(&self) -> usize {
        self.batch.machines.len()
    }
    fn __len__(&self) -> usize {
        self.batch.machines.len()
    }
    #[getter]
    fn frame_skip(&self) -> usize {
        self.frame_skip
    }
    #[getter]
    fn observation(&self) -> &str {
        &self.observation
    }
    #[getter]
    fn observation_shape(&self) -> Vec<usize> {
        self.batch.kind.shape().to_vec()
    }
    #[getter]
    fn num_addresses(&self) -> usize {
        self.batch.probes.len()
    }
    #[getter]
    fn threads(&self) -> usize {
        self.batch.threads
    }
    #[getter]
    fn hardware(&self) -> bool {
        self.batch.program.hardware
    }
    #[getter]
    fn num_starts(&self) -> usize {
        self.batch.starts.len()
    }
    #[getter]
    fn state_bytes(&self) -> usize {
        self.batch.starts[0].save(&self.batch.program).len()
    }
    #[getter]
    fn env_bytes(&self) -> usize {
        size_of::<Machine>() + self.batch.program.rom.ram_bytes
    }

    /// Steps all environments.
    #[pyo3(signature = (buttons, obs = None, ram = None, *, ticks = None))]
    fn step(
        &mut self,
        py: Python<'_>,
        buttons: Bound<'_, PyAny>,
        obs: Option<Bound<'_, PyAny>>,
        ram: Option<Bound<'_, PyAny>>,
        ticks: Option<usize>,
    ) -> PyResult<()> {
        self.run(py, None, buttons, obs, ram, ticks)
    }

    /// Steps some environments; the arrays have a row for each.
    #[pyo3(signature = (indices, buttons, obs = None, ram = None, *, ticks = None))]
    fn step_some(
        &mut self,
        py: Python<'_>,
        indices: Vec<usize>,
        buttons: Bound<'_, PyAny>,
        obs: Option<Bound<'_, PyAny>>,
        ram: Option<Bound<'_, PyAny>>,
        ticks: Option<usize>,
    ) -> PyResult<()> {
        self.run(py, Some(&indices), buttons, obs, ram, ticks)
    }

    /// The last drawn frames and the RAM as they are.
    #[pyo3(signature = (obs = None, ram = None, indices = None))]
    fn observe(
        &mut self,
        obs: Option<Bound<'_, PyAny>>,
        ram: Option<Bound<'_, PyAny>>,
        indices: Option<Vec<usize>>,
    ) -> PyResult<()> {
        let rows = indices.as_ref().map_or(self.batch.machines.len(), Vec::len);
        let (kind, width) = (self.batch.kind, self.batch.probes.len());
        let mut obs = writable("obs", obs, &self.obs_shape(rows))?;
        let mut ram = writable("ram", ram, &[rows, width])?;
        let borrow = |_| value_error("the arrays must be C-contiguous");
        let obs = obs.as_mut().map(|a| a.as_slice_mut().map_err(borrow)).transpose()?;
        let ram = ram.as_mut().map(|a| a.as_slice_mut().map_err(borrow)).transpose()?;
        let Batch { program, machines, probes, .. } = &mut self.batch;
        let machines = Batch::select(machines, indices.as_deref()).map_err(PyIndexError::new_err)?;
        let mut jobs = Batch::jobs(machines, &[], obs.map(|o| (o, kind.size())), ram.map(|r| (r, width)));
        Batch::run(program, kind, probes, None, &mut jobs, 0);
        Ok(())
    }

    fn save<'py>(&self, py: Python<'py>, i: usize) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.machine(i)?.save(&self.batch.program)))
    }

    fn load(&mut self, i: usize, state: &[u8]) -> PyResult<()> {
        let (program, machine) = self.machine_mut(i)?;
        *machine = Machine::load(program, state).map_err(|error| StateError::new_err(error.0))?;
        Ok(())
    }

    fn clone(&mut self, src: usize, dst: Vec<usize>) -> PyResult<()> {
        let source = self.machine(src)?.clone();
        for machine in self.select(Some(&dst))? {
            machine.copy_from(&source);
        }
        Ok(())
    }

    /// Adds a state, or the state an environment is in, to the pool of start states.
    #[pyo3(signature = (state = None, *, env = None))]
    fn add_start(&mut self, state: Option<&[u8]>, env: Option<usize>) -> PyResult<usize> {
        let start = match (state, env) {
            (Some(state), None) => Machine::load(&self.batch.program, state).map_err(|error| StateError::new_err(error.0))?,
            (None, Some(env)) => self.machine(env)?.clone(),
            _ => return Err(value_error("give either a state or an env")),
        };
        self.batch.starts.push(start);
        Ok(self.batch.starts.len() - 1)
    }

    #[pyo3(signature = (indices = None, starts = Starts::One(0)))]
    fn reset(&mut self, indices: Option<Vec<usize>>, starts: Starts) -> PyResult<()> {
        let count = self.batch.starts.len();
        let Batch { machines, starts: pool, .. } = &mut self.batch;
        let machines = Batch::select(machines, indices.as_deref()).map_err(PyIndexError::new_err)?;
        let which = |row: usize| match &starts {
            Starts::One(start) => *start,
            Starts::Many(starts) => starts[row],
        };
        if let Starts::Many(starts) = &starts
            && starts.len() != machines.len()
        {
            return Err(value_error(format!("there are {} starts for {} envs", starts.len(), machines.len())));
        }
        for row in 0..machines.len() {
            if which(row) >= count {
                return Err(PyIndexError::new_err(format!("there is no start {}; there are {count}", which(row))));
            }
        }
        for (row, machine) in machines.into_iter().enumerate() {
            machine.copy_from(&pool[which(row)]);
        }
        Ok(())
    }

    fn store(&mut self, i: usize) -> PyResult<usize> {
        self.add_start(None, Some(i))
    }

    fn restore(&mut self, i: usize, slot: usize) -> PyResult<()> {
        let count = self.batch.starts.len();
        self.machine(i)?;
        let Batch { machines, starts, .. } = &mut self.batch;
        let start =
            starts.get(slot).ok_or_else(|| PyIndexError::new_err(format!("there is no start {slot}; there are {count}")))?;
        machines[i].copy_from(start);
        Ok(())
    }

    /// Forgets the start states from number `keep` on.
    #[pyo3(signature = (keep = 1))]
    fn drop_starts(&mut self, keep: usize) -> PyResult<()> {
        if keep == 0 {
            return Err(value_error("start 0 stays; keep must be at least 1"));
        }
        self.batch.starts.truncate(keep);
        Ok(())
    }

    fn registers<'py>(&self, py: Python<'py>, i: usize) -> PyResult<Bound<'py, PyDict>> {
        let Machine { cpu, ticks, devices } = self.machine(i)?;
        let dict = PyDict::new(py);
        for (name, index) in [("a", A), ("f", F), ("b", B), ("c", CC), ("d", D), ("e", E), ("h", HH), ("l", L)] {
            dict.set_item(name, cpu.r[index])?;
        }
        dict.set_item("sp", cpu.sp)?;
        // A halted CPU stays at its HALT, as PyBoy shows it.
        dict.set_item("pc", if cpu.halted { cpu.pc.wrapping_sub(1) } else { cpu.pc })?;
        dict.set_item("ime", cpu.ime)?;
        dict.set_item("halted", cpu.halted)?;
        dict.set_item("locked", cpu.locked)?;
        dict.set_item("cycles", devices.now)?;
        dict.set_item("ticks", ticks)?;
        dict.set_item("div_counter", devices.timer.counter(devices.now))?;
        dict.set_item("ly", devices.ppu.ly)?;
        dict.set_item("mode", devices.ppu.mode)?;
        dict.set_item("rom_bank", devices.banks.romx >> 14)?;
        dict.set_item("ram_bank", devices.banks.high)?;
        Ok(dict)
    }

    #[pyo3(signature = (i, start, stop, bank = None))]
    fn memory<'py>(&self, py: Python<'py>, i: usize, start: u32, stop: u32, bank: Option<u16>) -> PyResult<Bound<'py, PyBytes>> {
        let machine = self.machine(i)?;
        if start > stop || stop > 0x10000 {
            return Err(value_error(format!("addresses go from 0 to 0x10000, not from {start:#x} to {stop:#x}")));
        }
        let bytes: Vec<u8> = (start..stop).map(|address| machine.peek(&self.batch.program, bank, address as u16)).collect();
        Ok(PyBytes::new(py, &bytes))
    }

    #[pyo3(signature = (i, address, data, bank = None))]
    fn write_memory(&mut self, i: usize, address: u16, data: &[u8], bank: Option<u16>) -> PyResult<()> {
        let (program, machine) = self.machine_mut(i)?;
        if address as usize + data.len() > 0x10000 {
            return Err(value_error(format!("{} bytes from {address:#x} on go past the end of memory", data.len())));
        }
        for (offset, &value) in data.iter().enumerate() {
            machine.poke(program, bank, address + offset as u16, value);
        }
        Ok(())
    }

    fn cartridge_ram<'py>(&self, py: Python<'py>, i: usize) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.machine(i)?.devices.ram))
    }

    fn clock(&self, i: usize) -> PyResult<Option<ClockTime>> {
        let [s, m, h, low, high] = self.machine(i)?.devices.banks.clock.live;
        Ok(self.batch.program.rom.clock.then_some((s, m, h, low, high)))
    }

    fn screen<'py>(&self, py: Python<'py>, i: usize) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &shades(&self.machine(i)?.devices.screen)))
    }

    /// One instruction, interrupt dispatch or stretch of HALT; true if the tick ended with it.
    fn run_instruction(&mut self, i: usize) -> PyResult<bool> {
        let (program, machine) = self.machine_mut(i)?;
        Ok(machine.step_instruction(program))
    }

    /// Presses and releases buttons as a step does before its first tick, for `run_instruction`.
    fn hold(&mut self, i: usize, buttons: u8) -> PyResult<()> {
        let (program, machine) = self.machine_mut(i)?;
        machine.hold(program, buttons);
        Ok(())
    }

    fn locked(&self) -> Vec<usize> {
        (0..self.batch.machines.len()).filter(|&i| self.batch.machines[i].cpu.locked).collect()
    }
}

/// What the header of a ROM says.
#[pyfunction]
fn rom_info<'py>(py: Python<'py>, rom: &[u8]) -> PyResult<Bound<'py, PyDict>> {
    let rom = parse_rom(rom)?;
    let dict = PyDict::new(py);
    dict.set_item("title", &rom.title)?;
    dict.set_item("mapper", rom.mapper.name())?;
    dict.set_item("rom_banks", rom.banks())?;
    dict.set_item("ram_bytes", rom.ram_bytes)?;
    dict.set_item("battery", rom.battery)?;
    dict.set_item("clock", rom.clock)?;
    dict.set_item("checksum_ok", rom.checksum_ok)?;
    Ok(dict)
}

#[pymodule]
fn envwright_gameboy(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add_class::<PyBatch>()?;
    module.add_function(wrap_pyfunction!(rom_info, module)?)?;
    module.add("GameBoyError", py.get_type::<GameBoyError>())?;
    module.add("RomError", py.get_type::<RomError>())?;
    module.add("StateError", py.get_type::<StateError>())?;
    module.add("STATE_VERSION", VERSION)?;
    let buttons = PyDict::new(py);
    for (bit, name) in BUTTONS.iter().enumerate() {
        buttons.set_item(name, 1 << bit)?;
    }
    module.add("BUTTONS", buttons)?;
    let observations = PyDict::new(py);
    for (name, kind) in KINDS {
        observations.set_item(name, pyo3::types::PyTuple::new(py, kind.shape())?)?;
    }
    module.add("OBSERVATIONS", observations)
}
