//! The rules of FrozenLake on its map of 4 by 4, slippery.

use crate::rng::Rng;
use crate::state::{Action, Info, Observation, Phases, StartLuck, State, StepLuck, StepResult};

const SIDE: i64 = 4;
const MAP: &[u8; 16] = b"SFFFFHFHFFFHHFFG";
const STRAIGHT: f64 = 1.0 / 3.0;
const ASIDE: f64 = (1.0 - STRAIGHT) / 2.0;
const ODDS: [f64; 3] = [ASIDE, STRAIGHT, ASIDE];
const MOVES: [(i64, i64); 4] = [(0, -1), (1, 0), (0, 1), (-1, 0)];

pub fn draw_start(_rng: &mut Rng) -> StartLuck {
    StartLuck { position: 0 }
}

pub fn start(luck: &StartLuck) -> (State, Observation) {
    (State { position: luck.position }, luck.position)
}

pub fn draw(rng: &mut Rng, state: &State, _action: Action) -> StepLuck {
    StepLuck { slip: if over(state.position) { 0 } else { rng.weighted(&ODDS) as i64 } }
}

pub fn apply(state: &mut State, action: Action, luck: &StepLuck) -> StepResult {
    let known = phases(state, action, luck);
    state.position = known.move_position;
    StepResult {
        observation: known.move_position,
        reward: known.reward_reward as f64,
        terminated: known.ending_terminated,
        truncated: false,
        info: Info { prob: known.odds_prob },
    }
}

pub fn phases(state: &State, action: Action, luck: &StepLuck) -> Phases {
    let stuck = over(state.position);
    let heading = if stuck { action } else { (action + luck.slip - 1).rem_euclid(4) };
    let (down, right) = MOVES[heading as usize];
    let row = (state.position / SIDE + down).clamp(0, SIDE - 1);
    let column = (state.position % SIDE + right).clamp(0, SIDE - 1);
    let position = if stuck { state.position } else { row * SIDE + column };
    Phases {
        slip_heading: heading,
        odds_prob: if stuck { 1.0 } else { ODDS[luck.slip as usize] },
        move_position: position,
        reward_reward: i64::from(!stuck && MAP[position as usize] == b'G'),
        ending_terminated: over(position),
    }
}

fn over(position: i64) -> bool {
    matches!(MAP[position as usize], b'G' | b'H')
}
