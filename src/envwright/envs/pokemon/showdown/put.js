"use strict";
// The inverse of columns.js: a live battle that is in a given state, and goes on as the one that it was read from.
//
// A battle is built from the teams, and what has become of it since is set afterwards. What Showdown keeps besides has no
// part in generation 1, or is made anew by the request with which this ends.

const { Battle, FORMAT } = require("./package.js");
const { tables } = require("./columns.js");
const teams = require("./teams.js");

const STATUSES = ["", "slp", "psn", "brn", "frz", "par"];
const STATS = ["atk", "def", "spe", "spa"];
const BOOSTS = [...STATS, "accuracy", "evasion"];
const HINTS = ["boosting a stat at 999", "dropping a stat at 1"];
const [MOVE, SWITCH] = [1, 2];
const FIRST_WINS = 1;
const TIE = 3;

function put(state) {
  const [p1, p2] = [0, 1].map((side) => ({ name: `p${side + 1}`, team: teams.read(teams.write(state, side)) }));
  const battle = new Battle({ formatid: FORMAT, seed: "1,1,1,1", p1, p2 });
  battle.log.length = battle.sentLogPos = 0;
  for (const side of [0, 1]) putSide(battle, side, one(state, side));
  battle.turn = state.turn;
  battle.lastDamage = state.last_damage;
  battle.queue.clear();
  battle.faintQueue = [];
  HINTS.forEach((words, bit) => (state.hints >> bit) & 1 && battle.hints.add(whole(battle, words)));
  const [high, low] = state.seed;
  battle.prng.rng.seed = [high >>> 16, high & 0xffff, low >>> 16, low & 0xffff];
  ask(battle, state);
  return battle;
}

/** What is of one side. */
function one(state, side) {
  return Object.fromEntries(Object.entries(state).map(([name, value]) => [name, Array.isArray(value) ? value[side] : value]));
}

function putSide(battle, number, state) {
  const side = battle.sides[number];
  const members = side.pokemon.slice();
  const foe = battle.sides[1 - number];
  members.forEach((pokemon, i) => putMember(pokemon, i, state, foe));
  members.forEach((pokemon, i) => {
    pokemon.position = state.order.indexOf(i);
    side.pokemon[pokemon.position] = pokemon;
  });
  side.active[0] = side.pokemon[0];
  putActive(side.active[0], state);
  side.pokemonLeft = members.filter((pokemon) => !pokemon.fainted).length;
  side.totalFainted = members.length - side.pokemonLeft;
  side.faintedThisTurn = state.request === SWITCH ? side.active[0] : null; // who comes then is not hurt by its burn
  side.lastSelectedMove = tables.moves[state.selected];
  side.lastSelectedMoveSlot = state.selected_slot;
  side.lastEnemySelectedMove = tables.moves[state.selected_for_foe];
  side.lastMove = used(battle, state.used);
  side.lastEnemyMove = used(battle, state.used_for_foe);
}

function putMember(pokemon, i, state, foe) {
  pokemon.hp = state.hp[i];
  pokemon.fainted = pokemon.faintQueued = state.hp[i] === 0;
  pokemon.status = STATUSES[state.status[i]];
  const source = state.rested[i] ? pokemon : foe.pokemon[0];
  const time = pokemon.status === "slp" ? { time: state.sleep[i], startTime: state.sleep[i] } : {};
  pokemon.statusState = pokemon.battle.initEffectState({ id: pokemon.status, target: pokemon, source, ...time });
  pokemon.baseMoveSlots.forEach((slot, at) => {
    slot.pp = state.pp[i][at];
    slot.disabled = slot.used = false;
  });
  pokemon.subFainted = state.substitute_broke[i] ? true : null;
  pokemon.previouslySwitchedIn = state.seen[i];
  pokemon.isActive = pokemon.isStarted = false;
  pokemon.clearVolatile(); // and with it, what only the active one has
}

function putActive(pokemon, state) {
  const { battle } = pokemon;
  pokemon.isActive = pokemon.isStarted = !pokemon.fainted;
  pokemon.species = battle.dex.species.get(tables.species[state.active_species]);
  pokemon.setType(state.types.filter((type) => type).map((type) => tables.types[type]), true);
  pokemon.transformed = !!state.transformed;
  const slots = state.active_moves.map((move, at) => slotOf(pokemon, tables.moves[move], state.active_pp[at], at));
  pokemon.moveSlots = slots.filter((slot) => slot);
  STATS.forEach((stat, i) => {
    pokemon.storedStats[stat] = state.stored[i];
    pokemon.modifiedStats[stat] = state.modified[i];
  });
  BOOSTS.forEach((stat, i) => (pokemon.boosts[stat] = state.boosts[i]));
  pokemon.storedStats.spd = pokemon.storedStats.spa;
  pokemon.modifiedStats.spd = pokemon.modifiedStats.spa;
  pokemon.boosts.spd = pokemon.boosts.spa;
  pokemon.speed = state.speed;
  pokemon.lastMove = used(battle, state.last_move);
  pokemon.newlySwitched = false;
  const hold = (id, more = {}) => {
    pokemon.volatiles[id] = battle.initEffectState({ id, name: id, target: pokemon, source: pokemon, ...more });
  };
  if (state.substitute) hold("substitute", { hp: state.substitute });
  if (state.confusion) hold("confusion", { time: state.confusion });
  if (state.recharging) hold("mustrecharge");
  if (state.charging) hold("twoturnmove", { move: "skyattack" });
  if (state.reflect) hold("reflect");
  if (state.flinched) hold("flinch", { duration: 1 });
}

/** The active one's move in a slot: the member's own, or one that Mimic or Transform have put there. */
function slotOf(pokemon, id, pp, at) {
  if (!id) return null;
  const own = pokemon.baseMoveSlots[at];
  if (!pokemon.transformed && own && own.id === id) {
    own.pp = pp;
    return own;
  }
  const move = pokemon.battle.dex.moves.get(id);
  const maxpp = pokemon.battle.calculatePP(move, 3);
  return { move: move.name, id, pp, maxpp, target: move.target, disabled: false, used: false, virtual: true };
}

/** A move as one that was used is kept. What is used before anything was chosen is Fissure by name, and nothing by type. */
function used(battle, number) {
  const id = tables.moves[number];
  if (!id) return null;
  if (id !== "nomove") return battle.dex.getActiveMove(id);
  return Object.assign(battle.dex.getActiveMove("fissure"), { type: "???", basePower: 102, category: "Special", ohko: false });
}

/** The hint that has these words in it, found where it is given. */
function whole(battle, words) {
  const found = new RegExp("[`\"'](In Gen 1, " + words + "[^`\"']*)").exec(battle.boost.toString());
  if (!found) throw new Error(`no hint speaks of ${words}`);
  return found[1];
}

/** Have Showdown ask for the choices that are due. */
function ask(battle, state) {
  battle.clearRequest();
  battle.ended = false;
  if (state.winner) {
    battle.win(state.winner === TIE ? null : battle.sides[state.winner - FIRST_WINS]);
    return;
  }
  const forced = battle.sides.map((_, side) => state.request[side] === SWITCH);
  battle.midTurn = forced.includes(true);
  for (const [i, side] of battle.sides.entries()) {
    const active = side.active[0];
    active.switchFlag = forced[i];
    if (active.fainted && battle.midTurn) active.status = "fnt";
    active.trapped = active.maybeTrapped = active.maybeLocked = active.maybeDisabled = false;
  }
  if (!battle.midTurn && state.request.some((request) => request !== MOVE)) throw new Error("nobody is asked for anything");
  battle.makeRequest(battle.midTurn ? "switch" : "move");
}

module.exports = { put };
