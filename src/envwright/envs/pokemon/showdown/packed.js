"use strict";
// Columns of many games as bytes: field after field, and within a field game after game.

const KINDS = {
  bool: Uint8Array, int8: Int8Array, uint8: Uint8Array, int16: Int16Array, uint16: Uint16Array, int32: Int32Array,
  uint32: Uint32Array, float32: Float32Array,
}; // prettier-ignore

class Packed {
  /** `fields` are [name, dtype, numbers of one game]. */
  constructor(fields, games) {
    this.fields = fields.map(([name, kind, size]) => ({ name, size, array: new KINDS[kind](size * games), kind }));
  }

  write(game, values) {
    for (const { name, size, array, kind } of this.fields) {
      const end = fill(array, game * size, values[name], kind);
      if (end !== (game + 1) * size) throw new Error(`${name} has ${end - game * size} numbers, not ${size}`);
    }
  }

  get bytes() {
    return Buffer.concat(this.fields.map(({ array }) => Buffer.from(array.buffer)));
  }
}

function fill(array, place, value, kind) {
  if (Array.isArray(value)) {
    for (const part of value) place = fill(array, place, part, kind);
    return place;
  }
  array[place] = value;
  if (array[place] !== Number(value)) throw new Error(`${value} is no ${kind}`);
  return place + 1;
}

module.exports = { Packed };
