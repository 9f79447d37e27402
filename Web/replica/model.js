// The model: names and kinds of entities and fields, and values as the bytes that cells carry.

import { FlatReader, FlatWriter, hex, isRegister, merges, unhex } from '../core/flat.js';

export const kinds = ['null', 'bool', 'int', 'double', 'text', 'bytes', 'date', 'uuid', 'reference',
  'blob', 'counter', 'set', 'list'];
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
const encoder = new TextEncoder();
const none = new Uint8Array(0);

const number = (bytes) => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, 8);
  const value = view.getInt32(0) * 2 ** 32 + view.getUint32(4);
  return Number.isSafeInteger(value) ? value : view.getBigInt64(0);
};
const eight = (value) => {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigInt64(0, BigInt(value));
  return bytes;
};
const varint = (value) => {
  const bytes = [];
  for (; value > 127; value = Math.floor(value / 128)) bytes.push((value % 128) | 128);
  return [...bytes, value];
};

/** How many bytes a value has, where all of its kind have as many. */
export const lengths = { bool: 1, int: 8, double: 8, date: 8, uuid: 16, reference: 16 };

const readers = {
  bool: (bytes) => bytes[0] !== 0,
  int: number,
  double: (bytes) => new DataView(bytes.buffer, bytes.byteOffset, 8).getFloat64(0),
  text: (bytes) => decoder.decode(bytes),
  bytes: (bytes) => bytes.slice(),
  date: number,
  uuid: hex,
  reference: hex,
  blob: (bytes) => {
    if (bytes.at(-1) === 0xff) return bytes.slice(0, -1);
    const isWhole = (byte, at) => byte > 127 === at < bytes.length - 33;
    if (bytes.length < 33 || !bytes.subarray(32).every(isWhole)) return null;
    let size = 0;
    for (let at = bytes.length - 1; at >= 32; at--) size = size * 128 + (bytes[at] & 127);
    return { hash: hex(bytes.subarray(0, 32)), size };
  },
};

const writers = {
  bool: (value) => Uint8Array.of(value ? 1 : 0),
  int: eight,
  double: (value) => {
    const bytes = new Uint8Array(8);
    new DataView(bytes.buffer).setFloat64(0, value);
    return bytes;
  },
  text: (value) => encoder.encode(value),
  bytes: (value) => value.slice(),
  date: (value) => eight(typeof value === 'bigint' ? value : Math.round(Number(value))),
  uuid: unhex,
  reference: unhex,
  blob: (value) => {
    if (!(value instanceof Uint8Array)) {
      return Uint8Array.of(...unhex(value.hash), ...varint(value.size));
    }
    const bytes = new Uint8Array(value.length + 1).fill(0xff);
    bytes.set(value);
    return bytes;
  },
};

/** The most bytes of a cell's value: what is larger is a blob. */
export const valueBytesMax = 512 * 1024;

/** Whether something is a text of `count` hexadecimal digits. */
const isHex = (value, count) => typeof value === 'string' && value.length === count && !/[^0-9a-f]/i.test(value);
/** Whether something is the id of a record or a space: hexadecimal digits in small letters, since ids are compared. */
export const isID = (value, count = 32) => isHex(value, count) && value === value.toLowerCase();
/** Whether something is a whole number that is exact in 64 bits. */
export const isWhole = (value) => (typeof value === 'bigint' ? BigInt.asIntN(64, value) === value
  : Number.isSafeInteger(value));
const isBytes = (value) => value instanceof Uint8Array;

/** What may be written of each kind: of anything else the bytes would be another value's. */
const takes = {
  bool: (value) => typeof value === 'boolean',
  int: isWhole,
  double: (value) => typeof value === 'number',
  text: (value) => typeof value === 'string',
  bytes: isBytes,
  date: (value) => isWhole(typeof value === 'number' || value instanceof Date ? Math.round(Number(value)) : value),
  uuid: (value) => isHex(value, 32),
  reference: (value) => isHex(value, 32),
  blob: (value) => isBytes(value) || (isHex(value.hash, 64) && Number.isSafeInteger(value.size) && value.size >= 0),
};

/** The error of something that cannot be written: what it is none of, and what takes that. */
export function invalid(kind, called, value) {
  const shown = typeof value === 'string' ? JSON.stringify(value.slice(0, 40))
    : typeof value === 'object' && value ? '[object]' : String(value);
  const error = new TypeError(`${shown} is no ${kind}, which ${called} takes: write it as docs/javascript.md says.`);
  return Object.assign(error, { code: 'invalidValue' });
}

/** The value of a cell's bytes, by kind number; null for a kind unknown here or damaged bytes. */
export function decodeValue(kind, bytes) {
  const length = lengths[kinds[kind]];
  if (length && bytes.length !== length) return null;
  try {
    return readers[kinds[kind]]?.(bytes) ?? null;
  } catch {
    return null;
  }
}

/**
 * A cell's value, `{kind, bytes}`, as a field of a kind shows it: of a number of the other kind the nearest, since an
 * int may become a double. Null where it shows nothing of it.
 */
export function ofKind(name, value) {
  const from = kinds[value.kind];
  if (from === name) return value;
  const number = decodeValue(value.kind, value.bytes);
  if (number === null || Number.isNaN(number)) return null;
  if (from === 'int' && name === 'double') return encodeValue(name, Number(number));
  if (from !== 'double' || name !== 'int') return null;
  const whole = BigInt(Math.sign(number) * Math.round(Math.min(Math.abs(number), 2 ** 63)));
  return encodeValue(name, whole < 2n ** 63n ? whole : whole - 1n);
}

/**
 * The `{kind, bytes}` of a value, by kind name; null becomes the null kind. Throws, with `called` for what it is of,
 * where a value is none of the kind: what would be written would be another.
 */
export function encodeValue(kind, value, called = 'the field') {
  if (value === null || value === undefined) return { kind: 0, bytes: none };
  if (!takes[kind](value)) throw invalid(kind, called, value);
  return { kind: kinds.indexOf(kind), bytes: writers[kind](value) };
}

/** Whether a field of a kind is one value: not a counter, a set or a list, nor of a kind unknown here. */
export const isSingle = (kind) => kind in writers;

/** The model of a space: from the module of its file, `/model.json`, or as an app writes it down. */
export class Model {
  /**
   * What only some models need, before their space is opened: modules that extend a model, in their order. They
   * give it `parts`, which reads counters, sets and lists, and `Transaction`, where it does more than the usual one.
   */
  modules = [];
  #byName = new Map();
  #byNumber = new Map();

  constructor({ entities, version, minimumReader = 1 }) {
    Object.assign(this, { entities, version, minimumReader });
    if (minimumReader > 1) this.modules[3] = '../writing/minimum-reader.js';
    for (const { number, name, fields, lenses } of entities) {
      if (lenses?.length) this.modules[2] = '../writing/lenses.js';
      const entity = { number, name, fields: new Map(), names: new Map() };
      for (const field of fields) {
        const kind = kinds[field.kind] ?? field.kind;
        if (kinds.indexOf(kind) > 9) this.modules[0] = '../writing/collections.js';
        if (field.onDelete) this.modules[1] = '../writing/delete-rules.js';
        entity.fields.set(field.name, { initial: null, ...field, kind });
        entity.names.set(field.number, field.name);
      }
      this.#byName.set(name, entity);
      this.#byNumber.set(number, entity);
    }
  }

  /** The entity of this name; throws where the model has none. */
  entity(name) {
    const entity = this.#byName.get(name);
    if (!entity) throw new Error(`The model has no entity "${name}".`);
    return entity;
  }

  /** The name of an entity's number, or undefined. */
  nameOf(number) { return this.#byNumber.get(number)?.name; }

  /**
   * The record that cells show: `{id, entity, creator, alive, …fields}`, frozen. `creator` is the device
   * that made it. What nobody wrote is as its field begins, dates are milliseconds, blobs `{hash, size}`, or
   * their bytes where they are kept in the record. Null for an unknown entity.
   */
  record(entityNumber, id, alive, cells) {
    const entity = this.#byNumber.get(entityNumber);
    if (!entity) return null;
    const record = { id, entity: entity.name, creator: null, alive };
    for (const [name, { initial }] of entity.fields) record[name] = initial;
    const reader = new FlatReader(cells);
    for (let count = reader.u32(); count > 0; count--) {
      const { field, merge, kind, siteAt, bytes } = reader.brief();
      if (merge === merges.creation) record.creator = hex(cells.subarray(siteAt, siteAt + 8));
      const name = isRegister(merge) && entity.names.get(field);
      if (name) {
        // What is of another kind than the model says shows as nothing.
        const { kind: own, initial } = entity.fields.get(name);
        const value = kinds[kind] === own ? { kind, bytes } : ofKind(own, { kind, bytes });
        if (value) record[name] = decodeValue(value.kind, value.bytes) ?? initial;
      }
    }
    entity.lenses?.show(record, cells);
    this.parts?.show(record, entity, cells);
    return Object.freeze(record);
  }
}

/** A new record id: 48 bits of milliseconds, then 80 random bits. */
export function newRecordID(milliseconds = Date.now()) {
  const random = crypto.getRandomValues(new Uint8Array(10));
  return hex(new FlatWriter(8).u64(BigInt(milliseconds) << 16n).finish().subarray(0, 6))
    + hex(random);
}
