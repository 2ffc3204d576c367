"use strict";
// Battles that nobody watches, with random choices of their own, as fast as Pokemon Showdown plays them: for benchmarks.
// A line on the standard input is {"steps": n, "seed": s}; all battles take n updates, and a line comes back.
// Usage: node race.js BATTLES

const readline = require("readline");
const { Battle, Teams, FORMAT } = require("./package.js");

const TEAMS = 64; // made beforehand, as ours are
const packed = Array.from({ length: TEAMS }, (_, i) => Teams.pack(Teams.generate(FORMAT, { seed: [0, 0, 1, i] })));
let word = 1;

/** A small generator for choices: xorshift. */
function below(n) {
  word ^= word << 13;
  word ^= word >>> 17;
  word ^= word << 5;
  return (word >>> 0) % n;
}

function begin() {
  const player = (name) => ({ name, team: packed[below(TEAMS)] });
  const seed = [0, 0, 0, 0].map(() => below(65536)).join(",");
  return new Battle({ formatid: FORMAT, seed, p1: player("one"), p2: player("two") });
}

/** Any of the choices that a request allows. */
function choice(request) {
  const found = [];
  const able = (pokemon) => !pokemon.active && !pokemon.condition.endsWith(" fnt");
  const active = request.active?.[0];
  active?.moves.forEach((move, i) => {
    if (!move.disabled && move.pp !== 0) found.push(`move ${i + 1}`);
  });
  if (!active?.trapped) {
    request.side.pokemon.forEach((pokemon, i) => {
      if (able(pokemon)) found.push(`switch ${i + 1}`);
    });
  }
  return found.length ? found[below(found.length)] : "default";
}

function step(battle) {
  for (const side of battle.sides) {
    if (side.activeRequest && !side.activeRequest.wait) side.choose(choice(side.activeRequest));
  }
  battle.commitChoices();
  return battle.ended ? begin() : battle;
}

let battles = Array.from({ length: +process.argv[2] }, begin);
console.log(JSON.stringify({ ready: true }));
readline.createInterface({ input: process.stdin }).on("line", (line) => {
  const { steps, seed } = JSON.parse(line);
  word = seed || 1;
  for (let i = 0; i < steps; i++) battles = battles.map(step);
  console.log(JSON.stringify({ updates: steps * battles.length }));
});
