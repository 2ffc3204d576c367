//! What the verifier asks: every function of the rules on columns, luck handed in. Nothing here resets a game.

use crate::buffer::{apart, Buffer};
use crate::functions;
use crate::games::Threads;
use crate::rng::Rng;
use crate::rules;
use crate::state::{Action, Info, Observation, Phases, StartLuck, State, StepLuck, StepResult};
use crate::timed::Timed;
use crate::value::{get, put, Field, Record};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use std::sync::OnceLock;

const STARTING: u64 = 0; // purposes of luck
const STEPPING: u64 = 1;

type Arrays<'py> = Vec<Bound<'py, PyAny>>;
type Kind = (String, Vec<usize>, &'static str);

/// The columns of everything, in the order in which arrays are expected.
#[pyfunction]
pub fn layout() -> Vec<(&'static str, Vec<Kind>)> {
    vec![
        ("state", kinds(Timed::fields())),
        ("start_luck", kinds(StartLuck::fields())),
        ("step_luck", kinds(StepLuck::fields())),
        ("action", kinds(vec![action_field()])),
        ("seen", kinds(seen_fields())),
        ("told", kinds(told_fields())),
        ("info", kinds(Info::fields())),
        ("phases", kinds(Phases::fields())),
    ]
}

/// The functions that can be called alone: name, arguments, result.
#[pyfunction]
pub fn signatures() -> Vec<(&'static str, Vec<Kind>, Kind)> {
    let all = functions::signatures().into_iter();
    all.map(|(name, arguments, result)| (name, kinds(arguments), kind(result))).collect()
}

fn kinds(fields: Vec<Field>) -> Vec<Kind> {
    fields.into_iter().map(kind).collect()
}

fn kind(field: Field) -> Kind {
    (field.name, field.shape, field.dtype)
}

pub fn action_field() -> Field {
    Field::of::<Action>("action")
}

pub fn seed_field() -> Field {
    Field::of::<u64>("seeds")
}

/// What is known of a new game. A field of the state may be called like an outcome, so it is told from them.
fn seen_fields() -> Vec<Field> {
    let state = Timed::fields().into_iter();
    let mut fields: Vec<Field> = state.map(|field| Field { name: format!("state.{}", field.name), ..field }).collect();
    fields.push(Field::of::<Observation>("observation"));
    fields
}

/// What is known after a step.
fn told_fields() -> Vec<Field> {
    let mut fields = seen_fields();
    fields.push(Field::of::<f64>("reward"));
    fields.push(Field::of::<bool>("terminated"));
    fields.push(Field::of::<bool>("truncated"));
    fields.extend(Info::fields());
    fields
}

fn write_seen(game: &Timed, observation: &Observation, out: &mut [&mut [u8]], row: usize) {
    game.write(out, row);
    put(observation, out[Timed::COUNT], row);
}

fn write_told(game: &Timed, result: &StepResult, out: &mut [&mut [u8]], row: usize) {
    write_seen(game, &result.observation, out, row);
    let rest = &mut out[Timed::COUNT + 1..];
    put(&result.reward, rest[0], row);
    put(&result.terminated, rest[1], row);
    put(&result.truncated, rest[2], row);
    result.info.write(&mut rest[3..], row);
}

/// New games with luck of their own.
#[pyfunction]
pub fn init(py: Python<'_>, seeds: Bound<'_, PyAny>, out: Arrays<'_>) -> PyResult<()> {
    let games = seeds.len()?;
    let seeds = [Buffer::input(&seeds, &[games], &seed_field())?];
    over(py, &[games], &seeds, out, &seen_fields(), |row, given, out, at| {
        let luck = rules::draw_start(&mut Rng::new(get(given[0], row), STARTING));
        let (game, observation) = Timed::start(&luck);
        write_seen(&game, &observation, out, at);
    })
}

/// New games with given luck.
#[pyfunction]
pub fn start(py: Python<'_>, games: usize, luck: Arrays<'_>, out: Arrays<'_>) -> PyResult<()> {
    let luck = Buffer::all(&luck, &[games], &StartLuck::fields(), false)?;
    over(py, &[games], &luck, out, &seen_fields(), |row, given, out, at| {
        let (game, observation) = Timed::start(&StartLuck::read(given, row));
        write_seen(&game, &observation, out, at);
    })
}

/// Games played on and on, with given luck, or without it with luck by the number of the row.
#[pyfunction]
pub fn play(
    py: Python<'_>,
    games: usize,
    steps: usize,
    state: Arrays<'_>,
    actions: Bound<'_, PyAny>,
    luck: Option<Arrays<'_>>,
    out: Arrays<'_>,
) -> PyResult<()> {
    let both = [games, steps];
    let mut given = Buffer::all(&state, &[games], &Timed::fields(), false)?;
    given.push(Buffer::input(&actions, &both, &action_field())?);
    if let Some(luck) = &luck {
        given.extend(Buffer::all(luck, &both, &StepLuck::fields(), false)?);
    }
    let own_luck = luck.is_none();
    over(py, &both, &given, out, &told_fields(), |game, given, out, at| {
        let (state, rest) = given.split_at(Timed::COUNT);
        let mut now = Timed::read(state, game);
        for step in 0..steps {
            let row = game * steps + step;
            let action = get(rest[0], row);
            let luck = match own_luck {
                true => rules::draw(&mut Rng::new(row as u64, STEPPING), &now.state, action),
                false => StepLuck::read(&rest[1..], row),
            };
            let result = now.apply(action, &luck);
            write_told(&now, &result, out, at * steps + step);
        }
    })
}

/// The luck that new games would draw.
#[pyfunction]
pub fn draw_start(py: Python<'_>, seeds: Bound<'_, PyAny>, out: Arrays<'_>) -> PyResult<()> {
    let games = seeds.len()?;
    let seeds = [Buffer::input(&seeds, &[games], &seed_field())?];
    over(py, &[games], &seeds, out, &StartLuck::fields(), |row, given, out, at| {
        rules::draw_start(&mut Rng::new(get(given[0], row), STARTING)).write(out, at);
    })
}

/// The luck that a step would draw.
#[pyfunction]
pub fn draw(
    py: Python<'_>,
    seeds: Bound<'_, PyAny>,
    state: Arrays<'_>,
    actions: Bound<'_, PyAny>,
    out: Arrays<'_>,
) -> PyResult<()> {
    let games = seeds.len()?;
    let mut given = Buffer::all(&state, &[games], &Timed::fields(), false)?;
    given.push(Buffer::input(&actions, &[games], &action_field())?);
    given.push(Buffer::input(&seeds, &[games], &seed_field())?);
    over(py, &[games], &given, out, &StepLuck::fields(), |row, given, out, at| {
        let (state, rest) = given.split_at(Timed::COUNT);
        let mut rng = Rng::new(get(rest[1], row), STEPPING);
        rules::draw(&mut rng, &State::read(state, row), get(rest[0], row)).write(out, at);
    })
}

/// What is known after each phase of a step.
#[pyfunction]
pub fn phases(
    py: Python<'_>,
    games: usize,
    state: Arrays<'_>,
    actions: Bound<'_, PyAny>,
    luck: Arrays<'_>,
    out: Arrays<'_>,
) -> PyResult<()> {
    let mut given = Buffer::all(&state, &[games], &Timed::fields(), false)?;
    given.push(Buffer::input(&actions, &[games], &action_field())?);
    given.extend(Buffer::all(&luck, &[games], &StepLuck::fields(), false)?);
    over(py, &[games], &given, out, &Phases::fields(), |row, given, out, at| {
        let (state, rest) = given.split_at(Timed::COUNT);
        let luck = StepLuck::read(&rest[1..], row);
        functions::phases(&State::read(state, row), get(rest[0], row), &luck).write(out, at);
    })
}

/// One of the functions, on a batch of arguments.
#[pyfunction]
pub fn call(
    py: Python<'_>,
    function: &str,
    games: usize,
    arguments: Arrays<'_>,
    out: Bound<'_, PyAny>,
) -> PyResult<()> {
    let found = functions::signatures().into_iter().find(|(name, _, _)| *name == function);
    let Some((_, fields, result)) = found else {
        return Err(PyValueError::new_err(format!("there is no function {function}")));
    };
    let given = Buffer::all(&arguments, &[games], &fields, false)?;
    over(py, &[games], &given, vec![out], &[result], |row, given, out, at| {
        functions::call(function, given, row, out[0], at);
    })
}

/// Does `one` for every game, on all cores and without Python's lock; `one` gets the game, what was given, and the
/// columns to write to with its row in them. `lead` are the games, and the steps of each where there are several.
fn over(
    py: Python<'_>,
    lead: &[usize],
    given: &[Buffer],
    out: Arrays<'_>,
    fields: &[Field],
    one: impl Fn(usize, &[&[u8]], &mut [&mut [u8]], usize) + Sync,
) -> PyResult<()> {
    let mut out = Buffer::all(&out, lead, fields, true)?;
    apart(&given.iter().chain(&out).collect::<Vec<_>>())?;
    let given: Vec<&[u8]> = given.iter().map(Buffer::bytes).collect();
    let columns: Vec<&mut [u8]> = out.iter_mut().map(Buffer::bytes_mut).collect();
    let steps: usize = lead[1..].iter().product();
    let sizes: Vec<usize> = fields.iter().map(|field| steps * field.size).collect();
    let threads = threads()?;
    py.detach(|| {
        let mut games = vec![(); lead[0]];
        threads.over(&mut games, columns, &sizes, |game, _, out, at| one(game, &given, out, at))
    })?;
    Ok(())
}

/// Made when first needed, and shared by all calls.
fn threads() -> PyResult<&'static Threads> {
    static THREADS: OnceLock<Result<Threads, String>> = OnceLock::new();
    let made = THREADS.get_or_init(Threads::all);
    made.as_ref().map_err(|error| PyRuntimeError::new_err(format!("no threads can be started: {error}")))
}
