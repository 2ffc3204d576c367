//! Many games at once: on all cores, without Python's lock, and with a fault in the rules as a message.

use crate::timed::Timed;
use rayon::prelude::*;
use std::cell::{Cell, RefCell};
use std::panic::{catch_unwind, AssertUnwindSafe, PanicHookInfo};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;

const STACK: usize = 256 << 20; // bytes for a thread of ours; only what is used of them is taken
const LARGE: bool = std::mem::size_of::<Timed>() > 64 << 10; // for a caller's stack: states are handed on by value
const PIECES: usize = 4; // for each thread, so that none waits long for the last
const WORTH: u64 = 50_000; // nanoseconds of work; to wake threads for less takes longer than to do it

thread_local! {
    static LAST_PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

/// What went wrong in the rules, and in which game.
pub struct Fault {
    pub game: usize,
    pub message: String,
}

impl From<Fault> for pyo3::PyErr {
    fn from(fault: Fault) -> Self {
        pyo3::exceptions::PyRuntimeError::new_err(format!("{} (game {})", fault.message, fault.game))
    }
}

/// Have panics written down, with their place, rather than printed.
pub fn write_down_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map_or(String::new(), |at| format!("{}:{}: ", at.file(), at.line()));
        LAST_PANIC.set(format!("{place}{}", message(panic)));
    }));
}

fn message(panic: &PanicHookInfo<'_>) -> String {
    let payload = panic.payload();
    let text = payload.downcast_ref::<&str>().map(|text| text.to_string());
    text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_else(|| "a panic without a message".into())
}

/// The threads that games are played on. Little work is done on the caller's own, if there is room on its stack.
pub struct Threads {
    pool: Option<rayon::ThreadPool>,
    nanoseconds: AtomicU64, // that a game took the last time
}

impl Threads {
    pub fn new(many: usize) -> Result<Self, String> {
        let make = || rayon::ThreadPoolBuilder::new().num_threads(many).stack_size(STACK).build();
        let pool = if many > 1 || LARGE { Some(make().map_err(|error| error.to_string())?) } else { None };
        Ok(Threads { pool, nanoseconds: AtomicU64::new(0) })
    }

    /// One for each core.
    pub fn all() -> Result<Self, String> {
        Self::new(std::thread::available_parallelism().map_or(1, usize::from))
    }

    /// The threads to wake for so many games, if it is worth it.
    fn worth(&self, games: usize) -> Option<&rayon::ThreadPool> {
        let work = self.nanoseconds.load(Relaxed).saturating_mul(games as u64);
        self.pool.as_ref().filter(|_| LARGE || work > WORTH)
    }

    /// Does `one` for every game, handing it the game and its row in the piece of the columns that it may write to.
    pub fn over<G: Send>(
        &self,
        games: &mut [G],
        columns: Vec<&mut [u8]>,
        sizes: &[usize],
        one: impl Fn(usize, &mut G, &mut [&mut [u8]], usize) + Sync,
    ) -> Result<(), Fault> {
        let (many, pool) = (games.len().max(1), self.worth(games.len()));
        let piece = pool.map_or(many, |pool| many.div_ceil(PIECES * pool.current_num_threads()));
        let cut = cut(columns, sizes, games.len(), piece);
        let spent = AtomicU64::new(0);
        let work = |(number, (games, mut columns)): (usize, (&mut [G], Vec<&mut [u8]>))| {
            let (began, now) = (Instant::now(), Cell::new(0));
            let all = || {
                for (row, game) in games.iter_mut().enumerate() {
                    now.set(number * piece + row);
                    one(number * piece + row, game, &mut columns, row);
                }
            };
            let fault = catch_unwind(AssertUnwindSafe(all)).is_err();
            spent.fetch_add(began.elapsed().as_nanos() as u64, Relaxed);
            fault.then(|| Fault { game: now.get(), message: LAST_PANIC.take() })
        };
        // The first game's fault, however the threads came along.
        let first = |a: Fault, b: Fault| if a.game <= b.game { a } else { b };
        let pieces = games.chunks_mut(piece).zip(cut).enumerate();
        let fault = match pool {
            None => pieces.filter_map(&work).reduce(first),
            Some(pool) => {
                let pieces: Vec<_> = pieces.collect();
                pool.install(|| pieces.into_par_iter().filter_map(&work).reduce_with(first))
            }
        };
        if fault.is_none() {
            self.nanoseconds.store(spent.into_inner() / many as u64, Relaxed);
        }
        fault.map_or(Ok(()), Err)
    }
}

/// Columns cut at the same rows: for each piece, its part of every column.
fn cut<'a>(columns: Vec<&'a mut [u8]>, sizes: &[usize], rows: usize, piece: usize) -> Vec<Vec<&'a mut [u8]>> {
    let mut pieces: Vec<Vec<&'a mut [u8]>> = (0..rows.div_ceil(piece)).map(|_| Vec::new()).collect();
    for (mut rest, size) in columns.into_iter().zip(sizes) {
        for (number, part) in pieces.iter_mut().enumerate() {
            let many = piece.min(rows - number * piece);
            let (head, tail) = rest.split_at_mut(many * size);
            part.push(head);
            rest = tail;
        }
    }
    pieces
}
