// Plain data, and the few things JSON does not have.
'use strict';

const { HostError } = require('./trouble.js');

const MARK = '$'; // the key that makes an object on the wire stand for something JSON does not have
const TYPED = { Float32Array, Float64Array, Int8Array, Int16Array, Int32Array, Uint8Array, Uint16Array, Uint32Array };

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

module.exports = { encode, decode };
