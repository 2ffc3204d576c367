// Pig, a dice game for one: throw one die or two to raise the turn's total, hold to bank it; a 1 loses the turn.
'use strict';

const HOLD = 0;
const TARGET = 60; // points that win
const TURNS = 8;
const LIMIT = 40; // steps, after which the table closes
const BUST = -0.5;

function headStart() {
  return Math.floor(Math.random() * 4);
}

function throwDie() {
  return 1 + Math.floor(Math.random() * 6);
}

function flip() {
  return Math.random() < 0.5;
}

const isPair = (faces) => faces.length === 2 && faces[0] === faces[1];

/** Points for a throw without a 1; a pair counts twice. */
function gain(faces) {
  const sum = faces.reduce((a, b) => a + b, 0);
  return isPair(faces) ? 2 * sum : sum;
}

// Luck is a number of 32 bits, whatever it is kept in.
const worth = (turn, luck) => Math.fround(turn * Math.fround(luck));

const warmed = (luck) => Math.min(2, Math.fround(Math.fround(luck) + 0.25));

const cooled = (luck) => Math.max(0.25, Math.fround(luck) / 2);

/** The last three faces, the newest first. */
function remembered(recent, face) {
  return Int32Array.of(face, recent[0], recent[1]);
}

module.exports = class Pig {
  spaces = { action: { discrete: 3 }, observation: { shape: [7] } };
  functions = { gain, worth, warmed, cooled, remembered };

  reset() {
    this.state = {
      score: headStart(),
      turn: 0, // points at stake
      turnsLeft: TURNS,
      clock: 0,
      luck: 1, // what a banked point is worth
      counts: [0, 0, 0, 0, 0, 0], // how often each face came up
      recent: new Int32Array(3),
      thrown: 0, // dice in this episode
    };
    return { obs: this.observe() };
  }

  step(action) {
    this.state.clock += 1;
    const reward = action === HOLD ? this.hold() : this.roll(action);
    const { score, turnsLeft, clock } = this.state;
    const terminated = score >= TARGET || turnsLeft === 0;
    return { obs: this.observe(), reward, terminated, truncated: clock >= LIMIT };
  }

  roll(dice) {
    const faces = Array.from({ length: dice }, throwDie);
    for (const face of faces) {
      this.state.counts[face - 1] += 1;
      this.state.recent = remembered(this.state.recent, face);
    }
    this.state.thrown += faces.length;
    if (faces.includes(1)) return this.bust();
    const gained = gain(faces);
    this.state.turn += gained;
    if (isPair(faces) && flip()) this.state.luck = warmed(this.state.luck);
    return 0;
  }

  hold() {
    const reward = worth(this.state.turn, this.state.luck);
    this.state.score += this.state.turn;
    this.state.luck = warmed(this.state.luck);
    this.endTurn();
    return reward;
  }

  bust() {
    this.state.luck = cooled(this.state.luck);
    this.endTurn();
    return BUST;
  }

  endTurn() {
    this.state.turn = 0;
    this.state.turnsLeft -= 1;
  }

  observe() {
    const { score, turn, turnsLeft, luck, recent } = this.state;
    return [score, turn, turnsLeft, luck, ...recent];
  }
};
