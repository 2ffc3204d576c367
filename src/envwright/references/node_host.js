// Hosts a game for NodeReference: `node node_host.js GAME_MODULE`, one JSON object a line in and out.
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
//     actions()        a list of the legal actions, where they are neither of the above or change with the state
//     functions        { name: function } that can be called in isolation, beside the methods of the game
//     constants        plain data that never changes, for contracts to refer to
//
// Luck is Math.random, which is seeded, recorded and replayed here. A game with a generator of its own says so once:
// a class or function is given `host`, and `host.record(Generator.prototype, 'next', { through: ['nextInt'] })` has
// each outcome of that method recorded as drawn by its caller, where callers named in `through` are looked past.
//
// `state` may be a getter with a setter, for games whose insides are not plain data. An object that is only assigned
// to gets its names overwritten on restore, so the game may hold on to the object itself, but not to what is in it.
'use strict';

const path = require('node:path');
const { pathToFileURL, fileURLToPath } = require('node:url');

const MARK = '$'; // the key that makes an object on the wire stand for something JSON does not have
const NAME = /^[\p{L}_$][\p{L}\p{N}_$]*$/u;
const TYPED = { Float32Array, Float64Array, Int8Array, Int16Array, Int32Array, Uint8Array, Uint16Array, Uint32Array };

/** Something the other side can put right; `kind` says which of its errors to raise. */
class HostError extends Error {
  constructor(kind, message) {
    super(message);
    this.kind = kind;
  }
}

// ---- plain data, and the few things JSON does not have ----

function unplain(where, what) {
  const wayOut = 'keep plain data, or give state a getter and a setter';
  return new HostError('snapshot', `${where} is ${what}, which cannot be copied; ${wayOut}`);
}

/** `value` for the wire. `strict` also refuses one object in two places, which a copy would tear apart. */
function encode(value, where, strict = false, seen = new Map()) {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      if (Number.isFinite(value) && !Object.is(value, -0)) return value;
      return { [MARK]: 'number', value: Object.is(value, -0) ? '-0.0' : String(value) };
    case 'undefined':
      return { [MARK]: 'undefined' };
    case 'bigint':
      return { [MARK]: 'bigint', value: String(value) };
    case 'object':
      return value === null ? null : encodeObject(value, where, strict, seen);
    default:
      throw unplain(where, `a ${typeof value}`);
  }
}

function encodeObject(value, where, strict, seen) {
  if (seen.has(value)) throw unplain(where, `the same object as ${seen.get(value)}`);
  seen.set(value, where);
  const inner = (item, name) => encode(item, `${where}${name}`, strict, seen);
  const encoded = encodeKind(value, where, inner);
  if (!strict) seen.delete(value); // only cycles matter
  return encoded;
}

function encodeKind(value, where, inner) {
  if (Array.isArray(value)) return Array.from(value, (item, i) => inner(item, `[${i}]`));
  if (value instanceof Map) {
    const entries = [...value].map(([key, item], i) => [inner(key, `.key${i}`), inner(item, `.value${i}`)]);
    return { [MARK]: 'map', entries };
  }
  if (value instanceof Set) return { [MARK]: 'set', values: [...value].map((item, i) => inner(item, `[${i}]`)) };
  const kind = value.constructor?.name;
  if (ArrayBuffer.isView(value) && TYPED[kind] === value.constructor) {
    const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    return { [MARK]: 'array', kind, bytes: bytes.toString('base64') };
  }
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) throw unplain(where, `a ${kind}`);
  const entries = Object.entries(value).map(([key, item]) => [key, inner(item, `.${key}`)]);
  return MARK in value ? { [MARK]: 'object', entries } : Object.fromEntries(entries);
}

function decode(wire) {
  if (wire === null || typeof wire !== 'object') return wire;
  if (Array.isArray(wire)) return wire.map(decode);
  switch (wire[MARK]) {
    case undefined:
      return Object.fromEntries(Object.entries(wire).map(([key, item]) => [key, decode(item)]));
    case 'number':
      return Number(wire.value);
    case 'undefined':
      return undefined;
    case 'bigint':
      return BigInt(wire.value);
    case 'map':
      return new Map(decode(wire.entries));
    case 'set':
      return new Set(decode(wire.values));
    case 'object':
      return Object.fromEntries(decode(wire.entries));
    case 'array': {
      const bytes = Uint8Array.from(Buffer.from(wire.bytes, 'base64')); // a copy, so that it starts where it may
      return new TYPED[wire.kind](bytes.buffer);
    }
    default:
      throw new HostError('usage', `a value on the wire is marked '${wire[MARK]}', which means nothing here`);
  }
}

// ---- luck ----

/** Marsaglia's xorshift on 128 bits of state. */
class Generator {
  seed(seed) {
    let mixed = (seed ^ Math.imul(Math.floor(seed / 2 ** 32), 0x9e3779b1)) | 0;
    this.words = Array.from({ length: 4 }, () => {
      mixed = (mixed + 0x6d2b79f5) | 0;
      const stirred = Math.imul(mixed ^ (mixed >>> 16), 0x45d9f3b);
      return Math.imul(stirred ^ (stirred >>> 15), 0x2c1b3c6d) | 1; // odd, so never all zero
    });
    for (let i = 0; i < 16; i++) this.word();
  }

  word() {
    let [x, y, z, w] = this.words;
    x ^= x << 11;
    x ^= x >>> 8;
    this.words = [y, z, w, w ^ (w >>> 19) ^ x];
    return this.words[3] >>> 0;
  }

  /** A multiple of 2**-53 in [0, 1). */
  random() {
    return ((this.word() >>> 5) * 2 ** 26 + (this.word() >>> 6)) / 2 ** 53;
  }
}

/** Where a stack frame is: a path, or '' for what is not a game's. */
function fileOf(frame) {
  const file = frame.getFileName() ?? '';
  const local = file.startsWith('file:') ? fileURLToPath(file) : file;
  return path.isAbsolute(local) && local !== __filename ? local : '';
}

const lastPart = (name) => name.slice(name.lastIndexOf('.') + 1); // V8 may call a function by its path, Game.roll

/** Who is drawing: "file.js:LINE function". An anonymous callback goes by the function around it. */
function callSite(through) {
  const { prepareStackTrace, stackTraceLimit } = Error;
  Error.prepareStackTrace = (_, frames) => frames;
  Error.stackTraceLimit = 30;
  const frames = new Error().stack;
  Object.assign(Error, { prepareStackTrace, stackTraceLimit });
  let place = null;
  for (const frame of frames) {
    const file = fileOf(frame);
    const name = lastPart(frame.getFunctionName() ?? '');
    if (!file || (!place && through.includes(name))) continue;
    place ??= `${path.basename(file)}:${frame.getLineNumber()}`;
    if (name) return `${place} ${name}`;
  }
  return `${place ?? '<unknown>:0'} <module>`;
}

/** Records what is drawn, or replays what was. */
class Luck {
  constructor() {
    this.inside = false;
    this.begin(null);
  }

  begin(tape) {
    this.tape = tape;
    this.draws = [];
    this.fault = null;
  }

  /** What was drawn since `begin`; a tape must have been used up, even if the game swallowed the error. */
  end() {
    const { draws, tape, fault } = this;
    this.begin(null);
    if (fault) throw fault;
    if (tape && draws.length < tape.length) {
      const rest = tape.slice(draws.length);
      throw new HostError('tape', `the tape has ${rest.length} draws too many, the first for ${rest[0].site}`);
    }
    return draws;
  }

  draw(method, through, produce) {
    if (this.inside) return produce(); // a recorded method that uses another one
    this.inside = true;
    try {
      const site = callSite(through);
      const fresh = produce(); // under a tape too, so that a generator kept in the state moves on
      const value = this.tape ? this.replay(site, method) : fresh;
      this.draws.push({ site, method, value: encode(value, `the outcome of ${method} at ${site}`) });
      return value;
    } finally {
      this.inside = false;
    }
  }

  replay(site, method) {
    const next = this.tape[this.draws.length];
    if (!next) this.refuse(`the tape has ${this.tape.length} draws, and ${site} asks for one more`);
    const which = `draw ${this.draws.length} of the tape`;
    const drawer = (place) => place.split(' ').at(-1);
    if (drawer(next.site) !== drawer(site) || next.method !== method) {
      this.refuse(`${which} is ${next.method} for ${next.site}, but ${site} asks for ${method}`);
    }
    if (method === 'Math.random' && !(next.value >= 0 && next.value < 1)) {
      this.refuse(`${which} is ${next.value}, which Math.random at ${site} never gives`);
    }
    return next.value;
  }

  refuse(message) {
    this.fault ??= new HostError('tape', message);
    throw this.fault;
  }
}

// ---- the middle of a step ----

/** Stops the game at places in its source by the debugger that is in every Node, without changing that source. */
class Probe {
  constructor(game) {
    this.game = game;
    this.scripts = new Map(); // id: file, of all that is not Node's own
    this.places = new Map(); // of what was looked up before
    this.armed = new Map(); // place: its breakpoint, and what to do there
    this.fault = null;
    const { Session } = require('node:inspector');
    this.session = new Session();
    this.session.connect();
    this.session.on('Debugger.scriptParsed', ({ params }) => {
      const file = params.url.startsWith('file:') ? fileURLToPath(params.url) : __filename;
      if (file !== __filename) this.scripts.set(params.scriptId, path.basename(file));
    });
    this.session.on('Debugger.paused', ({ params }) => {
      try {
        for (const { breakpointId, sees } of this.armed.values()) {
          if (params.hitBreakpoints?.includes(breakpointId)) sees.forEach((see) => see(params.callFrames[0]));
        }
      } catch (error) {
        this.fault ??= error;
      }
    });
    this.post('Debugger.enable');
  }

  /** Commands to one's own thread are answered before `post` returns. */
  post(method, params = {}) {
    let answer;
    this.session.post(method, params, (error, result) => {
      if (error) throw new Error(`${method}: ${error.message}`);
      answer = result;
    });
    return answer;
  }

  /** Run `see(frame)` at each place, until the returned function is called; that raises what `see` raised. */
  arm(wanted) {
    for (const { place, see } of wanted) {
      const key = JSON.stringify(place);
      if (!this.armed.has(key)) {
        const { breakpointId } = this.post('Debugger.setBreakpoint', { location: place });
        this.armed.set(key, { breakpointId, sees: [] });
      }
      this.armed.get(key).sees.push(see);
    }
    return () => {
      for (const { place, see } of wanted) this.leave(JSON.stringify(place), see);
      const { fault } = this;
      this.fault = null;
      if (fault) throw fault;
    };
  }

  leave(key, see) {
    const { breakpointId, sees } = this.armed.get(key);
    sees.splice(sees.indexOf(see), 1);
    if (sees.length) return;
    this.armed.delete(key);
    this.post('Debugger.removeBreakpoint', { breakpointId });
  }

  /** The functions of that name: any alive in the heap, exported or not, and the game's own, which may be nameless. */
  functions(name) {
    const objectGroup = 'functions';
    const remote = (expression) => this.post('Runtime.evaluate', { expression, objectGroup }).result.objectId;
    const all = this.post('Runtime.queryObjects', { prototypeObjectId: remote('Function.prototype'), objectGroup });
    globalThis.__envwright = [this.game[name], this.game.functions?.[name]];
    const wanted = this.post('Runtime.callFunctionOn', {
      objectId: all.objects.objectId,
      functionDeclaration: `function (name) {
        const named = this.filter((one) => Object.getOwnPropertyDescriptor(one, 'name')?.value === name);
        return [...new Set([...__envwright, ...named])].filter((one) => typeof one === 'function');
      }`,
      arguments: [{ value: name }],
      objectGroup,
    });
    delete globalThis.__envwright;
    const found = new Map(); // by location: closures of the same function are one
    for (const { value } of this.properties(wanted.result.objectId).result.filter(({ name }) => /^\d+$/.test(name))) {
      const { internalProperties = [] } = this.properties(value.objectId);
      const location = internalProperties.find(({ name }) => name === '[[FunctionLocation]]')?.value.value;
      if (!this.scripts.has(location?.scriptId)) continue;
      found.set(JSON.stringify(location), this.locate(location, value.description));
    }
    this.post('Runtime.releaseObjectGroup', { objectGroup });
    if (found.size) return [...found.values()];
    const wayOut = 'for one that is made in the middle of a step, name the one around it';
    throw new HostError('unknown', `has no function '${name}'; ${wayOut}`);
  }

  properties(objectId) {
    return this.post('Runtime.getProperties', { objectId, ownProperties: true });
  }

  /** A function by its text, which V8 says is around `location`: that is where its arguments are. */
  locate(location, text) {
    const { scriptSource } = this.post('Debugger.getScriptSource', { scriptId: location.scriptId });
    const above = scriptSource.split('\n').slice(0, location.lineNumber);
    const offset = above.reduce((sum, row) => sum + row.length + 1, location.columnNumber);
    const before = scriptSource.slice(0, scriptSource.lastIndexOf(text, offset)).split('\n');
    const lead = before.at(-1);
    return { file: this.scripts.get(location.scriptId), location, text, lead, line: before.length - 1 };
  }

  /** Where the debugger can stop in a function, from line `from` of its text to before line `to`. */
  stops({ location, text, lead, line }, from, to = Infinity) {
    const { scriptId } = location;
    const lines = (lead + text).split('\n');
    const last = { scriptId, lineNumber: line + lines.length - 1, columnNumber: lines.at(-1).length };
    const { locations } = this.post('Debugger.getPossibleBreakpoints', {
      start: from === 0 ? location : { scriptId, lineNumber: line + from, columnNumber: 0 },
      end: to < lines.length ? { scriptId, lineNumber: line + to, columnNumber: 0 } : last,
      restrictToFunction: from === 0, // and not in functions within it
    });
    return locations.map(({ type, ...place }) => ({ type, place }));
  }

  /** The places of a watchpoint: one for a line, all the returns if it names none. */
  lookUp({ function: name, line, occurrence }) {
    const key = JSON.stringify([name, line, occurrence]);
    if (!this.places.has(key)) {
      const functions = this.functions(name);
      const places = functions.flatMap((one) => (line ? this.beforeLine(one, line, occurrence) : this.returns(one)));
      if (!places.length) {
        const which = occurrence === 1 ? '' : ` number ${occurrence}`;
        throw new HostError('unknown', `has no line${which} '${line}' in ${name} of ${functions[0].file}`);
      }
      this.places.set(key, places);
    }
    return this.places.get(key);
  }

  beforeLine(found, line, occurrence) {
    const lines = (found.lead + found.text).split('\n').map((text) => text.trim());
    const at = lines.flatMap((text, i) => (text === line.trim() ? [i] : []))[occurrence - 1];
    if (at === undefined) return [];
    // A line that only closes a block has no stop of its own; the next one is where it leads.
    const stop = this.stops(found, at, at + 1)[0] ?? this.stops(found, at)[0];
    return stop ? [stop.place] : [];
  }

  returns(found) {
    return this.stops(found, 0).filter(({ type }) => type === 'return').map(({ place }) => place);
  }

  /** Where a function begins, and the names of its arguments. */
  entries(name) {
    return this.functions(name).map((found) => {
      const [{ place }] = this.stops(found, 0);
      return { place, names: argumentNames(found.text) };
    });
  }

  /** The names that the function in `frame` can see in itself, and around itself up to the module. */
  localNames(frame) {
    const own = ['local', 'block', 'catch'];
    const near = frame.scopeChain.filter(({ type, name }) => own.includes(type) || (type === 'closure' && name));
    return near.flatMap(({ object }) => this.properties(object.objectId).result.map(({ name }) => name));
  }

  /** Values of names in `frame`, on the wire; what has none yet, or none that is plain data, is left out. */
  values(frame, names) {
    const readable = (name) => NAME.test(name) && !['this', 'arguments'].includes(name);
    const thunks = [...new Set(names)].filter(readable).map((name) => `${name}: () => ${name}`);
    const values = {};
    globalThis.__envwright = (given) => {
      for (const [name, thunk] of Object.entries(given)) {
        // To a debugger, what is not declared yet is undefined.
        keep(values, name, thunk, (value) => value !== undefined);
      }
    };
    const expression = `__envwright({ ${thunks.join(', ')} })`;
    this.post('Debugger.evaluateOnCallFrame', { callFrameId: frame.callFrameId, expression });
    delete globalThis.__envwright;
    return values;
  }

  /** At a return, what is returned, as `result`. */
  result({ returnValue, scopeChain: [{ object }] }) {
    if (!returnValue) return {};
    const { value, unserializableValue, objectId } = returnValue;
    const values = {};
    globalThis.__envwright = (given) => keep(values, 'result', () => given);
    this.post('Runtime.callFunctionOn', {
      objectId: object.objectId,
      functionDeclaration: 'function (given) { __envwright(given); }',
      arguments: [objectId ? { objectId } : { value, unserializableValue }],
    });
    delete globalThis.__envwright;
    return values;
  }
}

/** Put what `thunk` gives into `values` if it is plain data. */
function keep(values, name, thunk, wanted = () => true) {
  try {
    const value = thunk();
    if (wanted(value)) values[name] = encode(value, name);
  } catch {
    // not plain, or not there
  }
}

/** The names of a function's arguments; one that is taken apart where it is declared has none. */
function argumentNames(source) {
  const text = source.replace(/\/\*[^]*?\*\//g, ' ').replace(/\/\/.*$/gm, ' ');
  const single = /^(?:async\s+)?([\p{L}_$][\p{L}\p{N}_$]*)\s*=>/u.exec(text);
  if (single) return [single[1]];
  const pieces = [''];
  let depth = 0;
  for (const char of text.slice(text.indexOf('(') + 1)) {
    if ('([{'.includes(char)) depth += 1;
    if (')]}'.includes(char)) depth -= 1;
    if (depth < 0) break;
    if (char === ',' && depth === 0) pieces.push('');
    else pieces[pieces.length - 1] += char;
  }
  return pieces.map((piece) => /^\s*(?:\.\.\.)?([\p{L}_$][\p{L}\p{N}_$]*)\s*(?:=|$)/u.exec(piece)?.[1]).filter(Boolean);
}

// ---- the game ----

/** What a game module exports, made into a game. */
async function load(script, api) {
  const module = await import(pathToFileURL(script));
  const exported = module.default ?? module;
  if (typeof exported !== 'function') return exported;
  const isClass = /^class\b/.test(Function.prototype.toString.call(exported)) || exported.prototype?.step;
  return isClass ? new exported(api) : await exported(api);
}

function stateAccessor(game) {
  for (let owner = game; owner; owner = Object.getPrototypeOf(owner)) {
    const found = Object.getOwnPropertyDescriptor(owner, 'state');
    if (found) return found.get ? found : null;
  }
  return null;
}

const NOT_YET = 'it has no state yet; reset it first';

class Host {
  constructor() {
    this.luck = new Luck();
    this.generator = new Generator();
    this.generator.seed(0);
    this.probe = null;
    this.names = null; // of the state, since the first reset
    this.recording = null;
    Math.random = () => this.luck.draw('Math.random', [], () => this.generator.random());
  }

  get api() {
    return {
      record: (object, method, { through = [] } = {}) => {
        const { luck } = this;
        const original = object[method];
        object[method] = function (...given) {
          return luck.draw(method, through, () => original.apply(this, given));
        };
      },
    };
  }

  async open(script) {
    this.game = await load(script, this.api);
    for (const name of ['reset', 'step']) {
      if (typeof this.game?.[name] !== 'function') {
        const wayOut = 'node_host.js says what a game must have';
        throw new HostError('usage', `what it exports has no method '${name}'; ${wayOut}`);
      }
    }
    const { spaces = {}, constants = {} } = this.game;
    this.constants = encode(constants, 'constants');
    return { node: process.version, spaces: encode(spaces, 'spaces'), choosy: typeof this.game.actions === 'function' };
  }

  async reset({ seed, tape }) {
    if (seed !== null) this.generator.seed(seed);
    const given = seed ?? Math.floor(this.generator.random() * 2 ** 32);
    const outcome = await this.play(tape, () => this.game.reset(given));
    this.names ??= Object.keys(this.state());
    return outcome;
  }

  step({ action, tape }) {
    if (!this.names) throw new HostError('usage', NOT_YET);
    return this.play(tape, () => this.game.step(decode(action)));
  }

  async play(tape, act) {
    this.luck.begin(tape && decode(tape));
    let result;
    try {
      result = await act();
    } catch (error) {
      const { fault } = this.luck;
      this.luck.begin(null);
      throw fault ?? error;
    }
    const draws = this.luck.end();
    if (result === null || typeof result !== 'object' || !('obs' in result)) {
      throw new HostError('usage', 'it did not return an object with an obs');
    }
    const { obs, reward = 0, terminated = false, truncated = false, info = {} } = result;
    if (typeof reward !== 'number') throw new HostError('usage', `the reward is ${String(reward)}, not a number`);
    return {
      obs: encode(obs, 'obs'),
      reward: encode(reward, 'reward'),
      terminated: Boolean(terminated),
      truncated: Boolean(truncated),
      info: encode(info, 'info'),
      draws,
    };
  }

  state() {
    const { state } = this.game;
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
    const accessor = stateAccessor(this.game);
    const changes = Object.fromEntries(
      Object.entries(snapshot).map(([name, wire]) => [name, alike(decode(wire), current[name])]),
    );
    if (!accessor) Object.assign(current, changes);
    else if (accessor.set) this.game.state = { ...current, ...changes };
    else throw new HostError('snapshot', 'state has a getter but no setter, so nothing can be put back; write one');
    return null;
  }

  async call({ function: name, arguments: given }) {
    const found = this.game.functions?.[name] ?? this.game[name];
    if (typeof found !== 'function') {
      throw new HostError('unknown', `has '${name}' neither in its functions nor as a method`);
    }
    return encode(await found.apply(this.game, decode(given)), `what ${name} returned`);
  }

  actions() {
    this.state();
    return encode(this.game.actions(), 'actions');
  }

  async watch({ points, action, tape }) {
    this.probe ??= new Probe(this.game);
    const glimpses = [];
    const wanted = points.flatMap((point) => {
      const see = (frame) => {
        const local = this.probe.values(frame, this.probe.localNames(frame));
        glimpses.push({ phase: point.phase, names: { ...this.look(), ...local, ...this.probe.result(frame) } });
      };
      return this.probe.lookUp(point).map((place) => ({ place, see }));
    });
    const disarm = this.probe.arm(wanted);
    let outcome;
    try {
      outcome = await this.step({ action, tape });
    } finally {
      disarm();
    }
    return { glimpses, outcome };
  }

  /** From now on, note what these functions are called with, the same only once. */
  record({ functions }) {
    this.probe ??= new Probe(this.game);
    const calls = Object.fromEntries(functions.map((name) => [name, new Set()]));
    const wanted = functions.flatMap((name) =>
      this.probe.entries(name).map(({ place, names }) => ({
        place,
        see: (frame) => calls[name].add(JSON.stringify(this.probe.values(frame, names))),
      })),
    );
    this.recording = { calls, disarm: this.probe.arm(wanted) };
    return null;
  }

  recorded() {
    if (!this.recording) throw new HostError('usage', 'it was started anew while calls were recorded');
    const { calls, disarm } = this.recording;
    this.recording = null;
    disarm();
    const distinct = ([name, seen]) => [name, [...seen].map((call) => JSON.parse(call))];
    return Object.fromEntries(Object.entries(calls).map(distinct));
  }
}

/** A list where the state has one, and a typed array of the state's kind where it has that. */
function alike(value, current) {
  const isTyped = ArrayBuffer.isView(value);
  if (isTyped && Array.isArray(current)) return Array.from(value);
  if (ArrayBuffer.isView(current) && (isTyped || Array.isArray(value))) return current.constructor.from(value);
  return value;
}

// ---- the wire ----

/** What went wrong and where, in words; the first frame that is the game's own. */
function describe(error) {
  if (error instanceof HostError) return { kind: error.kind, message: error.message };
  if (!(error instanceof Error)) return { kind: 'game', message: `it threw ${String(error)}`, where: null };
  const pattern = /(?:^|[( ])((?:file:\/)?\/[^():]*):(\d+)(?::\d+)?\)?$/; // at step (/a/game.js:12:3)
  const places = (error.stack ?? '').split('\n').map((line) => pattern.exec(line.trim()));
  const place = places.find((found) => found && !found[1].endsWith(__filename));
  const where = place ? `${path.basename(place[1])}:${place[2]}` : null;
  return { kind: 'game', message: `${error.name}: ${error.message}`, where };
}

/** A game that hangs never sees its input end; a second thread sees that the parent is gone, and ends it. */
function dieWithParent() {
  const { Worker } = require('node:worker_threads');
  const watch = `const parent = ${process.ppid};
    setInterval(() => { if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL'); }, 500);`;
  new Worker(watch, { eval: true }).unref();
}

function serve(script) {
  dieWithParent();
  const speak = process.stdout.write.bind(process.stdout);
  process.stdout.write = process.stderr.write.bind(process.stderr); // what the game prints is not part of the protocol
  const host = new Host();
  const answer = async (id, act) => {
    let reply;
    try {
      reply = { id, result: await act() };
    } catch (error) {
      reply = { id, error: describe(error) };
    }
    speak(`${JSON.stringify(reply)}\n`);
  };
  const ready = answer(0, () => host.open(script));
  let pending = '';
  process.stdin.setEncoding('utf8');
  process.stdin.on('data', async (chunk) => {
    pending += chunk;
    const lines = pending.split('\n');
    pending = lines.pop();
    await ready;
    for (const line of lines) {
      const { id, ask, ...given } = JSON.parse(line);
      await answer(id, () => host[ask](given));
    }
  });
  process.stdin.on('end', () => process.exit(0));
  process.on('uncaughtException', (error) => {
    const { message, where } = describe(error);
    process.stderr.write(`${message}${where ? ` at ${where}` : ''}\n`);
    process.exit(1);
  });
}

serve(path.resolve(process.argv[2]));
