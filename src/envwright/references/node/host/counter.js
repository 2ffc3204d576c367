// How much of the game's script has run, by V8's own count of blocks.
//
// V8 counts only in code that it compiled while counting, so this must begin before the game is loaded. And it tells of
// a block only where that ran more or less often than what is around it: a block that always runs is not a branch.
'use strict';

const path = require('node:path');
const { pathToFileURL } = require('node:url');

class Counter {
  constructor(inspector, script) {
    this.inspector = inspector;
    this.file = path.basename(script);
    this.url = pathToFileURL(script).href;
    inspector.post('Profiler.enable');
    inspector.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  }

  /** The counts since this was last called. */
  take() {
    return this.inspector.post('Profiler.takePreciseCoverage').result.find(({ url }) => url === this.url);
  }

  /** Lines and blocks of the functions that were entered: run, out of possible, and which not. */
  report() {
    const taken = this.take();
    if (!taken) return { lines: 0, lines_possible: 0, branches: 0, branches_possible: 0, missing: [] };
    this.inspector.debug();
    const text = new Text(this.inspector.source(taken.scriptId));
    const functions = taken.functions.filter(({ ranges: [whole] }) => !text.isAll(whole));
    const lines = countLines(functions, this.stops(taken.scriptId, text));
    const blocks = blocksOf(functions).filter((block) => hasCode(text.of(block))); // V8 counts what follows a return
    const idle = [...lines.keys()].filter((line) => !lines.get(line));
    const hidden = blocks.filter(({ count, ...block }) => !count && !idle.some((line) => text.isWithin(line, block)));
    const missing = [
      ...idle.map((line) => [line, text.lines[line].trim()]),
      ...hidden.map((block) => [text.firstLine(block), text.brief(block)]), // within a line that runs
    ];
    return {
      lines: lines.size - idle.length,
      lines_possible: lines.size,
      branches: blocks.filter(({ count }) => count).length,
      branches_possible: blocks.length,
      missing: missing.sort(([a], [b]) => a - b).map(([line, what]) => `${this.file}:${line + 1} ${what}`),
    };
  }

  /** Where a line, or a part of it, does something: wherever the debugger can stop, brackets apart. */
  stops(scriptId, text) {
    const at = (lineNumber, columnNumber) => ({ scriptId, lineNumber, columnNumber });
    const all = this.inspector.stops(at(0, 0), at(text.lines.length - 1, text.lines.at(-1).length));
    const stops = all.map(({ type, place: { lineNumber, columnNumber } }) => {
      const end = type === 'return' ? 1 : 0; // where V8 stops just after it
      return { line: lineNumber, offset: text.starts[lineNumber] + columnNumber - end };
    });
    return stops.filter(({ line }) => hasCode(text.lines[line]));
  }
}

/** Whether it is more than brackets that close, and comments. */
const hasCode = (text) => /[^\s\])};,]/.test(text.replace(/\/\*[^]*?\*\/|\/\/.*$/gm, ''));

/** The blocks in the functions that were entered. */
const blocksOf = (functions) => functions.flatMap(({ ranges: [whole, ...blocks] }) => (whole.count ? blocks : []));

/** How often each line of the functions that were entered has run. */
function countLines(functions, stops) {
  const lines = new Map();
  for (const { line, offset } of stops) {
    // V8 lists what is around before what is within. The very start of a function is where the one around it makes it.
    const owner = functions.findLast(({ ranges: [whole] }) => whole.startOffset < offset && offset < whole.endOffset);
    if (!owner?.ranges[0].count) continue;
    const { count } = owner.ranges.findLast((block) => block.startOffset <= offset && offset < block.endOffset);
    lines.set(line, (lines.get(line) ?? 0) + count);
  }
  return lines;
}

/** A script's source, by lines and by offsets. */
class Text {
  constructor(source) {
    this.source = source;
    this.lines = source.split('\n');
    this.starts = [0];
    for (const line of this.lines) this.starts.push(this.starts.at(-1) + line.length + 1);
  }

  of({ startOffset, endOffset }) {
    return this.source.slice(startOffset, endOffset);
  }

  isAll({ startOffset, endOffset }) {
    return startOffset === 0 && endOffset === this.source.length;
  }

  isWithin(line, { startOffset, endOffset }) {
    return startOffset <= this.starts[line + 1] - 1 && this.starts[line] < endOffset;
  }

  firstLine(block) {
    const start = block.startOffset + this.of(block).search(/\S/);
    return this.starts.findLastIndex((begin) => begin <= start);
  }

  brief(block) {
    return this.of(block).trim().replace(/\s+/g, ' ').slice(0, 100);
  }
}

module.exports = { Counter };
