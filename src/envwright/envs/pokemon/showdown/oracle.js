"use strict";
// Battles of Pokemon Showdown for the verifier: one JSON object a line in, {id, ask, ...}, and one out, {id, result} or
// {id, error}. ENVWRIGHT_SHOWDOWN names the package's folder.
//
//     game      one battle              columns, put    its state, out of it and into it
//     batch     many battles            packed          their columns as bytes
//     trace     where it draws          coverage        what has been played
//     phases    the middle of an update calls           functions alone

const { Worker } = require("worker_threads");
const { version } = require("./package.js");
const { Game } = require("./game.js");
const { Batch } = require("./batch.js");
const { Coverage } = require("./coverage.js");
const { watch } = require("./phases.js");
const calls = require("./calls.js");

const coverage = new Coverage();
const game = new Game(true, coverage);
let batch = null;

const told = (lines) => ({
  state: game.state,
  legal: game.legal,
  ended: game.ended,
  reward: game.reward,
  draws: game.draws,
  team: game.team,
  log: lines,
});

const asks = {
  hello: () => ({ version, node: process.version }),
  begin: ({ teams, seed }) => told(game.begin(teams, seed).battle.log.filter((line) => !line.startsWith("|t:|"))),
  step: ({ actions, seed }) => told(game.step(actions, seed)),
  watch: ({ actions, seed, points }) => watch(game, points, () => told(game.step(actions, seed))),
  put: ({ state }) => {
    game.put(state);
    return { legal: game.legal, state: game.state };
  },
  call: ({ name, given }) => given.map((one) => calls.call(name, one)),
  record: ({ names }) => calls.record(names),
  recorded: () => calls.recorded(),
  coverage: () => coverage.counts,
  open: ({ games, fields, traced }) => {
    batch = new Batch(games, fields, traced, traced ? coverage : null);
    return null;
  },
  batchBegin: ({ teams, seeds }) => batch.begin(teams, seeds),
  batchStep: ({ actions, teams, seeds }) => batch.step(actions, teams, seeds),
};

/** A process whose parent is gone ends, whatever it is at. */
function dieWithParent() {
  const watcher = `const parent = ${process.ppid};
    setInterval(() => { if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL'); }, 500);`;
  new Worker(watcher, { eval: true }).unref();
}

function serve() {
  dieWithParent();
  const speak = process.stdout.write.bind(process.stdout);
  process.stdout.write = process.stderr.write.bind(process.stderr); // what Showdown prints is not part of the protocol
  let pending = "";
  process.stdin.setEncoding("utf8");
  process.stdin.on("data", (chunk) => {
    pending += chunk;
    const lines = pending.split("\n");
    pending = lines.pop();
    for (const line of lines) {
      const { id, ask, ...given } = JSON.parse(line);
      let reply;
      try {
        reply = { id, result: asks[ask](given) };
      } catch (error) {
        reply = { id, error: `${error.message}`, where: `${error.stack}`.split("\n").slice(1, 4).map((at) => at.trim()) };
      }
      speak(`${JSON.stringify(reply)}\n`);
    }
  });
  process.stdin.on("end", () => process.exit(0));
}

serve();
