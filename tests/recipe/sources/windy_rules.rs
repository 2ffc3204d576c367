//! The rules of Windy.

use crate::rng::Rng;
use crate::state::{Action, Info, Observation, Phases, StartLuck, State, StepLuck, StepResult};
use crate::weather::{burnt, drifted, SIZE};

const WAYS: [(i64, i64); 4] = [(-1, 0), (0, 1), (1, 0), (0, -1)];

pub fn draw_start(rng: &mut Rng) -> StartLuck {
    StartLuck { row: rng.integer(0, SIZE), col: rng.integer(0, SIZE), light: rng.between(0.5, 1.0) }
}

pub fn start(luck: &StartLuck) -> (State, Observation) {
    let mut state = State { row: luck.row, col: luck.col, light: luck.light, ..State::zero() };
    state.visits[state.row as usize][state.col as usize] = 1;
    let seen = observe(&state);
    (state, seen)
}

pub fn draw(rng: &mut Rng, _state: &State, _action: Action) -> StepLuck {
    StepLuck { gust: rng.integer(0, 3) }
}

pub fn apply(state: &mut State, action: Action, luck: &StepLuck) -> StepResult {
    walk(state, action);
    blow(state, luck.gust);
    let visits = &mut state.visits[state.row as usize][state.col as usize];
    *visits += 1;
    let home = state.row == SIZE - 1 && state.col == SIZE - 1;
    StepResult {
        reward: if home { state.light } else { -0.1 * *visits as f64 },
        terminated: home || state.light <= 0.05,
        truncated: false,
        info: Info { blown: luck.gust == 2 },
        observation: observe(state),
    }
}

pub fn phases(state: &State, action: Action, luck: &StepLuck) -> Phases {
    let mut moved = state.clone();
    walk(&mut moved, action);
    let mut blown = moved.clone();
    blow(&mut blown, luck.gust);
    Phases { move_row: moved.row, move_col: moved.col, wind_col: blown.col, wind_light: blown.light }
}

fn walk(state: &mut State, action: Action) {
    let (down, right) = WAYS[action as usize];
    state.row = (state.row + down).clamp(0, SIZE - 1);
    state.col = (state.col + right).clamp(0, SIZE - 1);
}

fn blow(state: &mut State, gust: i64) {
    state.col = drifted(state.col, gust);
    state.light = burnt(state.light, gust);
}

fn observe(state: &State) -> Observation {
    [state.row as f64, state.col as f64, state.light]
}
