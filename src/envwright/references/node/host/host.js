// Hosts a game for NodeReference: `node host.js GAME_MODULE [count]`, one JSON object a line in and out.
//
//     game      the author's module, adapted; says what a game must export
//     chance      Math.random and the like, seeded, recorded, replayed
//     probe     the middle of a step, and calls, at `places` in the source, by Node's `inspector`
//     counter   lines and branches that ran
//     wire      values to and from JSON
//     trouble   errors in words
'use strict';

const path = require('node:path');
const { Worker } = require('node:worker_threads');
const { Counter } = require('./counter.js');
const { Game } = require('./game.js');
const { Inspector } = require('./inspector.js');
const { Chance } = require('./chance.js');
const { Probe } = require('./probe.js');
const { describe } = require('./trouble.js');

/** Loads a game; what it gives answers each ask by its name. */
async function open(script, isCounting) {
  let inspector = null;
  let probe = null;
  const inspect = () => (inspector ??= new Inspector());
  const counter = isCounting ? new Counter(inspect(), script) : null;
  const game = await Game.load(script, new Chance());
  const probing = () => (probe ??= new Probe(inspect(), game)); // not before it is asked for, as it slows the game
  counter?.take(); // loading is not play
  return {
    load: () => game.facts,
    reset: (given) => game.reset(given),
    step: (given) => game.step(given),
    look: () => game.look(),
    snapshot: () => game.snapshot(),
    restore: (given) => game.restore(given),
    call: (given) => game.call(given),
    actions: () => game.actions(),
    watch: (given) => probing().watch(given),
    record: (given) => probing().record(given),
    recorded: () => probing().recorded(),
    covered: () => counter.report(),
    leave: () => game.leave(),
    async enter(given) {
      await game.enter(given);
      counter?.take(); // nor is moving in
      return null;
    },
  };
}

/** A game that hangs never sees its input end; a second thread sees that the parent is gone, and ends it. */
function dieWithParent() {
  const watch = `const parent = ${process.ppid};
    setInterval(() => { if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL'); }, 500);`;
  new Worker(watch, { eval: true }).unref();
}

function serve(script, isCounting) {
  dieWithParent();
  const speak = process.stdout.write.bind(process.stdout);
  process.stdout.write = process.stderr.write.bind(process.stderr); // what the game prints is not part of the protocol
  const answer = async (id, act) => {
    let reply;
    try {
      reply = { id, result: await act() };
    } catch (error) {
      reply = { id, error: describe(error) };
    }
    speak(`${JSON.stringify(reply)}\n`);
  };
  const opening = open(script, isCounting);
  const ready = answer(0, async () => (await opening).load());
  let pending = '';
  process.stdin.setEncoding('utf8');
  process.stdin.on('data', async (chunk) => {
    pending += chunk;
    const lines = pending.split('\n');
    pending = lines.pop();
    await ready;
    for (const line of lines) {
      const { id, ask, ...given } = JSON.parse(line);
      await answer(id, async () => (await opening)[ask](given));
    }
  });
  process.stdin.on('end', () => process.exit(0));
  process.on('uncaughtException', (error) => {
    const { message, where } = describe(error);
    process.stderr.write(`${message}${where ? ` at ${where}` : ''}\n`);
    process.exit(1);
  });
}

serve(path.resolve(process.argv[2]), process.argv[3] === 'count');
