// What one user action writes: named writes become cells with one stamp and gap-free seqs.

import { FlatReader, FlatWriter, isRegister, merges } from '../core/flat.js';
import { encodeValue, invalid, isID, isSingle, newRecordID, valueBytesMax } from '../replica/model.js';

const nothing = new Uint8Array(0);

/** Collects the writes of one action; `replica.transaction` performs them. */
export class Transaction {
  /** By record key: `{entity, id, creates, deletes, fields: Map}`, with encoded values by the names of fields. */
  writes = new Map();
  /** Rows of other stores that belong to it: `{store, value, key}` or `{store, remove}`. */
  rows = [];
  #model;
  constructor(model) { this.#model = model; }

  #write(entityName, id) {
    const entity = this.#model.entity(entityName);
    if (!isID(id)) throw invalidID(entityName, id);
    const key = recordKey(entity.number, id);
    if (!this.writes.has(key)) this.writes.set(key, { entity, id, fields: new Map() });
    return this.writes.get(key);
  }

  /**
   * Every field of one value, absent ones as null, but for what lenses fill: a counter, a set or a list is as it was.
   */
  #whole(entityName, values) {
    const { fields, lenses } = this.#model.entity(entityName);
    const isWritten = ([name, { kind, number }]) => isSingle(kind) && (name in values || !lenses?.fills(number));
    return this.encode(entityName,
      Object.fromEntries([...fields].filter(isWritten).map(([name]) => [name, values[name]])));
  }

  #put({ fields }, encoded) { for (const [name, value] of encoded) fields.set(name, value); }

  /**
   * Makes a record and gives its id; every field of one value is written, absent ones as null.
   * Throws for a name that the entity does not have, for a counter, a set or a list, and for a value or an id that is
   * none; then nothing of it is written.
   */
  create(entityName, values = {}, id = newRecordID()) {
    this.encode(entityName, values);
    const whole = this.#whole(entityName, values);
    const write = this.#write(entityName, id);
    write.creates = true;
    this.#put(write, whole);
    return id;
  }

  /** Writes some fields of a record; throws as `create` does, and for a value over the model's limit. */
  set(record, values) {
    const encoded = this.encode(record.entity, values);
    this.#put(this.#write(record.entity, record.id), encoded);
  }

  /** Values of fields as they are written, by name. Throws for what cannot be written. */
  encode(entity, values) {
    const { fields } = this.#model.entity(entity);
    return new Map(Object.keys(values).map((name) => {
      const field = fields.get(name);
      if (!isSingle(field?.kind)) throw new Error(`"${entity}" has no field "${name}" here.`);
      const encoded = encodeValue(field.kind, values[name], `"${name}" of "${entity}"`);
      const { length } = encoded.bytes;
      const most = Math.min(field.bytesMax ?? valueBytesMax, valueBytesMax);
      if (length > most) {
        throw new Error(`"${name}" of "${entity}" has ${length} bytes, over the limit of ${most}: shorten it.`);
      }
      return [name, encoded];
    }));
  }

  /** Deletes a record: an edit made elsewhere meanwhile brings it back, whole. */
  delete(record) { this.#write(record.entity, record.id).deletes = true; }

  /** Brings a deleted record back as it was: writes every field again. */
  restore(record) {
    const whole = this.#whole(record.entity, record);
    this.#put(this.#write(record.entity, record.id), whole);
  }

  /**
   * Writes to a record of no model: `stage(held, {core, site, stamp, seq})` gives `{cells, seq}` of the flat
   * cells that are held when it is performed, and may throw.
   */
  stage(entityNumber, id, stage) {
    if (!isID(id)) throw invalidID(entityNumber, id);
    const entity = { names: new Map() };
    this.writes.set(recordKey(entityNumber, id), { entity, id, fields: new Map(), stage });
  }

  /** Puts a row beside the records, in the same commit. */
  put(store, value, key) { this.rows.push({ store, value, key }); }

  /** Removes rows beside the records, by a key or a key range, in the same commit. */
  remove(store, key) { this.rows.push({ store, remove: key }); }
}

const invalidID = (entity, id) => invalid('record id', `"${entity}"`, id);

/** Names a record in the store of records. */
export const recordKey = (entityNumber, id) => `${entityNumber}/${id}`;

/** What a write sets: encoded values by the fields' numbers, with what lenses take back of them. */
function setBy({ entity, fields, deletes }, list) {
  const set = new Map([...fields].map(([name, value]) => {
    return [entity.fields.get(name).number, value];
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
