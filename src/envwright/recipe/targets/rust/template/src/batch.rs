//! Many games for learners: stepped together, into arrays that the caller owns.

use crate::buffer::{apart, Buffer};
use crate::games::Threads;
use crate::rng::Rng;
use crate::rules;
use crate::state::{Info, Observation};
use crate::timed::Timed;
use crate::value::{get, put, Field, Record};
use crate::verify::{action_field, seed_field};
use pyo3::exceptions::{PyIndexError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

const PLAYING: u64 = 2; // a purpose of luck; the verifier has others

/// A game with luck of its own, which goes on from one episode to the next.
#[derive(Clone)]
struct Game {
    timed: Timed,
    rng: Rng,
}

impl Game {
    fn new(mut rng: Rng) -> (Self, Observation) {
        let luck = rules::draw_start(&mut rng);
        let (timed, observation) = Timed::start(&luck);
        (Game { timed, rng }, observation)
    }
}

/// `num_envs` games on `threads` threads (one for each core, if not said). What comes out does not depend on `threads`.
#[pyclass(module = "__PACKAGE__.__PACKAGE___native")]
pub struct Batch {
    games: Vec<Game>, // none before the first reset
    num_envs: usize,
    threads: Threads,
    autoreset: bool,
}

#[pymethods]
impl Batch {
    #[new]
    #[pyo3(signature = (num_envs, threads=None, *, autoreset=true))]
    fn new(num_envs: usize, threads: Option<usize>, autoreset: bool) -> PyResult<Self> {
        if num_envs == 0 || threads == Some(0) {
            return Err(PyValueError::new_err("a batch has at least one game and one thread"));
        }
        let made = threads.map_or_else(Threads::all, Threads::new);
        let threads = made.map_err(|error| PyRuntimeError::new_err(format!("no threads can be started: {error}")))?;
        Ok(Batch { games: Vec::new(), num_envs, threads, autoreset })
    }

    #[getter]
    fn num_envs(&self) -> usize {
        self.num_envs
    }

    /// New games; each seed (uint64) begins luck of its own.
    fn reset_into(&mut self, py: Python<'_>, seeds: Bound<'_, PyAny>, obs: Bound<'_, PyAny>) -> PyResult<()> {
        let lead = [self.num_envs];
        let seeds = Buffer::input(&seeds, &lead, &seed_field())?;
        let field = Field::of::<Observation>("obs");
        let mut obs = Buffer::output(&obs, &lead, &field)?;
        apart(&[&seeds, &obs])?;
        let (seeds, obs) = (seeds.bytes(), obs.bytes_mut());
        let mut fresh: Vec<Option<Game>> = vec![None; self.num_envs];
        py.detach(|| {
            self.threads.over(&mut fresh, vec![obs], &[field.size], |game, place, out, row| {
                let (new, observation) = Game::new(Rng::new(get(seeds, game), PLAYING));
                put(&observation, out[0], row);
                *place = Some(new);
            })
        })?;
        self.games = fresh.into_iter().flatten().collect();
        Ok(())
    }

    /// One step of every game. Where a game ended, `obs` is what is seen of the next, unless autoreset is off;
    /// `final_obs` is what was seen at the end, and the same as `obs` elsewhere. `info` has an array for each of `info`
    /// in `layout()`.
    #[pyo3(signature = (actions, obs, rewards, terminated, truncated, *, final_obs=None, info=None))]
    #[allow(clippy::too_many_arguments)] // Python's callers name them
    fn step_into(
        &mut self,
        py: Python<'_>,
        actions: Bound<'_, PyAny>,
        obs: Bound<'_, PyAny>,
        rewards: Bound<'_, PyAny>,
        terminated: Bound<'_, PyAny>,
        truncated: Bound<'_, PyAny>,
        final_obs: Option<Bound<'_, PyAny>>,
        info: Option<Vec<Bound<'_, PyAny>>>,
    ) -> PyResult<()> {
        if self.games.is_empty() {
            return Err(PyRuntimeError::new_err("the batch has no games yet; call reset_into first"));
        }
        let lead = [self.num_envs];
        let actions = Buffer::input(&actions, &lead, &action_field())?;
        let mut arrays = vec![obs, rewards, terminated, truncated];
        let mut fields = vec![
            Field::of::<Observation>("obs"),
            Field::of::<f64>("rewards"),
            Field::of::<bool>("terminated"),
            Field::of::<bool>("truncated"),
        ];
        let with_final = final_obs.is_some();
        if let Some(final_obs) = final_obs {
            arrays.push(final_obs);
            fields.push(Field::of::<Observation>("final_obs"));
        }
        let with_info = info.is_some();
        if let Some(info) = info {
            arrays.extend(info);
            fields.extend(Info::fields());
        }
        let mut out = Buffer::all(&arrays, &lead, &fields, true)?;
        apart(&out.iter().chain([&actions]).collect::<Vec<_>>())?;
        let sizes: Vec<usize> = fields.iter().map(|field| field.size).collect();
        let columns = out.iter_mut().map(Buffer::bytes_mut).collect();
        let (actions, autoreset) = (actions.bytes(), self.autoreset);
        let done = py.detach(|| {
            self.threads.over(&mut self.games, columns, &sizes, |number, game, out, row| {
                let action = get(actions, number);
                let luck = rules::draw(&mut game.rng, &game.timed.state, action);
                let result = game.timed.apply(action, &luck);
                put(&result.reward, out[1], row);
                put(&result.terminated, out[2], row);
                put(&result.truncated, out[3], row);
                if with_final {
                    put(&result.observation, out[4], row);
                }
                if with_info {
                    result.info.write(&mut out[4 + usize::from(with_final)..], row);
                }
                if autoreset && (result.terminated || result.truncated) {
                    let (next, observation) = Game::new(game.rng.clone());
                    put(&observation, out[0], row);
                    *game = next;
                } else {
                    put(&result.observation, out[0], row);
                }
            })
        });
        if done.is_err() {
            self.games.clear(); // a game may have stopped in the middle of a step
        }
        Ok(done?)
    }

    /// Game `i` as bytes, its luck to come included.
    fn save<'py>(&self, py: Python<'py>, i: usize) -> PyResult<Bound<'py, PyBytes>> {
        let game = self.games.get(i).ok_or_else(|| self.no_game(i))?;
        let mut bytes = fingerprint().to_ne_bytes().to_vec();
        bytes.resize(8 + room(), 0);
        game.timed.write(&mut split_mut(&mut bytes[8..]), 0);
        bytes.extend(game.rng.state().iter().flat_map(|part| part.to_ne_bytes()));
        Ok(PyBytes::new(py, &bytes))
    }

    /// Put a game that was saved, in this batch or another of the same environment, in the place of game `i`.
    fn load(&mut self, i: usize, saved: &[u8]) -> PyResult<()> {
        let error = self.no_game(i);
        let game = self.games.get_mut(i).ok_or(error)?;
        if saved.len() != 8 + room() + 32 || saved[..8] != fingerprint().to_ne_bytes() {
            return Err(PyValueError::new_err("these bytes are not a saved game of this environment"));
        }
        let (state, luck) = saved[8..].split_at(room());
        game.timed = Timed::read(&split(state), 0);
        game.rng = Rng::from_state(get(luck, 0));
        Ok(())
    }
}

impl Batch {
    fn no_game(&self, i: usize) -> PyErr {
        let many = self.games.len();
        PyIndexError::new_err(format!("there is no game {i}; after a reset there are {}, now {many}", self.num_envs))
    }
}

/// The bytes of a state.
fn room() -> usize {
    Timed::fields().iter().map(|field| field.size).sum()
}

/// Tells the states of one environment from those of another.
fn fingerprint() -> u64 {
    let text = format!("{} {:?}", module_path!(), Timed::fields());
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

fn split(mut bytes: &[u8]) -> Vec<&[u8]> {
    let sizes = Timed::fields().into_iter().map(|field| field.size);
    sizes
        .map(|size| {
            let (head, tail) = bytes.split_at(size);
            bytes = tail;
            head
        })
        .collect()
}

fn split_mut(mut bytes: &mut [u8]) -> Vec<&mut [u8]> {
    let sizes = Timed::fields().into_iter().map(|field| field.size);
    sizes
        .map(|size| {
            let (head, tail) = std::mem::take(&mut bytes).split_at_mut(size);
            bytes = tail;
            head
        })
        .collect()
}
