// Where in the source of a game its functions are, and the lines that watchpoints name.
'use strict';

const { HostError } = require('./trouble.js');

class Places {
  /** `author` is what the author's module made. */
  constructor(inspector, author) {
    this.inspector = inspector;
    this.author = author;
    this.known = new Map(); // of what was looked up before
  }

  /** The places of a watchpoint: one for a line, all the returns if it names none. */
  lookUp({ function: name, line, occurrence }) {
    const key = JSON.stringify([name, line, occurrence]);
    if (!this.known.has(key)) {
      const functions = this.functions(name);
      const places = functions.flatMap((one) => (line ? this.beforeLine(one, line, occurrence) : this.returns(one)));
      if (!places.length) {
        const which = occurrence === 1 ? '' : ` number ${occurrence}`;
        throw new HostError('unknown', `has no line${which} '${line}' in ${name} of ${functions[0].file}`);
      }
      this.known.set(key, places);
    }
    return this.known.get(key);
  }

  /** Where the functions of a name begin, and the names of their arguments. */
  entries(name) {
    return this.functions(name).map((found) => {
      const [{ place }] = this.stops(found, 0);
      return { place, names: argumentNames(found.text) };
    });
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

  /** Where the debugger can stop in a function, from line `from` of its text to before line `to`. */
  stops({ location, text, lead, line }, from, to = Infinity) {
    const { scriptId } = location;
    const lines = (lead + text).split('\n');
    const start = from === 0 ? location : { scriptId, lineNumber: line + from, columnNumber: 0 };
    const last = { scriptId, lineNumber: line + lines.length - 1, columnNumber: lines.at(-1).length };
    const end = to < lines.length ? { scriptId, lineNumber: line + to, columnNumber: 0 } : last;
    return this.inspector.stops(start, end, from === 0); // from its beginning, without the functions within it
  }

  /** The functions of that name: any alive in the heap, exported or not, and the game's own, which may be nameless. */
  functions(name) {
    const { inspector } = this;
    const objectGroup = 'functions';
    const found = new Map(); // by location: closures of the same function are one
    for (const { objectId, description } of this.alive(name, objectGroup)) {
      const { internalProperties = [] } = inspector.properties(objectId);
      const location = internalProperties.find(({ name }) => name === '[[FunctionLocation]]')?.value.value;
      if (!inspector.scripts.has(location?.scriptId)) continue;
      found.set(JSON.stringify(location), this.locate(location, description));
    }
    inspector.post('Runtime.releaseObjectGroup', { objectGroup });
    if (found.size) return [...found.values()];
    const wayOut = 'for one that is made in the middle of a step, name the one around it';
    throw new HostError('unknown', `has no function '${name}'; ${wayOut}`);
  }

  alive(name, objectGroup) {
    const { inspector, author } = this;
    const { result } = inspector.post('Runtime.evaluate', { expression: 'Function.prototype', objectGroup });
    const all = inspector.post('Runtime.queryObjects', { prototypeObjectId: result.objectId, objectGroup });
    globalThis.__envwright = [author[name], author.functions?.[name]];
    const wanted = inspector.post('Runtime.callFunctionOn', {
      objectId: all.objects.objectId,
      functionDeclaration: `function (name) {
        const named = this.filter((one) => Object.getOwnPropertyDescriptor(one, 'name')?.value === name);
        return [...new Set([...__envwright, ...named])].filter((one) => typeof one === 'function');
      }`,
      arguments: [{ value: name }],
      objectGroup,
    });
    delete globalThis.__envwright;
    const items = inspector.properties(wanted.result.objectId).result;
    return items.filter(({ name }) => /^\d+$/.test(name)).map(({ value }) => value);
  }

  /** A function by its text, which V8 says is around `location`: that is where its arguments are. */
  locate(location, text) {
    const { scriptId, lineNumber, columnNumber } = location;
    const source = this.inspector.source(scriptId);
    const above = source.split('\n').slice(0, lineNumber);
    const offset = above.reduce((sum, row) => sum + row.length + 1, columnNumber);
    const before = source.slice(0, source.lastIndexOf(text, offset)).split('\n');
    const lead = before.at(-1);
    return { file: this.inspector.scripts.get(scriptId), location, text, lead, line: before.length - 1 };
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

module.exports = { Places };
