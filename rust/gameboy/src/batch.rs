//! Many machines with one program, stepped by a pool of threads.

use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::machine::{Machine, Program};
use crate::observe::Kind;

/// An address whose byte is read after each step: as the CPU sees it, or in a bank whatever is selected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Probe {
    pub bank: Option<u16>,
    pub address: u16,
}

pub struct Batch {
    pub program: Program,
    pub machines: Vec<Machine>,
    /// Start states; 0 is power-on.
    pub starts: Vec<Machine>,
    pub kind: Kind,
    pub probes: Vec<Probe>,
    pub threads: usize,
    pub pool: Option<ThreadPool>,
}

/// One environment's share of a step.
pub struct Job<'a> {
    pub machine: &'a mut Machine,
    /// One mask for all ticks, or one a tick.
    pub buttons: &'a [u8],
    pub observation: Option<&'a mut [u8]>,
    pub ram: Option<&'a mut [u8]>,
}

impl Batch {
    pub fn new(program: Program, count: usize, kind: Kind, probes: Vec<Probe>, threads: usize) -> Result<Batch, String> {
        let threads = if threads == 0 { std::thread::available_parallelism().map_or(1, |n| n.get()) } else { threads };
        let pool = if threads > 1 {
            let builder = ThreadPoolBuilder::new().num_threads(threads).thread_name(|i| format!("gameboy-{i}"));
            Some(builder.build().map_err(|error| format!("the threads could not be started: {error}"))?)
        } else {
            None
        };
        let start = Machine::new(&program);
        Ok(Batch { machines: vec![start.clone(); count], starts: vec![start], program, kind, probes, threads, pool })
    }

    /// The environments named, in that order, once each.
    pub fn select<'a>(machines: &'a mut [Machine], indices: Option<&[usize]>) -> Result<Vec<&'a mut Machine>, String> {
        let Some(indices) = indices else {
            return Ok(machines.iter_mut().collect());
        };
        let count = machines.len();
        let mut slots: Vec<Option<&mut Machine>> = machines.iter_mut().map(Some).collect();
        let mut chosen = Vec::with_capacity(indices.len());
        for &index in indices {
            let slot = slots.get_mut(index).ok_or_else(|| format!("there is no env {index}; there are {count}"))?;
            chosen.push(slot.take().ok_or_else(|| format!("env {index} is named twice"))?);
        }
        Ok(chosen)
    }

    /// Pairs environments with their rows of the arrays.
    pub fn jobs<'a>(
        machines: Vec<&'a mut Machine>,
        buttons: &'a [u8],
        observations: Option<(&'a mut [u8], usize)>,
        ram: Option<(&'a mut [u8], usize)>,
    ) -> Vec<Job<'a>> {
        let width = if machines.is_empty() { 1 } else { buttons.len() / machines.len() };
        let rows = |array: Option<(&'a mut [u8], usize)>| {
            array.filter(|(_, width)| *width > 0).map(|(all, width)| all.chunks_exact_mut(width))
        };
        let (mut observations, mut ram) = (rows(observations), rows(ram));
        machines
            .into_iter()
            .enumerate()
            .map(|(i, machine)| Job {
                machine,
                buttons: &buttons[i * width..(i + 1) * width],
                observation: observations.as_mut().and_then(Iterator::next),
                ram: ram.as_mut().and_then(Iterator::next),
            })
            .collect()
    }

    /// Runs each job for so many ticks; only the last tick is drawn, and only if somebody looks.
    pub fn run(program: &Program, kind: Kind, probes: &[Probe], pool: Option<&ThreadPool>, jobs: &mut [Job], ticks: usize) {
        let work = |job: &mut Job| {
            for tick in 0..ticks {
                let buttons = job.buttons[tick.min(job.buttons.len() - 1)];
                job.machine.tick(program, buttons, tick + 1 == ticks && job.observation.is_some());
            }
            if let Some(out) = job.observation.as_deref_mut() {
                kind.write(&job.machine.devices.screen, out);
            }
            if let Some(out) = job.ram.as_deref_mut() {
                for (probe, out) in probes.iter().zip(out) {
                    *out = job.machine.peek(program, probe.bank, probe.address);
                }
            }
        };
        match pool {
            Some(pool) if jobs.len() > 1 => pool.install(|| jobs.par_iter_mut().for_each(work)),
            _ => jobs.iter_mut().for_each(work),
        }
    }
}
