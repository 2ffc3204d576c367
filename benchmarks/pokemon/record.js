'use strict';
// node record.js FILE N SEED POLICY TEAMS [MOVES [SPECIES]]: play N battles in Pokemon Showdown and write every state that
// it comes through, and with LOG=1 what each update added to the log, for `replay.py` to compare.
// POLICY: uniform, attack (no voluntary switches), or frozen (p2 chooses no move before one of its members was thawed).
// TEAMS: random, custom, or focus: few species and few moves (or MOVES and SPECIES, by comma), the same on both sides, with
// little PP, so that rare things meet.

const fs = require('fs');
const path = require('path');
const folder = path.join(__dirname, '../../src/envwright/envs/pokemon/showdown');
const {Battle, FORMAT} = require(path.join(folder, 'package.js'));
const teams = require(path.join(folder, 'teams.js'));
const {columns, legal, choice} = require(path.join(folder, 'columns.js'));
const [file, count, seed, policy, kind] = [process.argv[2], +process.argv[3], +process.argv[4], ...process.argv.slice(5)];

let state = (seed * 2654435761 + 12345) >>> 0;
function random(n) { // our own draws: choices and seeds, not those of the battle
	state ^= state << 13; state >>>= 0; state ^= state >>> 17; state ^= state << 5; state >>>= 0;
	return Math.floor(state / 2 ** 32 * n);
}
const seeded = () => [0, 0, 0, 0].map(() => random(65536)).join(',');

function flat(value, out) {
	if (Array.isArray(value)) for (const one of value) flat(one, out);
	else out.push(value);
}
const WIDE = new Set(['last_damage', 'seed']);
function words(fields, names) {
	const out = [];
	for (const name of names) {
		const list = [];
		flat(fields[name], list);
		for (const value of list) {
			if (WIDE.has(name)) out.push(value >>> 16, value & 0xffff);
			else out.push(value);
		}
	}
	return out;
}

function focus() {
	const some = (list, n) => Array.from({length: n}, () => list[random(list.length)]);
	const moves = process.argv[7] ? process.argv[7].split(',') : some(teams.POOL, 3 + random(4));
	const species = process.argv[8] ?
		teams.SPECIES.filter(one => process.argv[8].split(',').includes(one.id)) : some(teams.SPECIES, 1 + random(3));
	const levels = [100, 100, 80, 30, 5][random(5)], size = 1 + random(6);
	return [0, 1].map(() => Array.from({length: size}, () => {
		const one = species[random(species.length)];
		const dv = random(2) * 30, ev = random(2) * 252;
		const spread = n => ({hp: n, atk: n, def: n, spe: n, spa: n, spd: n});
		return {name: one.name, species: one.name, gender: 'N', level: levels, moves: [...new Set(some(moves, 4))], item: '',
			ability: 'No Ability', nature: '', ivs: spread(dv), evs: spread(ev)};
	}));
}

function told(lines) { // without the time and hints for people, of which some are shown to one side only
	return lines.filter((line, i) => !(/^\|(t:|-hint)/.test(line) || (lines[i + 1] || '').startsWith('|-hint') &&
		line.startsWith('|split|') || (lines[i - 1] || '').startsWith('|-hint') && !line));
}

const fd = fs.openSync(file, 'w');
const log = process.env.LOG && fs.openSync(file + '.log', 'w'); // what each update added to the log, a line each
let names, header, updates = 0, crashed = 0;
for (let n = 0; n < count; n++) {
	const start = seeded();
	const battle = new Battle({formatid: FORMAT, seed: start});
	const [a, b] = kind === 'focus' ? focus() : [teams[kind](seeded()), teams[kind](seeded())];
	battle.setPlayer('p1', {name: 'A', team: a});
	battle.setPlayer('p2', {name: 'B', team: b});
	if (kind === 'focus') {
		const most = [1, 3, 10, 64][random(4)];
		for (const side of battle.sides) {
			teams.fill(side, side.pokemon.map(one => one.baseMoveSlots.map(slot => Math.min(slot.pp, 1 + random(most)))));
		}
	}
	const rows = [], logs = [];
	let before = start.split(',').map(Number);
	let now = columns(battle);
	names ??= Object.keys(now);
	if (!header) {
		header = names.map(name => { const list = []; flat(now[name], list); return [name, list.length, WIDE.has(name)]; });
		const line = JSON.stringify(header) + '\n';
		fs.writeSync(fd, line);
	}
	let first = 1;
	let actions = [0, 0];
	try {
		for (;;) {
			const masks = legal(battle);
			const record = [first, n & 0x7fff, ...actions, ...before, ...masks.flat(), ...words(now, names)];
			rows.push(record);
			logs.push(first ? [] : told(battle.log));
			battle.log.length = 0; battle.sentLogPos = 0;
			if (battle.ended || rows.length > 3000) break;
			first = 0;
			before = [0, 0, 0, 0];
			actions = masks.map((mask, side) => {
				let from = [];
				mask.forEach((may, i) => { if (may) from.push(i); });
				if (policy === 'attack' && from.some(i => i < 4)) from = from.filter(i => i < 4);
				const one = battle.sides[side].active[0];
				const waits = policy === 'frozen' && side === 1 && one.status !== 'frz' && !one.lastMove;
				if (policy === 'frozen' && from.some(i => (i < 4) !== waits)) from = from.filter(i => (i < 4) !== waits);
				return from[random(from.length)];
			});
			actions.forEach((action, side) => {
				const words = choice(battle, side, action);
				if (words && !battle.sides[side].choose(words)) throw new Error(`${words}: ${battle.sides[side].choice.error}`);
			});
			battle.commitChoices();
			now = columns(battle);
		}
	} catch (error) {
		if (!/moveSlot is null|Cannot read prop/.test(error.message)) throw error;
		crashed++;
		if (crashed < 4) console.error(error.stack.split('\n').slice(0, 3).join(' '));
	}
	if (log) fs.writeSync(log, logs.map(lines => JSON.stringify(lines) + '\n').join(''));
	updates += rows.length - 1;
	fs.writeSync(fd, Buffer.from(Int16Array.from(rows.flat()).buffer));
}
fs.closeSync(fd);
console.log(JSON.stringify({battles: count, updates, crashed}));
