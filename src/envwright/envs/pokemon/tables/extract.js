'use strict';
// Prints, as JSON, what the rules of a generation read of Pokemon Showdown's data: names, species, moves as rows, types.
// ENVWRIGHT_SHOWDOWN is the folder of the package. `extract.py` beside it runs this and writes the tables.

const crypto = require('crypto');
const fs = require('fs');
const path = require('path');

const root = process.env.ENVWRIGHT_SHOWDOWN;
const {Dex} = require(path.join(root, 'dist', 'sim'));
const dex = Dex.mod('gen1');
const randomSets = path.join(root, 'dist', 'data', 'random-battles', 'gen1', 'data.json');

const SOURCES = ['dist/data/mods/gen1/moves.js', 'dist/data/mods/gen1/scripts.js', 'dist/data/mods/gen1/conditions.js',
	'dist/data/mods/gen1/typechart.js', 'dist/data/mods/gen1/pokedex.js', 'dist/data/mods/gen2/moves.js',
	'dist/data/moves.js', 'dist/data/pokedex.js', 'dist/data/typechart.js', 'dist/data/conditions.js',
	'dist/data/rulesets.js', 'dist/data/random-battles/gen1/data.json'];
const STATUSES = ['', 'slp', 'psn', 'brn', 'frz', 'par'];
const BOOSTS = ['atk', 'def', 'spe', 'spa', 'accuracy', 'evasion'];

// Moves whose effect Showdown writes as a function rather than as data: the operation of ours that is the same. The
// second number of Counter, Night Shade and so on is the kind of damage.
const OPERATIONS = {
	mimic: 'mimic', mirrormove: 'mirror move', transform: 'transform', recover: 'recover', softboiled: 'recover',
	rest: 'rest', reflect: 'reflect', substitute: 'substitute', skyattack: 'charge', confuseray: 'confuse',
};
const OPERATION_IDS = ['', 'recover', 'rest', 'substitute', 'reflect', 'confuse', 'mimic', 'transform', 'mirror move',
	'charge'];
const DAMAGE_IDS = ['none', 'formula', 'level', 'half', 'counter', 'knock out'];
// These do not forget the damage done before; `SKIP_LASTDAMAGE` in the scripts, which is not exported.
const scripts = fs.readFileSync(path.join(root, 'dist/data/mods/gen1/scripts.js'), 'utf8');
const list = scripts.match(/SKIP_LASTDAMAGE = [^[]*\[([^\]]*)\]/)[1];
const KEEPS_LAST_DAMAGE = new Set(list.match(/[a-z]+/g));
// Functions that say nothing in generation 1: weather, and the animation of a move.
const IDLE = new Set(['onPrepareHit', 'onModifyMove']);

function pool() {
	const found = new Set();
	for (const set of Object.values(JSON.parse(fs.readFileSync(randomSets, 'utf8')))) {
		for (const value of Object.values(set)) {
			if (Array.isArray(value)) for (const id of value) found.add(dex.moves.get(id).id);
		}
	}
	return [...found].sort();
}

function boost(boosts) {
	const entries = Object.entries(boosts || {}).filter(([stat]) => stat !== 'spd');
	if (boosts && (boosts.spa || boosts.spd) && boosts.spa !== boosts.spd) throw new Error('Special is one stat.');
	if (entries.length > 1) throw new Error('A move changes one stat.');
	return entries.length ? [BOOSTS.indexOf(entries[0][0]) + 1, entries[0][1]] : [0, 0];
}

function status(id) {
	const found = STATUSES.indexOf(id || '');
	if (found < 0) throw new Error(`Status ${id} is not supported.`);
	return found;
}

function damage(move) {
	if (move.ohko) return 'knock out';
	if (move.id === 'counter') return 'counter';
	if (move.id === 'superfang') return 'half';
	if (move.damage === 'level') return 'level';
	if (move.damage || move.damageCallback) throw new Error(`The damage of ${move.id} is not supported.`);
	return move.basePower ? 'formula' : 'none';
}

function row(move, types) {
	for (const key of Object.keys(move)) {
		const known = OPERATIONS[move.id] || ['damageCallback', 'onMoveFail'].includes(key) || IDLE.has(key);
		if (typeof move[key] === 'function' && !known) throw new Error(`${move.id} has a function ${key}.`);
	}
	const secondary = move.secondary || {};
	if (move.secondaries && move.secondaries.length > 1) throw new Error(`${move.id} has two secondary effects.`);
	if (move.volatileStatus && !OPERATIONS[move.id]) throw new Error(`${move.id}: ${move.volatileStatus}`);
	if (secondary.volatileStatus && secondary.volatileStatus !== 'flinch') throw new Error(`${move.id} confuses.`);
	if (move.self && move.self.volatileStatus !== 'mustrecharge') throw new Error(`${move.id} does more to its user.`);
	const hits = Array.isArray(move.multihit) ? move.multihit : [move.multihit || 1, move.multihit || 1];
	const [boostStat, boostBy] = boost(move.boosts);
	const [loweredStat, loweredBy] = boost(secondary.boosts);
	const divisor = pair => (pair ? pair[1] / pair[0] : 0);
	return {
		power: move.basePower,
		type: types.indexOf(move.type),
		accuracy: move.accuracy === true ? 0 : Math.floor(move.accuracy * 255 / 100),
		priority: move.priority,
		category: ['Status', 'Physical', 'Special'].indexOf(move.category),
		crit_ratio: move.critRatio,
		pp: move.pp,
		max_pp: move.pp * 8 / 5 - (move.pp === 40 ? 3 : 0),
		on_self: +(move.target === 'self'),
		damage: DAMAGE_IDS.indexOf(damage(move)),
		hits_least: hits[0],
		hits_most: hits[1],
		recoil: divisor(move.recoil),
		drain: divisor(move.drain),
		status: status(move.status),
		boost_stat: boostStat,
		boost_by: boostBy,
		secondary_chance: Math.ceil((secondary.chance || 0) * 256 / 100),
		secondary_status: status(secondary.status),
		secondary_flinch: +(secondary.volatileStatus === 'flinch'),
		secondary_stat: loweredStat,
		secondary_by: loweredBy,
		operation: OPERATION_IDS.indexOf(OPERATIONS[move.id] || ''),
		ignores_immunity: +(move.ignoreImmunity === undefined ? move.category === 'Status' : !!move.ignoreImmunity),
		explodes: +!!move.selfdestruct,
		crashes: +!!move.hasCrashDamage,
		recharges: +!!move.self,
		keeps_last_damage: +KEEPS_LAST_DAMAGE.has(move.id),
	};
}

const types = ['', ...dex.types.all().filter(type => dex.species.all().some(
	species => species.num >= 1 && species.num <= 151 && !species.forme && species.types.includes(type.name)
)).map(type => type.name).sort()];

const ids = [...pool(), 'struggle'];
const rows = Object.fromEntries(ids.map(id => [id, row(dex.moves.get(id), types)]));
// What is selected where no move is: no more than a turn to recharge, or what one that is thawed before it ever chose a
// move does: a move without a type, of which Showdown keeps Fissure's id, so that Mirror Move makes a Fissure of it.
const blank = Object.fromEntries(Object.keys(rows.struggle).map(key => [key, 0]));
rows.recharge = {...blank, hits_least: 1, hits_most: 1, crit_ratio: 1};
rows.nomove = {...rows.recharge, power: 102, accuracy: Math.floor(100 * 81 / 256 * 255 / 100), category: 2, pp: 10,
	max_pp: 16, damage: DAMAGE_IDS.indexOf('formula')};
rows.fissure = row(dex.moves.get('fissure'), types);
const moves = ['', ...Object.keys(rows)];

const chart = types.map(attacking => types.map(defending => (
	attacking && defending ? dex.types.get(defending).damageTaken[attacking] : 0
)));
const immune = STATUSES.map(status => types.map(type => +(!!type && dex.types.get(type).damageTaken[status] === 3)));

const species = dex.species.all().filter(one => one.num >= 1 && one.num <= 151 && one.gen === 1)
	.sort((a, b) => a.num - b.num);
if (species.some((one, i) => one.num !== i + 1)) throw new Error('The Pokedex has gaps.');

const hash = crypto.createHash('sha256');
for (const file of SOURCES) hash.update(fs.readFileSync(path.join(root, file)));

console.log(JSON.stringify({
	provenance: {
		package: 'pokemon-showdown',
		version: JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8')).version,
		sources: SOURCES,
		sha256: hash.digest('hex'),
	},
	moves,
	move_names: moves.map(id => ({'': '', recharge: 'Recharge', nomove: 'Fissure'}[id] ?? dex.moves.get(id).name)),
	species: ['', ...species.map(one => one.id)],
	species_names: ['', ...species.map(one => one.name)],
	types,
	operations: OPERATION_IDS,
	damages: DAMAGE_IDS,
	move_rows: Object.fromEntries(Object.keys(blank).map(key => [key, [0, ...Object.values(rows).map(r => r[key])]])),
	species_rows: {
		type: species.map(one => types.indexOf(one.types[0])),
		second_type: species.map(one => types.indexOf(one.types[1] || '')),
		...Object.fromEntries(['hp', 'atk', 'def', 'spa', 'spe'].map(key => [key, species.map(one => one.baseStats[key])])),
	},
	chart,
	immune,
}));
