"use strict";
// Functions of Showdown's called alone, on numbers, and what they are called with in play.

const { Battle, FORMAT } = require("./package.js");
const { tables } = require("./columns.js");
const teams = require("./teams.js");

const STATS = ["atk", "def", "spe", "spa"];
const none = -1; // what is no damage: the move has no effect, or none that is a number

let stage = null;

/** A battle of one against one, whose Pokemon are made over for every call. */
function staged() {
  if (!stage) {
    const team = () => [teams.exactly("mew", 100, ["tackle"], [403, 298, 298, 298, 298], 93)];
    stage = new Battle({ formatid: FORMAT, seed: "1,1,1,1", p1: { name: "p1", team: team() }, p2: { name: "p2", team: team() } });
  }
  stage.log.length = stage.sentLogPos = 0;
  return stage;
}

function made(pokemon, { species, level, types, base, modified, reflect }) {
  pokemon.set.species = tables.species_names[species];
  pokemon.level = level;
  pokemon.setType(types.filter((type) => type).map((type) => tables.types[type]), true);
  STATS.forEach((stat, i) => {
    pokemon.baseStoredStats[stat] = base[i];
    pokemon.modifiedStats[stat] = modified[i];
  });
  pokemon.baseStoredStats.spd = base[3];
  pokemon.modifiedStats.spd = modified[3];
  delete pokemon.volatiles.reflect;
  if (reflect) pokemon.volatiles.reflect = pokemon.battle.initEffectState({ id: "reflect", target: pokemon });
}

const functions = {
  /** What a move does to a foe, with the seed that is drawn from: [damage or -1, critical, seed afterwards]. */
  getDamage({ attacker, defender, move, seed }) {
    const battle = staged();
    const [source, target] = battle.sides.map((side) => side.active[0]);
    made(source, attacker);
    made(target, defender);
    const [high, low] = seed;
    battle.prng.rng.seed = [high >>> 16, high & 0xffff, low >>> 16, low & 0xffff];
    const used = battle.dex.getActiveMove(tables.moves[move]);
    if (used.ignoreImmunity === undefined) used.ignoreImmunity = used.category === "Status";
    const damage = battle.actions.getDamage(source, target, used);
    const crit = +!!target.getMoveHitData(used).crit;
    const [a, b, c, d] = battle.prng.rng.seed;
    return [typeof damage === "number" ? damage : none, crit, a * 65536 + b, c * 65536 + d];
  },

  /** A stat after one boost: [modified, boost]. */
  boostBy({ stored, modified, boost, by }) {
    const pokemon = staged().sides[0].active[0];
    pokemon.storedStats.atk = stored;
    pokemon.modifiedStats.atk = modified;
    pokemon.boosts.atk = boost;
    pokemon.boostBy({ atk: by });
    const found = [pokemon.modifiedStats.atk, pokemon.boosts.atk];
    pokemon.clearBoosts();
    return found;
  },

  /** So many numbers below some bounds, one after another: [numbers..., seed afterwards]. */
  random({ seed, bounds }) {
    const battle = staged();
    const [high, low] = seed;
    battle.prng.rng.seed = [high >>> 16, high & 0xffff, low >>> 16, low & 0xffff];
    const found = bounds.map((bound) => battle.random(bound));
    const [a, b, c, d] = battle.prng.rng.seed;
    return [...found, a * 65536 + b, c * 65536 + d];
  },
};

function call(name, given) {
  if (!functions[name]) throw new Error(`there is no function ${name}; there are ${Object.keys(functions).join(", ")}`);
  return functions[name](given);
}

module.exports = { call, functions: Object.keys(functions), record: () => null, recorded: () => ({}) };
