"use strict";
// Teams as Showdown wants them: random ones by its own generator, custom ones over the pool of moves, and sets that have
// given stats.

const path = require("path");
const { Dex, Teams, FORMAT, folder } = require("./package.js");
const { tables } = require("./columns.js");

const dex = Dex.mod("gen1");
const STATS = ["hp", "atk", "def", "spe", "spa"];
const sets = require(path.join(folder, "dist/data/random-battles/gen1/data.json"));
const LISTS = ["moves", "essentialMoves", "exclusiveMoves", "comboMoves"];
const POOL = [...new Set(Object.values(sets).flatMap((set) => LISTS.flatMap((list) => set[list] ?? [])))].sort();
const SPECIES = dex.species.all().filter((one) => one.num >= 1 && one.num <= 151 && !one.forme && one.gen === 1);
// Moves with rules of their own, which random teams rarely bring together.
const RARE = [
  "counter", "substitute", "mimic", "transform", "mirrormove", "hyperbeam", "explosion", "selfdestruct", "rest",
  "skyattack", "superfang", "highjumpkick", "pinmissile", "twineedle", "doublekick", "confuseray", "reflect",
  "megadrain", "quickattack", "seismictoss", "nightshade", "amnesia", "agility", "sandattack", "softboiled", "recover",
]; // prettier-ignore

// Showdown throws ("moveSlot is null") where somebody asleep or frozen has transformed, by a move in a slot that the new
// moves do not fill. So these stand first, and nobody has fewer moves than there are of them.
const FIRST = ["transform", "mirrormove", "mimic"];

/** A team as Showdown generates it. */
function random(seed) {
  return Teams.generate(FORMAT, { seed });
}

/** Any species with any moves of the pool; some teams are small, weak, slow, or full of moves with rules of their own. */
function custom(seed) {
  const { PRNG } = require(path.join(folder, "dist/sim/prng.js"));
  const rng = new PRNG(seed);
  const size = rng.randomChance(1, 2) ? 6 : rng.random(1, 7);
  const kind = rng.random(4);
  const species = SPECIES.map((one) => one.id);
  const from = kind === 0 ? RARE.slice() : kind === 1 ? [...RARE, ...POOL] : POOL.slice();
  const level = rng.sample([0, 0, 100, 60, 30, 5]); // 0: each its own
  const same = rng.randomChance(1, 4); // like the first, so that speeds tie
  rng.shuffle(species);
  const found = [];
  for (let i = 0; i < size; i++) {
    rng.shuffle(from);
    const moves = [...new Set(from)].slice(0, rng.randomChance(1, 5) ? 3 : 4);
    moves.sort((a, b) => FIRST.includes(b) - FIRST.includes(a));
    const dvs = STATS.map(() => (same ? 30 : 2 * rng.random(16)));
    const evs = same || rng.randomChance(1, 2) ? 252 : 4 * rng.random(64);
    found.push(set(species[i], level || rng.random(1, 101), moves, dvs, STATS.map(() => evs)));
  }
  return found;
}

/** A team of numbers, as `Team` of state.py has it, as sets with exactly these stats. */
function read(team) {
  const { species, level, moves, stats, speed_points: points } = team;
  const members = species.filter((number) => number).length;
  return Array.from({ length: members }, (_, i) => {
    const names = moves[i].filter((number) => number).map((number) => tables.moves[number]);
    return exactly(tables.species[species[i]], level[i], names, stats[i], points[i]);
  });
}

/** The team of a side at the start of a battle, as numbers. */
function write(state, side) {
  const { species, level, moves, pp, stats, speed_points } = state;
  return { species: species[side], level: level[side], moves: moves[side], pp: pp[side], stats: stats[side], speed_points: speed_points[side] };
}

/** Give a side the PP of a team of numbers, which sets of Showdown's do not have. */
function fill(side, pp) {
  for (const [i, pokemon] of side.pokemon.entries()) {
    for (const [slot, move] of pokemon.baseMoveSlots.entries()) move.pp = pp[i][slot];
  }
}

/** A set of exactly these stats: some of the values and efforts that give them. */
function exactly(id, level, moves, stats, points) {
  const base = dex.species.get(id).baseStats;
  const [dvs, evs] = [[], []];
  for (const [i, stat] of STATS.entries()) {
    const found = solved(base[stat], level, stats[i], stat === "hp", stat === "spe" ? points : null);
    if (!found) throw new Error(`no ${id} of level ${level} has ${stat} ${stats[i]}`);
    dvs.push(found[0]);
    evs.push(found[1]);
  }
  return set(id, level, moves, dvs, evs);
}

/** IV and EV that give a stat; with `points`, which their sum must be, those. */
function solved(base, level, wanted, isHp, points) {
  for (let ev = 252; ev >= 0; ev -= 4) {
    for (let iv = 30; iv >= 0; iv -= 2) {
      if (points !== null && iv + ev / 4 !== points) continue;
      const sum = 2 * base + iv + ev / 4;
      const stat = isHp ? Math.floor(((sum + 100) * level) / 100) + 10 : Math.floor((sum * level) / 100) + 5;
      if (stat === wanted) return [iv, ev];
    }
  }
  return null;
}

function set(id, level, moves, dvs, evs) {
  const name = dex.species.get(id).name;
  const spread = ([hp, atk, def, spe, spc]) => ({ hp, atk, def, spe, spa: spc, spd: spc });
  return { name, species: name, gender: "N", level, moves, ability: "No Ability", item: "", nature: "", ivs: spread(dvs), evs: spread(evs) };
}

module.exports = { random, custom, read, write, fill, exactly, POOL, SPECIES };
