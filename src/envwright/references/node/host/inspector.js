// The debugger and profiler that are in Node, speaking to the thread they run in.
'use strict';

const path = require('node:path');
const { fileURLToPath } = require('node:url');
const { isOurs } = require('./trouble.js');

class Inspector {
  constructor() {
    const { Session } = require('node:inspector'); // not above: a Node may be built without, and can still play
    this.scripts = new Map(); // id: file name, of all that is neither Node's nor ours, once debugging
    this.session = new Session();
    this.session.connect();
    this.session.on('Debugger.scriptParsed', ({ params }) => {
      const file = params.url.startsWith('file:') ? fileURLToPath(params.url) : null;
      if (file && !isOurs(file)) this.scripts.set(params.scriptId, path.basename(file));
    });
  }

  /** Know the scripts, and be able to stop in them; once is enough. */
  debug() {
    this.post('Debugger.enable');
  }

  onPause(see) {
    this.session.on('Debugger.paused', ({ params }) => see(params));
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

  source(scriptId) {
    return this.post('Debugger.getScriptSource', { scriptId }).scriptSource;
  }

  /** Where the debugger can stop between two locations, and what for. */
  stops(start, end, restrictToFunction = false) {
    const { locations } = this.post('Debugger.getPossibleBreakpoints', { start, end, restrictToFunction });
    return locations.map(({ type, ...place }) => ({ type, place }));
  }

  properties(objectId) {
    return this.post('Runtime.getProperties', { objectId, ownProperties: true });
  }
}

module.exports = { Inspector };
