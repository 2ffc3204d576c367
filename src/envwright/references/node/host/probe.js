// The middle of a step: stops the game at places in its source, without changing that source.
'use strict';

const { Places } = require('./places.js');
const { HostError } = require('./trouble.js');
const { encode } = require('./wire.js');

const NAME = /^[\p{L}_$][\p{L}\p{N}_$]*$/u;

class Probe {
  constructor(inspector, game) {
    this.inspector = inspector;
    this.game = game;
    this.places = new Places(inspector, game.author);
    this.armed = new Map(); // place: its breakpoint, and what to do there
    this.fault = null;
    this.recording = null;
    inspector.onPause(({ hitBreakpoints, callFrames: [frame] }) => {
      try {
        for (const { breakpointId, sees } of this.armed.values()) {
          if (hitBreakpoints?.includes(breakpointId)) sees.forEach((see) => see(frame));
        }
      } catch (error) {
        this.fault ??= error;
      }
    });
    inspector.debug();
  }

  /** A step, with what is known at each point that it passes. */
  async watch({ points, action, tape }) {
    const glimpses = [];
    const wanted = points.flatMap((point) => {
      const see = (frame) => {
        const local = this.values(frame, this.localNames(frame));
        glimpses.push({ phase: point.phase, names: { ...this.game.look(), ...local, ...this.result(frame) } });
      };
      return this.places.lookUp(point).map((place) => ({ place, see }));
    });
    const disarm = this.arm(wanted);
    let outcome;
    try {
      outcome = await this.game.step({ action, tape });
    } finally {
      disarm();
    }
    return { glimpses, outcome };
  }

  /** From now on, note what these functions are called with, the same only once. */
  record({ functions }) {
    const calls = Object.fromEntries(functions.map((name) => [name, new Set()]));
    const wanted = functions.flatMap((name) =>
      this.places.entries(name).map(({ place, names }) => ({
        place,
        see: (frame) => calls[name].add(JSON.stringify(this.values(frame, names))),
      })),
    );
    this.recording = { calls, disarm: this.arm(wanted) };
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

  /** Run `see(frame)` at each place, until the returned function is called; that raises what `see` raised. */
  arm(wanted) {
    for (const { place, see } of wanted) {
      const key = JSON.stringify(place);
      if (!this.armed.has(key)) {
        const { breakpointId } = this.inspector.post('Debugger.setBreakpoint', { location: place });
        this.armed.set(key, { breakpointId, sees: [] });
      }
      this.armed.get(key).sees.push(see);
    }
    return () => {
      for (const { place, see } of wanted) this.release(JSON.stringify(place), see);
      const { fault } = this;
      this.fault = null;
      if (fault) throw fault;
    };
  }

  release(key, see) {
    const { breakpointId, sees } = this.armed.get(key);
    sees.splice(sees.indexOf(see), 1);
    if (sees.length) return;
    this.armed.delete(key);
    this.inspector.post('Debugger.removeBreakpoint', { breakpointId });
  }

  /** The names that the function in `frame` can see in itself, and around itself up to the module. */
  localNames(frame) {
    const own = ['local', 'block', 'catch'];
    const near = frame.scopeChain.filter(({ type, name }) => own.includes(type) || (type === 'closure' && name));
    return near.flatMap(({ object }) => this.inspector.properties(object.objectId).result.map(({ name }) => name));
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
    this.inspector.post('Debugger.evaluateOnCallFrame', { callFrameId: frame.callFrameId, expression });
    delete globalThis.__envwright;
    return values;
  }

  /** At a return, what is returned, as `result`. */
  result({ returnValue, scopeChain: [{ object }] }) {
    if (!returnValue) return {};
    const { value, unserializableValue, objectId } = returnValue;
    const values = {};
    globalThis.__envwright = (given) => keep(values, 'result', () => given);
    this.inspector.post('Runtime.callFunctionOn', {
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

module.exports = { Probe };
