'use strict';
// Prints random teams as JSON lines, made by Pokemon Showdown's own generator: team n of the seed n.
// Usage: node pool.js NUMBER; ENVWRIGHT_SHOWDOWN is the folder of the package.

const path = require('path');

const root = process.env.ENVWRIGHT_SHOWDOWN;
const {Battle, Teams} = require(path.join(root, 'dist', 'sim'));
const tables = require('./gen1.json');

const FORMAT = 'gen1randombattle';
const number = (names, id) => {
	const found = names.indexOf(id);
	if (found < 0) throw new Error(`'${id}' is not in the tables of generation 1.`);
	return found;
};

function team(n) {
	const sets = Teams.generate(FORMAT, {seed: [0, 0, n >>> 16, n & 0xffff]});
	const battle = new Battle({formatid: FORMAT, seed: '1,2,3,4'});
	battle.setPlayer('p1', {name: 'one', team: Teams.pack(sets)});
	battle.setPlayer('p2', {name: 'two', team: Teams.pack(sets)});
	return battle.sides[0].team.map(set => {
		const pokemon = battle.sides[0].pokemon.find(one => one.set === set);
		const {atk, def, spe, spa} = pokemon.baseStoredStats;
		return {
			species: number(tables.species, pokemon.species.id),
			level: pokemon.level,
			moves: pokemon.baseMoveSlots.map(slot => number(tables.moves, slot.id)),
			pp: pokemon.baseMoveSlots.map(slot => slot.pp),
			stats: [pokemon.maxhp, atk, def, spe, spa],
			speed_points: set.ivs.spe + Math.floor(set.evs.spe / 4),
		};
	});
}

for (let n = 0; n < +process.argv[2]; n++) console.log(JSON.stringify(team(n)));
