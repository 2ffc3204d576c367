'use strict';
// What `state.py` holds of a battle, read from a live `Battle` of Pokemon Showdown: its fields as nested arrays, the
// choices that its requests allow, and our actions in its words. It changes nothing in the battle.

const tables = require('../tables/gen1.json');

const MEMBERS = 6, SLOTS = 4;
const WAIT = 0, MOVE = 1, SWITCH = 2;
const STATUSES = ['', 'slp', 'psn', 'brn', 'frz', 'par'];
const STATS = ['atk', 'def', 'spe', 'spa'];
const BOOSTS = [...STATS, 'accuracy', 'evasion'];
const HINTS = ['boosting a stat at 999', 'dropping a stat at 1'];

const numbers = names => new Map(names.map((name, number) => [name, number]));
const MOVES = numbers(tables.moves), TYPES = numbers(tables.types), SPECIES = numbers(tables.species);

function number(of, id) {
	const found = of.get(id || '');
	if (found === undefined) throw new Error(`'${id}' is not in the tables of generation 1.`);
	return found;
}

const moveId = id => number(MOVES, id);

// A move that was used; Fissure's id without Fissure's type is that of what moves before anything was chosen.
function used(move) {
	if (!move) return 0;
	return moveId(move.id === 'fissure' && move.type === '???' ? 'nomove' : move.id);
}

// The members of a side in the order in which the team was given, which does not change.
function members(side) {
	return side.team.map(set => side.pokemon.find(pokemon => pokemon.set === set));
}

function filled(list, length, blank) {
	return [...list, ...Array.from({length: length - list.length}, () => blank)];
}

function member(pokemon) {
	const asleep = pokemon.hp > 0 && pokemon.status === 'slp';
	const base = pokemon.baseStoredStats;
	return {
		species: number(SPECIES, pokemon.baseSpecies.id),
		level: pokemon.level,
		stats: [pokemon.maxhp, ...STATS.map(stat => base[stat])],
		speed_points: pokemon.set.ivs.spe + Math.floor(pokemon.set.evs.spe / 4),
		moves: filled(pokemon.baseMoveSlots.map(slot => moveId(slot.id)), SLOTS, 0),
		pp: filled(pokemon.baseMoveSlots.map(slot => slot.pp), SLOTS, 0),
		hp: pokemon.hp,
		status: pokemon.hp > 0 ? STATUSES.indexOf(pokemon.status) : 0,
		sleep: asleep ? pokemon.statusState.time : 0,
		rested: +(asleep && pokemon.statusState.source === pokemon),
		substitute_broke: +!!pokemon.subFainted,
		seen: +(pokemon.previouslySwitchedIn > 0),
	};
}

const NOBODY = {
	species: 0, level: 0, stats: [0, 0, 0, 0, 0], speed_points: 0, moves: [0, 0, 0, 0], pp: [0, 0, 0, 0], hp: 0,
	status: 0, sleep: 0, rested: 0, substitute_broke: 0, seen: 0,
};

function active(pokemon) {
	const volatiles = pokemon.volatiles;
	return {
		active_species: number(SPECIES, pokemon.species.id),
		types: filled(pokemon.types.map(type => number(TYPES, type)), 2, 0),
		active_moves: filled(pokemon.moveSlots.map(slot => moveId(slot.id)), SLOTS, 0),
		active_pp: filled(pokemon.moveSlots.map(slot => slot.pp), SLOTS, 0),
		stored: STATS.map(stat => pokemon.storedStats[stat]),
		modified: STATS.map(stat => pokemon.modifiedStats[stat]),
		boosts: BOOSTS.map(stat => pokemon.boosts[stat]),
		speed: pokemon.hp > 0 ? pokemon.speed : 0,
		substitute: volatiles.substitute ? volatiles.substitute.hp : 0,
		confusion: volatiles.confusion ? volatiles.confusion.time : 0,
		transformed: +pokemon.transformed,
		recharging: +!!volatiles.mustrecharge,
		charging: +!!volatiles.twoturnmove,
		reflect: +!!volatiles.reflect,
		flinched: +!!volatiles.flinch,
		last_move: used(pokemon.lastMove),
	};
}

function request(battle, side) {
	if (battle.ended) return WAIT;
	const asked = side.activeRequest;
	if (!asked || asked.wait) return WAIT;
	return asked.forceSwitch ? SWITCH : MOVE;
}

// [[a, b], [a, b]] of [{a, b}, {a, b}]
function transposed(rows) {
	return Object.fromEntries(Object.keys(rows[0]).map(name => [name, rows.map(one => one[name])]));
}

function seed(battle) {
	const words = battle.prng.getSeed();
	const parts = words.startsWith('gen5,') ?
		words.slice(5).match(/.{4}/g).map(word => parseInt(word, 16)) : words.split(',').map(Number);
	return [parts[0] * 65536 + parts[1], parts[2] * 65536 + parts[3]];
}

function columns(battle) {
	const sides = battle.sides.map(side => {
		const team = members(side);
		if (team.length > MEMBERS) throw new Error(`A team of ${team.length} is more than ${MEMBERS}.`);
		const order = side.pokemon.map(pokemon => team.indexOf(pokemon));
		for (let i = order.length; i < MEMBERS; i++) order.push(i);
		return {
			...transposed(filled(team.map(member), MEMBERS, NOBODY)),
			order,
			...active(side.active[0]),
			selected: moveId(side.lastSelectedMove),
			selected_slot: side.lastSelectedMoveSlot,
			selected_for_foe: moveId(side.lastEnemySelectedMove),
			used: used(side.lastMove),
			used_for_foe: used(side.lastEnemyMove),
			request: request(battle, side),
		};
	});
	const names = battle.sides.map(side => side.name);
	const given = [...battle.hints];
	return {
		...transposed(sides),
		last_damage: battle.lastDamage,
		turn: battle.turn,
		winner: battle.ended ? (battle.winner ? names.indexOf(battle.winner) + 1 : 3) : 0,
		hints: HINTS.reduce((bits, words, i) => bits | (given.some(hint => hint.includes(words)) ? 1 << i : 0), 0),
		seed: seed(battle),
	};
}

// Which of the 10 actions each side may take, as its request has it; who waits may only wait, with action 0.
function legal(battle) {
	return battle.sides.map(side => {
		const asked = request(battle, side);
		const mask = Array(SLOTS + MEMBERS).fill(0);
		if (asked === WAIT) {
			mask[0] = 1;
			return mask;
		}
		const data = asked === MOVE ? side.activeRequest.active[0] : {moves: []};
		data.moves.forEach((move, slot) => {
			if (!move.disabled) mask[slot] = 1;
		});
		members(side).forEach((pokemon, i) => {
			const here = pokemon === side.active[0];
			if (!here && !pokemon.fainted && !data.trapped) mask[SLOTS + i] = 1;
		});
		return mask;
	});
}

// Our action as the choice that the side would make; '' where there is nothing to choose.
function choice(battle, side, action) {
	const chooser = battle.sides[side];
	if (request(battle, chooser) === WAIT) return '';
	if (action < SLOTS) return `move ${action + 1}`;
	return `switch ${chooser.pokemon.indexOf(members(chooser)[action - SLOTS]) + 1}`;
}

module.exports = {columns, legal, choice, tables};
