"use strict";
// Which random numbers a battle draws, and where. Methods of the battle's own generator are wrapped at run time; no file
// is changed, and what is drawn stays the same.

const path = require("path");

const DEPTH = 10; // frames of a stack that are looked at
const PASSED_ON = new Set(["random", "randomChance", "sample", "shuffle", "speedSort"]);

/** What is to be known of a battle's draws: `draws` are those since it was last emptied. */
function traced(battle) {
  const draws = [];
  const prng = battle.prng;
  const random = prng.random;
  let method = null; // of those that ask for a number in their turn, the one that was called
  prng.random = function (from, to) {
    const value = random.call(this, from, to);
    const drawn = to === undefined ? [0, from ?? 0] : [from, to];
    draws.push({ method: method ?? "random", low: drawn[0], high: drawn[1], value, site: site() });
    return value;
  };
  for (const name of ["randomChance", "sample", "shuffle"]) {
    const original = prng[name];
    prng[name] = function (...given) {
      method = name;
      try {
        return original.apply(this, given);
      } finally {
        method = null;
      }
    };
  }
  return draws;
}

/** The line that asked for a random number: "scripts.js:640 getDamage". Of a tie that is broken, also what was sorted. */
function site() {
  const { stackTraceLimit, prepareStackTrace } = Error;
  Error.stackTraceLimit = DEPTH;
  Error.prepareStackTrace = (_, frames) => frames;
  const held = {};
  Error.captureStackTrace(held, site);
  const frames = held.stack;
  Object.assign(Error, { stackTraceLimit, prepareStackTrace });
  let tie = false;
  for (let i = 1; i < frames.length; i++) {
    const file = frames[i].getFileName();
    const name = frames[i].getMethodName() || frames[i].getFunctionName() || "";
    if (!file || file === __filename || file.endsWith("prng.js")) continue;
    if (PASSED_ON.has(name)) {
      tie ||= name === "speedSort";
      continue;
    }
    const sorted = tie && i + 1 < frames.length;
    const at = frames[sorted ? i + 1 : i];
    const caller = at.getMethodName() || at.getFunctionName() || "";
    return `${path.basename(at.getFileName())}:${at.getLineNumber()} ${sorted ? `${caller}>${name}` : name}`;
  }
  return "unknown:0 unknown";
}

module.exports = { traced };
