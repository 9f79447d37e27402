// What one user action writes where a model has counters, sets or lists. A record with changes of them is
// put together step by step, first to see what it says, and once more when the action is performed.

import { changesOf } from './difference.js';
import { CounterDraft, ListDraft, SetDraft } from './drafts.js';
import { decodeValue, encodeValue, isSingle, newRecordID, ofKind } from '../replica/model.js';
import { parts, sumOf, without, word } from '../replica/parts.js';
import { StagedRecord, undrawn } from './staged-record.js';
import { takeParts } from '../replica/taken-parts.js';
import { Transaction, recordKey } from './transaction.js';

const drafts = { counter: CounterDraft, set: SetDraft, list: ListDraft };

/** The steps of what was written so far of a record. */
function stepsOf(write) {
  if (!write || write.steps) return write?.steps ?? [];
  const { creates, fields, deletes, entity } = write;
  return [
    ...creates ? [['create']] : [],
    ...[...fields].map(([name, value]) => ['set', entity.fields.get(name).number, value]),
    ...deletes ? [['delete']] : [],
  ];
}

/** Sets what lenses take back of what steps set since the last delete. */
function setBack({ steps, entity: { lenses } }, staged) {
  if (!lenses) return;
  const since = steps.slice(steps.findLastIndex(([name]) => name === 'delete') + 1);
  const set = new Map(since.filter(([name]) => name === 'set').map(([, field, value]) => [field, value]));
  const { size } = set;
  lenses.takeBack(set, staged.list);
  for (const [field, value] of [...set].slice(size)) staged.set(field, value);
}

/** A transaction that also writes counters, sets and lists. */
export class CollectionTransaction extends Transaction {
  #model; #core; #cellsOf; #staged = new Map();

  /** - cellsOf(key): the flat cells that the page shows. */
  constructor(model, replica, cellsOf) {
    super(model);
    this.#model = model;
    this.#core = replica.core;
    this.#cellsOf = cellsOf;
  }

  create(entityName, values = {}, id = newRecordID()) {
    const record = { entity: entityName, id };
    const wanted = this.#wanted(entityName, values);
    if (!wanted.size) return super.create(entityName, values, id);
    this.#do(record, ['create']);
    const { fields, lenses } = this.#model.entity(entityName);
    for (const [name, field] of fields) {
      if (!(name in values) && lenses?.fills(field.number)) continue;
      if (isSingle(field.kind)) this.#set(record, field, values[name]);
      else if (wanted.has(name)) this.#assign(record, name, wanted.get(name));
    }
    return id;
  }

  set(record, values) {
    const wanted = this.#wanted(record.entity, values);
    if (!wanted.size && !this.#find(record)?.steps) {
      this.#staged.delete(this.#key(record));
      return super.set(record, values);
    }
    for (const [name, field] of this.#model.entity(record.entity).fields) {
      if (wanted.has(name)) this.#assign(record, name, wanted.get(name));
      else if (isSingle(field.kind) && name in values) this.#set(record, field, values[name]);
    }
    return undefined;
  }

  delete(record) {
    if (!this.#find(record)?.steps) {
      this.#staged.delete(this.#key(record));
      super.delete(record);
    } else if (this.#now(record).isAlive) this.#do(record, ['delete']);
  }

  restore(record) {
    const singles = [...this.#model.entity(record.entity).fields].filter(([, { kind }]) => isSingle(kind));
    if (singles.length && !this.#find(record)?.steps) {
      this.#staged.delete(this.#key(record));
      return super.restore(record);
    }
    this.encode(record.entity, Object.fromEntries(singles.map(([name]) => [name, record[name]])));
    for (const [name, field] of singles) this.#set(record, field, record[name]);
    if (!singles.length) this.#touch(record);
    return undefined;
  }

  /**
   * What this transaction changes of a record: its fields by name. One of one value is set; a counter has
   * `add(n)`, a set `add` and `remove`, a list `insert`, `move` and `remove`.
   */
  edit(record) {
    const { entity: name, id } = record;
    const entity = this.#model.entity(name);
    const fields = this.#model.parts.of(entity);
    const draft = { id, entity: name };
    for (const [each, { kind, number, initial }] of entity.fields) {
      const Draft = drafts[kind];
      const part = Draft && new Draft(fields.get(each), {
        now: () => this.#now({ entity: name, id }), act: (step) => this.#do({ entity: name, id }, step),
      });
      Object.defineProperty(draft, each, {
        enumerable: true,
        get: () => {
          if (part) return part;
          const now = this.#now({ entity: name, id });
          const made = entity.lenses?.made(now.list) ?? {};
          if (each in made) return made[each];
          const held = now.register(number);
          const value = held && ofKind(kind, held);
          return value ? decodeValue(value.kind, value.bytes) ?? initial : initial;
        },
        set: (value) => this.set({ entity: name, id }, { [each]: value }),
      });
    }
    return Object.preventExtensions(draft);
  }

  /** Takes over what waited in another browser: cells of counters, sets and lists that it wrote. */
  take(record, cells) {
    const fields = [...this.#model.parts.of(this.#model.entity(record.entity)).values()];
    const known = cells.filter((cell) => fields.some(({ number }) => number === cell.field));
    takeParts(known, this.#now(record), (step) => this.#do(record, step));
  }

  /** How a record stands that is put together in steps: whether it lives, and its fields of one value. */
  standing(record) {
    if (!this.#find(record)?.steps) return null;
    const draft = this.edit(record);
    return { isAlive: this.#now(record).isAlive, value: (name) => draft[name] };
  }

  // A record in steps

  #key({ entity, id }) { return recordKey(this.#model.entity(entity).number, id); }
  #find(record) { return this.writes.get(this.#key(record)); }

  /** What is wanted of counters, sets and lists; throws for what cannot be written. */
  #wanted(entityName, values) {
    const fields = this.#model.parts.of(this.#model.entity(entityName));
    const named = Object.entries(values).filter(([name, value]) => fields.has(name) && value !== undefined);
    this.encode(entityName, Object.fromEntries(Object.entries(values).filter(([name]) => !fields.has(name))));
    return new Map(named.map(([name, value]) => [name, fields.get(name).wanted(value)]));
  }

  /** What is done to a record, in the order in which it was asked for: from now on it is put together. */
  #steps(record) {
    super.set(record, {});
    const write = this.#find(record);
    write.steps ??= stepsOf(write);
    write.stage ??= (held, about) => {
      const staged = new StagedRecord(held, about);
      write.steps.forEach((step, number) => staged.perform(step, number));
      setBack(write, staged);
      return { cells: staged.written, seq: staged.seq };
    };
    return write.steps;
  }

  /** The record as it is shown, with what was done to it; its numbers are no changes'. */
  #now(record) {
    const key = this.#key(record);
    if (!this.#staged.has(key)) {
      const staged = new StagedRecord(this.#cellsOf(key), {
        core: this.#core, site: '00'.repeat(16), stamp: (1n << 63n) - 1n, seq: 0n, random: undrawn,
      });
      stepsOf(this.#find(record)).forEach((step, number) => staged.perform(step, number));
      this.#staged.set(key, staged);
    }
    return this.#staged.get(key);
  }

  /** Does it now, to see what it says, and once more to what is held when the transaction is performed. */
  #do(record, step) {
    const now = this.#now(record);
    const steps = this.#steps(record);
    steps.push(step);
    now.perform(step, steps.length - 1);
    return steps.length - 1;
  }

  /** Sets a field, in place of what was set since the last delete. */
  #set(record, { number, kind }, value) {
    const steps = this.#steps(record);
    const step = ['set', number, encodeValue(kind, value)];
    const since = steps.findLastIndex(([name]) => name === 'delete') + 1;
    const earlier = steps.findIndex(([name, field], at) => at >= since && name === 'set' && field === number);
    if (earlier < 0) return void this.#do(record, step);
    steps[earlier] = step;
    this.#staged.delete(this.#key(record));
  }

  /** Writes what makes a field the value that is wanted, from what is seen of it. */
  #assign(record, name, wanted) {
    const field = this.#model.parts.of(this.#model.entity(record.entity)).get(name);
    const now = this.#now(record);
    const { number, kind } = field;
    if (kind === 'counter') {
      const difference = BigInt.asIntN(64, wanted - (sumOf(now.list, number) ?? 0n));
      if (difference) this.#do(record, ['add', number, difference]);
    } else if (kind === 'set') {
      const held = field.members(now.list);
      const each = [...new Map(wanted.map((value) => [word(value), value])).values()];
      for (const value of without(each, held)) this.#do(record, ['insert', number, value]);
      for (const value of without(held, each)) this.#do(record, ['remove', number, value]);
    } else this.#reorder(record, number, wanted);
  }

  /** Removes, inserts and moves items until the list holds these values in this order. */
  #reorder(record, number, wanted) {
    const now = this.#now(record);
    const items = now.items(number);
    const names = items.map((item) => now.nameOf(item));
    const { removals, insertions } = changesOf(items.map(word), wanted.map(word));
    const moving = new Map();
    for (const { offset, other } of removals.reverse()) {
      const [name] = names.splice(offset, 1);
      if (other === null) this.#do(record, ['removeItem', number, name]);
      else moving.set(offset, name);
    }
    for (const { offset, other } of insertions) {
      const name = moving.get(other);
      moving.delete(other);
      const at = { after: offset > 0 ? names[offset - 1] : null, index: offset, hidden: [...moving.values()] };
      const step = name === undefined ? ['insertItem', number, wanted[offset], at]
        : ['placeItem', number, name, at];
      const done = this.#do(record, step);
      names.splice(offset, 0, name ?? done);
    }
  }

  /** Brings a record back whole, by writing something of it as it is. */
  #touch(record) {
    const now = this.#now(record);
    const found = now.list.find(({ merge }) => [parts.tally, parts.member, parts.item].includes(merge));
    if (!found) return;
    const { field, merge, kind, bytes } = found;
    this.#do(record, merge === parts.tally ? ['add', field, 0n]
      : merge === parts.member ? ['insert', field, { kind, bytes }]
        : ['placeItem', field, now.nameOf(now.items(field)[0]), { after: null, index: 0 }]);
  }
}
