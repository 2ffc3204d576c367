// The author's game, as NodeReference asks for it.
//
// A game module exports an object, a class or a function that returns an object. The least it must have:
//
//     state            an object of plain data: all that changes from step to step, the same names after every reset
//     reset(seed)      a new episode; returns { obs } (and info, if any)
//     step(action)     returns { obs, reward, terminated, truncated, info }; all but obs may be left out
//
// and what it may have:
//
//     spaces           { action: { discrete: n } | { box: { low, high, shape } }, observation: { shape } }
//     actions()        a list of the legal actions, where they are neither of the above or change with the state; of
//                      several players a list for each. Of a discrete space it is also asked after the last step
//     players          how many act at once, if not one: then obs, reward and what step is given are a list of one each
//     acting()         who chooses now, a boolean for each player, where not everybody does
//     functions        { name: function } that can be called in isolation, beside the methods of the game
//     constants        plain data that never changes, for contracts to refer to
//
// Chance is Math.random, which is seeded, recorded and replayed here. A game with a generator of its own says so once:
// a class or function is given `host`, and `host.record(Generator.prototype, 'next', { through: ['nextInt'] })` has
// each outcome of that method recorded as drawn by its caller, where callers named in `through` are looked past.
//
// `state` may be a getter with a setter, for games whose insides are not plain data. An object that is only assigned
// to gets its names overwritten on restore, so the game may hold on to the object itself, but not to what is in it.
'use strict';

const { pathToFileURL } = require('node:url');
const { HostError } = require('./trouble.js');
const { decode, encode } = require('./wire.js');

const NOT_YET = 'it has no state yet; reset it first';

class Game {
  /** The game of a script. */
  static async load(script, chance) {
    const author = await make(script, { record: (...given) => chance.record(...given) });
    for (const name of ['reset', 'step']) {
      if (typeof author?.[name] !== 'function') {
        const wayOut = 'envwright/references/node/host/game.js says what a game must have';
        throw new HostError('usage', `what it exports has no method '${name}'; ${wayOut}`);
      }
    }
    return new Game(author, chance);
  }

  constructor(author, chance) {
    this.author = author;
    this.chance = chance;
    this.names = null; // of the state, since the first reset
    const { spaces = {}, constants = {}, actions, acting, players = 1 } = author;
    this.masked = typeof actions === 'function' && spaces.action?.discrete !== undefined;
    this.taking = typeof acting === 'function';
    this.constants = encode(constants, 'constants');
    this.facts = {
      node: process.version,
      spaces: encode(spaces, 'spaces'),
      choosy: typeof actions === 'function',
      players,
      functions: functionNames(author),
    };
  }

  async reset({ seed, tape }) {
    const { generator } = this.chance;
    if (seed !== null) generator.seed(seed);
    const given = seed ?? Math.floor(generator.random() * 2 ** 32);
    const outcome = await this.play(tape, () => this.author.reset(given));
    this.names ??= Object.keys(this.state());
    return outcome;
  }

  step({ action, tape }) {
    if (!this.names) throw new HostError('usage', NOT_YET);
    return this.play(tape, () => this.author.step(decode(action)));
  }

  async play(tape, act) {
    this.chance.begin(tape && decode(tape));
    let result;
    try {
      result = await act();
    } catch (error) {
      const { fault } = this.chance;
      this.chance.begin(null);
      throw fault ?? error;
    }
    const draws = this.chance.end();
    if (result === null || typeof result !== 'object' || !('obs' in result)) {
      throw new HostError('usage', 'it did not return an object with an obs');
    }
    const { players } = this.facts;
    const nothing = players > 1 ? Array(players).fill(0) : 0;
    const { obs, reward = nothing, terminated = false, truncated = false, info = {} } = result;
    const isGood = players > 1 ? Array.isArray(reward) && reward.length === players && reward.every(isNumber) : isNumber(reward);
    if (!isGood) {
      const wanted = players > 1 ? `${players} numbers, one a player` : 'a number';
      throw new HostError('usage', `the reward is ${String(reward)}, not ${wanted}`);
    }
    return {
      obs: encode(obs, 'obs'),
      reward: encode(reward, 'reward'),
      terminated: Boolean(terminated),
      truncated: Boolean(truncated),
      info: encode(info, 'info'),
      draws,
      legal: this.masked ? this.actions() : null,
      acting: this.taking ? encode(this.author.acting(), 'acting') : null,
    };
  }

  state() {
    const { state } = this.author;
    if (state === null || typeof state !== 'object') throw new HostError('usage', NOT_YET);
    const odd = this.names && [
      ...this.names.filter((name) => !(name in state)),
      ...Object.keys(state).filter((name) => !this.names.includes(name)),
    ];
    if (odd?.length) {
      const wayOut = 'let it be there, or not, from the first reset on';
      throw new HostError('snapshot', `state.${odd[0]} comes and goes; ${wayOut}`);
    }
    return state;
  }

  snapshot() {
    return encode({ ...this.state() }, 'state', true);
  }

  look() {
    return { ...this.constants, ...encode({ ...this.state() }, 'state') };
  }

  restore({ snapshot }) {
    const current = this.state();
    for (const name of Object.keys(snapshot)) {
      if (!(name in current)) throw new HostError('snapshot', `the state has no '${name}' to restore`);
    }
    const accessor = stateAccessor(this.author);
    const changes = Object.fromEntries(
      Object.entries(snapshot).map(([name, wire]) => [name, alike(decode(wire), current[name])]),
    );
    if (!accessor) Object.assign(current, changes);
    else if (accessor.set) this.author.state = { ...current, ...changes };
    else throw new HostError('snapshot', 'state has a getter but no setter, so nothing can be put back; write one');
    return null;
  }

  /** All that another process needs to go on from here; a state that cannot be copied stays behind. */
  leave() {
    const { words } = this.chance.generator;
    try {
      this.restore({ snapshot: {} }); // which throws if nothing can be put back
      return { words, snapshot: this.names && this.snapshot() };
    } catch {
      return { words, snapshot: null };
    }
  }

  /** Go on where another process has left. */
  async enter({ words, snapshot }) {
    if (snapshot) {
      await this.reset({ seed: 0, tape: null });
      this.restore({ snapshot });
    }
    this.chance.generator.words = words;
    return null;
  }

  async call({ function: name, arguments: given }) {
    const found = this.author.functions?.[name] ?? this.author[name];
    if (typeof found !== 'function') {
      throw new HostError('unknown', `has '${name}' neither in its functions nor as a method`);
    }
    return encode(await found.apply(this.author, decode(given)), `what ${name} returned`);
  }

  actions() {
    this.state();
    return encode(this.author.actions(), 'actions');
  }
}

const isNumber = (value) => typeof value === 'number';

/** What the author's module exports, made into an object. */
async function make(script, api) {
  const module = await import(pathToFileURL(script));
  const exported = module.default ?? module;
  if (typeof exported !== 'function') return exported;
  const isClass = /^class\b/.test(Function.prototype.toString.call(exported)) || exported.prototype?.step;
  return isClass ? new exported(api) : await exported(api);
}

/** An object, and what it inherits from, short of what all objects do. */
function owners(object) {
  const isLast = object === null || object === Object.prototype;
  return isLast ? [] : [object, ...owners(Object.getPrototypeOf(object))];
}

/** How `state` is got and set, if it is not a plain value. */
function stateAccessor(author) {
  const found = owners(author).map((owner) => Object.getOwnPropertyDescriptor(owner, 'state')).find(Boolean);
  return found?.get ? found : null;
}

/** What can be called by name, written by the author, and is not asked for otherwise. */
function functionNames(author) {
  const asked = ['constructor', 'reset', 'step', 'actions', 'acting'];
  const isWritten = ({ value }) => typeof value === 'function' && !/\[native code\]\s*\}$/.test(value);
  const all = [author.functions ?? {}, ...owners(author)].flatMap((owner) =>
    Object.entries(Object.getOwnPropertyDescriptors(owner)).filter(([, property]) => isWritten(property)),
  );
  return [...new Set(all.map(([name]) => name))].filter((name) => !asked.includes(name));
}

/** A list where the state has one, and a typed array of the state's kind where it has that. */
function alike(value, current) {
  const isTyped = ArrayBuffer.isView(value);
  if (isTyped && Array.isArray(current)) return Array.from(value);
  if (ArrayBuffer.isView(current) && (isTyped || Array.isArray(value))) return current.constructor.from(value);
  return value;
}

module.exports = { Game };
