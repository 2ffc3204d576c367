//! A game as the rules have it, with the time limit that is put around it.

use crate::rules;
use crate::state::{Action, Observation, StartLuck, State, StepLuck, StepResult};
use crate::value::{get, put, Field, Record};
use crate::{CLOCK, LIMIT};

/// The state of the rules, and the steps taken.
#[derive(Clone, Debug, PartialEq)]
pub struct Timed {
    pub state: State,
    pub time: i64,
}

impl Timed {
    pub fn start(luck: &StartLuck) -> (Timed, Observation) {
        let (state, observation) = rules::start(luck);
        (Timed { state, time: 0 }, observation)
    }

    /// One step. A time limit only ever truncates.
    #[inline]
    pub fn apply(&mut self, action: Action, luck: &StepLuck) -> StepResult {
        let mut result = rules::apply(&mut self.state, action, luck);
        self.time += 1;
        result.truncated |= LIMIT.is_some_and(|limit| self.time >= limit);
        result
    }
}

/// The steps taken are a column only where there is a limit.
impl Record for Timed {
    const COUNT: usize = State::COUNT + LIMIT.is_some() as usize;

    fn fields() -> Vec<Field> {
        let mut fields = State::fields();
        fields.extend(LIMIT.map(|_| Field::of::<i64>(CLOCK)));
        fields
    }

    fn read(columns: &[&[u8]], row: usize) -> Self {
        let state = State::read(columns, row);
        Timed { state, time: LIMIT.map_or(0, |_| get(columns[State::COUNT], row)) }
    }

    fn write(&self, columns: &mut [&mut [u8]], row: usize) {
        self.state.write(columns, row);
        if LIMIT.is_some() {
            put(&self.time, columns[State::COUNT], row);
        }
    }
}
