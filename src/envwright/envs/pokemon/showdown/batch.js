"use strict";
// Many battles at once. One that ends begins anew within the step, as vectorised environments do: reward and end are
// those of the old battle, all else is the new one's.

const { Game } = require("./game.js");
const { Packed } = require("./packed.js");

const ACTIONS = 10;

class Batch {
  constructor(games, fields, isTraced, coverage) {
    this.games = Array.from({ length: games }, () => new Game(isTraced, coverage));
    const more = [["legal", "bool", 2 * ACTIONS], ["reward", "float32", 2], ["ended", "bool", 1], ["before", "uint32", 2]]; // prettier-ignore
    this.state = new Packed(fields.state, games);
    this.last = new Packed(fields.state, games); // of battles that ended in this step
    this.told = new Packed(more, games);
    this.teams = new Packed(fields.team, games); // of the battle that is on, both sides
    this.starts = new Packed([["start", "uint32", 2]], games); // and the seed with which it began
  }

  begin(teams, seeds) {
    this.games.forEach((game, i) => {
      this.start(i, teams[i], seeds[i]);
      this.tell(i, [0, 0], false, seeds[i]);
    });
    return this.bytes;
  }

  /** `actions` has two bytes a game; `teams` and `seeds` are for those that end. */
  step(actions, teams, seeds) {
    const chosen = Buffer.from(actions, "base64");
    this.games.forEach((game, i) => {
      const before = game.seed;
      game.step([chosen[2 * i], chosen[2 * i + 1]]);
      const { reward, ended } = game;
      if (ended) this.last.write(i, game.state);
      if (ended) this.start(i, teams[i], seeds[i]);
      this.tell(i, reward, ended, before);
    });
    return this.bytes;
  }

  start(i, teams, seed) {
    const game = this.games[i].begin(teams, seed);
    const [one, other] = game.team;
    this.teams.write(i, Object.fromEntries(Object.keys(one).map((name) => [name, [one[name], other[name]]])));
    this.starts.write(i, { start: seed });
  }

  tell(i, reward, ended, before) {
    const game = this.games[i];
    this.state.write(i, game.state);
    this.told.write(i, { legal: game.legal, reward, ended: +ended, before });
  }

  get bytes() {
    const parts = [this.state, this.last, this.told, this.teams, this.starts].map((packed) => packed.bytes);
    return Buffer.concat(parts).toString("base64");
  }
}

module.exports = { Batch };
