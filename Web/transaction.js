// What one user action writes: named writes become cells with one stamp and gap-free seqs.

import { FlatReader, FlatWriter, isRegister, merges } from './flat.js';
import { encodeValue, isSingle, newRecordID } from './model.js';

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

  /**
   * Writes every field of one value, absent ones as null, but for what lenses fill: a counter, a set or a list is as
   * it was.
   */
  #whole(write, values) {
    for (const [name, { kind, number }] of write.entity.fields) {
      const isLeft = !(name in values) && write.entity.lenses?.fills(number);
      if (isSingle(kind) && !isLeft) write.fields.set(name, values[name] ?? null);
    }
  }

  /**
   * Makes a record and gives its id; every field of one value is written, absent ones as null.
   * Throws for a name that the entity does not have, and for a counter, a set or a list.
   */
  create(entityName, values = {}, id = newRecordID()) {
    this.check(entityName, values);
    const write = this.#write(entityName, id);
    write.creates = true;
    this.#whole(write, values);
    return id;
  }

  /** Writes some fields of a record; throws as `create` does, and for a value over the model's limit. */
  set(record, values) {
    this.check(record.entity, values);
    const { fields } = this.#write(record.entity, record.id);
    for (const name of Object.keys(values)) fields.set(name, values[name]);
  }

  /** Throws for what cannot be written. */
  check(entity, values) {
    const { fields } = this.#model.entity(entity);
    for (const name of Object.keys(values)) {
      const field = fields.get(name);
      if (!isSingle(field?.kind)) throw new Error(`"${entity}" has no field "${name}" here.`);
      const { length } = field.bytesMax ? encodeValue(field.kind, values[name]).bytes : '';
      if (length > field.bytesMax) {
        throw new Error(`"${name}" of "${entity}" has ${length} bytes, over the limit of `
          + `${field.bytesMax}: shorten it.`);
      }
    }
  }

  /** Deletes a record: an edit made elsewhere meanwhile brings it back, whole. */
  delete(record) { this.#write(record.entity, record.id).deletes = true; }

  /** Brings a deleted record back as it was: writes every field again. */
  restore(record) {
    this.#whole(this.#write(record.entity, record.id), record);
  }

  /**
   * Writes to a record of no model: `stage(held, {core, site, stamp, seq})` gives `{cells, seq}` of the flat
   * cells that are held when it is performed, and may throw.
   */
  stage(entityNumber, id, stage) {
    const entity = { names: new Map() };
    this.writes.set(recordKey(entityNumber, id), { entity, id, fields: new Map(), stage });
  }

  /** Puts a row beside the records, in the same commit. */
  put(store, value, key) { this.rows.push({ store, value, key }); }

  /** Removes rows beside the records, by a key or a key range, in the same commit. */
  remove(store, key) { this.rows.push({ store, remove: key }); }
}

/** Names a record in the store of records. */
export const recordKey = (entityNumber, id) => `${entityNumber}/${id}`;

/** What a write sets: encoded values by the fields' numbers, with what lenses take back of them. */
function setBy({ entity, fields, deletes }, list) {
  const set = new Map([...fields].map(([name, value]) => {
    const { number, kind } = entity.fields.get(name);
    return [number, encodeValue(kind, value)];
  }));
  if (!deletes) entity.lenses?.takeBack(set, list);
  return set;
}

/**
 * Turns collected writes into flat cells by record key, given `held(key)`: the flat cells held.
 * Gives `{cells: Map, seq, last}`, the site's last seq and the clock's last stamp after it.
 */
export function stampWrites(writes, { core, site, seq, last, held }) {
  const seqBefore = seq;
  const parsed = new Map();
  let replaced = 0n;
  for (const [key, write] of writes) {
    const cells = held(key);
    const set = setBy(write, cells.list);
    parsed.set(key, { ...cells, set });
    const replaces = write.entity.lenses?.linked(set) ?? set;
    for (const cell of cells.list) {
      const isWritten = write.stage || write.deletes || write.creates || replaces.has(cell.field);
      if (isWritten && cell.stamp > replaced) replaced = cell.stamp;
    }
  }
  const clock = core.nextStamp(last, replaced, seq);
  const cells = new Map();
  for (const [key, write] of writes) {
    if (write.stage) {
      const staged = write.stage(parsed.get(key).bytes, { core, site, stamp: clock.stamp, seq });
      cells.set(key, new FlatWriter().cells(staged.cells).finish());
      ({ seq } = staged);
      continue;
    }
    const list = [];
    const add = (field, merge, kind, bytes, replacedStamp) => list.push({
      field, merge, kind, site, seq: ++seq, stamp: clock.stamp, replaced: replacedStamp, bytes,
    });
    if (write.creates) add(0, merges.creation, 0, nothing, 0n);
    for (const [number, { kind, bytes }] of parsed.get(key).set) {
      const before = parsed.get(key).list.find(
        (cell) => cell.field === number && isRegister(cell.merge));
      add(number, merges.register, kind, bytes, before?.stamp ?? 0n);
    }
    if (write.deletes) {
      const seen = list.length
        ? core.merge(parsed.get(key).bytes, new FlatWriter().cells(list).finish()).row.subarray(1)
        : parsed.get(key).bytes;
      add(0, merges.deletion, 5, core.deletion(seen), 0n);
    }
    cells.set(key, new FlatWriter(list.length * 80).cells(list).finish());
  }
  // An action that writes nothing takes no stamp, as in Swift.
  return { cells, seq, last: seq === seqBefore ? last : clock.last };
}
