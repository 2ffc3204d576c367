"use strict";
// One battle: begun from teams and a seed, taken on by an action of each side, looked at, put into another state.

const { Battle, FORMAT } = require("./package.js");
const { columns, legal, choice } = require("./columns.js");
const { traced } = require("./trace.js");
const teams = require("./teams.js");
const { put } = require("./put.js");

class Game {
  battle = null;
  draws = null; // of the last update; null: not traced
  team = null; // as the battle began

  constructor(isTraced, coverage = null) {
    this.isTraced = isTraced;
    this.coverage = coverage;
  }

  /** A new battle. `given` has an entry a side: {random: seed}, {custom: seed}, or a team as numbers. */
  begin(given, seed) {
    const made = given.map((one) => (one.random ? teams.random(one.random) : one.custom ? teams.custom(one.custom) : teams.read(one)));
    const [p1, p2] = made.map((team, i) => ({ name: `p${i + 1}`, team }));
    this.battle = new Battle({ formatid: FORMAT, seed: written(seed), p1, p2 });
    for (const [i, one] of given.entries()) if (one.pp) teams.fill(this.battle.sides[i], one.pp);
    const state = columns(this.battle);
    this.team = [0, 1].map((side) => teams.write(state, side));
    this.watch();
    return this;
  }

  /** One update. With a seed the generator is put there first. */
  step(actions, seed = null) {
    const { battle } = this;
    if (battle.ended) throw new Error("the battle is over");
    if (seed) this.seed = seed;
    if (this.draws) this.draws.length = 0;
    const log = battle.log.length;
    // Both are asked before either is told, for a choice may change what is known of the other's.
    const choices = battle.sides.map((_, side) => choice(battle, side, actions[side]));
    for (const [i, words] of choices.entries()) {
      if (words && !battle.sides[i].choose(words)) {
        const why = battle.sides[i].choice.error || "no reason given";
        battle.sides.forEach((side) => side.clearChoice());
        throw new Error(`side ${i} cannot take action ${actions[i]}, ${words} (${why})`);
      }
    }
    battle.commitChoices();
    const lines = battle.log.slice(log).filter((line) => !line.startsWith("|t:|"));
    if (this.coverage) this.count(lines);
    return lines;
  }

  count(lines) {
    this.coverage.read(lines);
    for (const draw of this.draws ?? []) this.coverage.add("draw", `${draw.site} ${draw.method}`);
  }

  /** The battle put into another state: one of the same number of members, given as columns. */
  put(state) {
    this.battle = put(state);
    this.watch();
  }

  watch() {
    this.draws = this.isTraced ? traced(this.battle) : null;
    this.coverage?.watch(this.battle);
  }

  get state() {
    return columns(this.battle);
  }

  get legal() {
    return legal(this.battle);
  }

  get ended() {
    return this.battle.ended;
  }

  /** 1 for whoever has won, -1 for who has lost; nothing for a tie, or before the end. */
  get reward() {
    const { winner } = this.battle;
    return winner ? this.battle.sides.map((side) => (side.name === winner ? 1 : -1)) : [0, 0];
  }

  get seed() {
    const [a, b, c, d] = this.battle.prng.rng.seed;
    return [a * 65536 + b, c * 65536 + d];
  }

  set seed([high, low]) {
    this.battle.prng.rng.seed = [high >>> 16, high & 0xffff, low >>> 16, low & 0xffff];
  }
}

/** A seed of two words as Showdown reads it. */
function written(seed) {
  return `gen5,${seed.map((word) => word.toString(16).padStart(8, "0")).join("")}`;
}

module.exports = { Game };
