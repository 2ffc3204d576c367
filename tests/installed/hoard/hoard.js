// Hoard. An action is 3 * pile + (number of pebbles - 1); 9 waits, which is all that the other player can do.
'use strict';

const WAIT = 9;
const LIMIT = 60; // moves, after which nobody has won

const die = (sides) => Math.floor(Math.random() * sides);

module.exports = class Hoard {
  players = 2;
  spaces = { action: { discrete: 10 }, observation: { shape: [4] } };

  reset() {
    this.state = { piles: [1 + die(5), 1 + die(5), 1 + die(5)], turn: die(2), moves: 0 };
    return { obs: this.observe() };
  }

  step(actions) {
    const { turn } = this.state;
    this.take(actions[turn]);
    const rolled = die(8);
    this.state.moves += 1;
    const empty = this.state.piles.every((pile) => pile === 0);
    if (!empty && rolled < 3) this.state.piles[rolled] = Math.min(5, this.state.piles[rolled] + 1);
    this.state.turn = 1 - turn;
    const reward = empty ? [turn === 0 ? 1 : -1, turn === 0 ? -1 : 1] : [0, 0];
    return { obs: this.observe(), reward, terminated: empty, truncated: this.state.moves >= LIMIT };
  }

  take(action) {
    this.state.piles[Math.floor(action / 3)] -= (action % 3) + 1;
  }

  actions() {
    const moves = [...Array(WAIT).keys()].filter((a) => this.state.piles[Math.floor(a / 3)] > a % 3);
    const mine = moves.length ? moves : [WAIT];
    return [0, 1].map((player) => (player === this.state.turn ? mine : [WAIT]));
  }

  acting() {
    return [0, 1].map((player) => player === this.state.turn);
  }

  observe() {
    const { piles, turn } = this.state;
    return [0, 1].map((player) => [...piles, player === turn ? 1 : 0]);
  }
};
