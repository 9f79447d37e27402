// What one user action writes: named writes become cells with one stamp and gap-free seqs.

import { FlatReader, FlatWriter, isRegister, merges } from './flat.js';
import { encodeValue, newRecordID } from './model.js';

const nothing = new Uint8Array(0);

/** Collects the writes of one action; `replica.transaction` performs them. */
export class Transaction {
  /** By record key: `{entity, id, creates, deletes, fields: Map}`. */
  writes = new Map();
  /** Rows of other stores that belong to it: `{store, value, key}` or `{store, remove}`. */
  rows = [];
  #model;
  constructor(model) { this.#model = model; }

  #write(entityName, id) {
    const entity = this.#model.entity(entityName);
    const key = recordKey(entity.number, id);
    if (!this.writes.has(key)) this.writes.set(key, { entity, id, fields: new Map() });
    return this.writes.get(key);
  }

  /** Makes a record and gives its id; every field of the model is written, absent ones as null. */
  create(entityName, values = {}, id = newRecordID()) {
    const write = this.#write(entityName, id);
    write.creates = true;
    for (const name of write.entity.fields.keys()) write.fields.set(name, values[name] ?? null);
    return id;
  }

  /** Writes some fields of a record. */
  set(record, values) {
    const write = this.#write(record.entity, record.id);
    for (const [name, value] of Object.entries(values)) {
      if (!write.entity.fields.has(name)) throw new Error(`No field "${name}".`);
      write.fields.set(name, value);
    }
  }

  /** Deletes a record: an edit made elsewhere meanwhile brings it back, whole. */
  delete(record) { this.#write(record.entity, record.id).deletes = true; }

  /** Brings a deleted record back as it was: writes every field again. */
  restore(record) {
    const write = this.#write(record.entity, record.id);
    for (const name of write.entity.fields.keys()) write.fields.set(name, record[name]);
  }

  /** Puts a row beside the records, in the same commit. */
  put(store, value, key) { this.rows.push({ store, value, key }); }

  /** Removes rows beside the records, by a key or a key range, in the same commit. */
  remove(store, key) { this.rows.push({ store, remove: key }); }
}

/** Names a record in the store of records. */
export const recordKey = (entityNumber, id) => `${entityNumber}/${id}`;

/**
 * Turns collected writes into flat cells by record key, given `held(key)`: the flat cells held.
 * Gives `{cells: Map, seq, last}`, the site's last seq and the clock's last stamp after it.
 */
export function stampWrites(writes, { core, site, seq, last, held }) {
  const parsed = new Map();
  let replaced = 0n;
  for (const [key, write] of writes) {
    const cells = held(key);
    parsed.set(key, cells);
    for (const cell of cells.list) {
      const isWritten = write.deletes || write.creates
        || write.fields.has(write.entity.names.get(cell.field));
      if (isWritten && cell.stamp > replaced) replaced = cell.stamp;
    }
  }
  const clock = core.nextStamp(last, replaced);
  const cells = new Map();
  for (const [key, write] of writes) {
    const list = [];
    const add = (field, merge, kind, bytes, replacedStamp) => list.push({
      field, merge, kind, site, seq: ++seq, stamp: clock.stamp, replaced: replacedStamp, bytes,
    });
    if (write.creates) add(0, merges.creation, 0, nothing, 0n);
    for (const [name, value] of write.fields) {
      const { number, kind } = write.entity.fields.get(name);
      const before = parsed.get(key).list.find(
        (cell) => cell.field === number && isRegister(cell.merge));
      const encoded = encodeValue(kind, value);
      add(number, merges.register, encoded.kind, encoded.bytes, before?.stamp ?? 0n);
    }
    if (write.deletes) {
      const seen = list.length
        ? core.merge(parsed.get(key).bytes, new FlatWriter().cells(list).finish()).row.subarray(1)
        : parsed.get(key).bytes;
      add(0, merges.deletion, 5, core.deletion(seen), 0n);
    }
    cells.set(key, new FlatWriter(list.length * 80).cells(list).finish());
  }
  return { cells, seq, last: clock.last };
}

/** A vector with the entries of some sites lowered to what a server is known to hold of them. */
export function lowered(vector, isEarlier, acked) {
  const low = new Map();
  for (const [site, seq] of vector) {
    const held = isEarlier(site) ? acked.get(site) ?? 0n : seq;
    if (held) low.set(site, held < seq ? held : seq);
  }
  return low;
}

/**
 * Gives some of a record's changes new numbers after `seq`, in the order that they had, and gives
 * the last one. A delete names what it saw by numbers: it sees the new ones, and of the old ones
 * what `lower` leaves.
 */
export function reissue(cells, { core, isAgain, lower, site, seq }) {
  const again = cells.filter(isAgain).sort((one, other) => (one.seq < other.seq ? -1 : 1));
  let last = seq;
  again.forEach((cell, index) => {
    Object.assign(cell, { site, seq: ++last });
    if (cell.merge !== merges.deletion) return;
    cell.bytes = sightBytes(lower(sightOf(cell.bytes)));
    cell.bytes = core.deletion(new FlatWriter().cells(again.slice(0, index + 1)).finish());
  });
  return last;
}

/** The vector that a delete's value holds: on the wire, numbers are LEB128. */
export function sightOf(bytes) {
  const reader = new FlatReader(bytes);
  const number = () => {
    let value = 0n;
    for (let shift = 0n, byte = 128; byte > 127; shift += 7n) {
      byte = reader.u8();
      value |= BigInt(byte & 127) << shift;
    }
    return value;
  };
  return new Map(Array.from({ length: Number(number()) }, () => [reader.id(), number()]));
}

function sightBytes(vector) {
  const writer = new FlatWriter();
  const number = (value) => {
    let rest = BigInt(value);
    for (; rest > 127n; rest >>= 7n) writer.u8(Number(rest & 127n) | 128);
    writer.u8(Number(rest));
  };
  number(vector.size);
  for (const [site, seq] of vector) {
    writer.id(site);
    number(seq);
  }
  return writer.finish();
}
