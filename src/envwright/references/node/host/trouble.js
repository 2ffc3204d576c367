// What can go wrong, in words for the other side.
'use strict';

const path = require('node:path');

/** Something the other side can put right; `kind` says which of its errors to raise. */
class HostError extends Error {
  constructor(kind, message) {
    super(message);
    this.kind = kind;
  }
}

/** Whether a file is one of these, and not the author's. */
const isOurs = (file) => path.dirname(file) === __dirname;

/** What went wrong and where; the first frame that is the game's own. */
function describe(error) {
  if (error instanceof HostError) return { kind: error.kind, message: error.message };
  if (!(error instanceof Error)) return { kind: 'game', message: `it threw ${String(error)}`, where: null };
  const pattern = /(?:^|[( ])((?:file:\/)?\/[^():]*):(\d+)(?::\d+)?\)?$/; // at step (/a/game.js:12:3)
  const places = (error.stack ?? '').split('\n').map((line) => pattern.exec(line.trim()));
  const place = places.find((found) => found && !isOurs(found[1]));
  const where = place ? `${path.basename(place[1])}:${place[2]}` : null;
  return { kind: 'game', message: `${error.name}: ${error.message}`, where };
}

module.exports = { HostError, describe, isOurs };
