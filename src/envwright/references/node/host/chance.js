// The chance of a game: seeded, recorded, replayed.
'use strict';

const path = require('node:path');
const { fileURLToPath } = require('node:url');
const { HostError, isOurs } = require('./trouble.js');
const { encode } = require('./wire.js');

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
  return path.isAbsolute(local) && !isOurs(local) ? local : '';
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

/** Records what is drawn, or replays what was; takes the place of Math.random. */
class Chance {
  constructor() {
    this.inside = false;
    this.begin(null);
    this.generator = new Generator();
    this.generator.seed(0);
    Math.random = () => this.draw('Math.random', [], () => this.generator.random());
  }

  /** From now on, what `object[method]` gives is chance; see game.js. */
  record(object, method, { through = [] } = {}) {
    const chance = this;
    const original = object[method];
    object[method] = function (...given) {
      return chance.draw(method, through, () => original.apply(this, given));
    };
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

  /** What `produce` gives, or the tape says, as drawn by the caller. */
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

module.exports = { Chance };
