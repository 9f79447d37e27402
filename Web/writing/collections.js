// Counters, sets and lists of a model: how records show them, and how a transaction writes them. Only
// models that have some load it.

import { CollectionTransaction } from './collection-transaction.js';
import { Elements } from './drafts.js';
import { FlatReader, noCells } from '../core/flat.js';
import { decodeValue, encodeValue, invalid, isWhole, kinds, valueBytesMax } from '../replica/model.js';
import { itemsOf, membersOf, mergesParts, parts, sumOf } from '../replica/parts.js';
import { reissueParted, reissueParts } from '../replica/renewed-parts.js';

const kindOf = (value) => (typeof value === 'string' ? 'text' : typeof value === 'boolean' ? 'bool'
  : value instanceof Uint8Array ? 'bytes' : value instanceof Date ? 'date' : undefined);
/** A whole number as records show it. */
const shown = (sum) => (Number.isSafeInteger(Number(sum)) ? Number(sum) : sum);

/** Has a model read and write counters, sets and lists. Throws where the core only keeps them. */
export function extend(model, core) {
  if (!mergesParts(core)) {
    throw new Error('The model has counters, sets or lists, and this page has the small core, which only keeps'
      + ' them: open /reunion/core.wasm instead.');
  }
  model.parts = new Collections(model, core);
  model.Transaction = CollectionTransaction;
}

/** A field of many cells: its number, its name, what it is of. */
class PartField {
  constructor({ number, kind, element }, name, entity) {
    Object.assign(this, { number, kind, element: kinds[element] ?? element, name, entity });
  }

  get #called() { return `"${this.name}" of "${this.entity}"`; }

  /** A value of an element or an item as it is written: `{kind, bytes}`. */
  encode(value) {
    const kind = this.element ?? kindOf(value);
    if (value === null || value === undefined) throw new Error(`Nothing is no element of ${this.#called}.`);
    if (!kind) throw new Error(`Say what ${this.#called} is of: give it an "element", such as "int".`);
    const encoded = encodeValue(kind, value, this.#called);
    if (encoded.bytes.length > valueBytesMax) {
      throw new Error(`An element of ${this.#called} has ${encoded.bytes.length} bytes, over the limit of `
        + `${valueBytesMax}: keep it in a record.`);
    }
    return encoded;
  }

  /** What an element or an item is; null where it is of another kind than the model says. */
  decode({ kind, bytes }) {
    return this.element && kinds[kind] !== this.element ? null : decodeValue(kind, bytes);
  }

  /** The elements that can be read. */
  members(list) { return membersOf(list, this.number).filter((cell) => this.decode(cell) !== null); }

  /** What a person wants the field to be, as it is written: a BigInt, or a list of values. */
  wanted(value) {
    if (this.kind === 'counter') return this.amount(value);
    if (typeof value === 'string' || typeof value?.[Symbol.iterator] !== 'function') {
      throw new Error(`${this.#called} is a ${this.kind}: write it as an array or a Set.`);
    }
    return [...value].map((each) => this.encode(each));
  }

  /** A whole number as a BigInt. */
  amount(number) {
    if (!isWhole(number)) throw invalid('whole number', this.#called, number);
    return BigInt(number);
  }

  /** What a record shows. */
  read(list) {
    if (this.kind === 'counter') return shown(sumOf(list, this.number) ?? 0n);
    if (this.kind === 'set') return new Elements(this, this.members(list));
    const items = itemsOf(list, this.number).map((item) => this.decode(item));
    // Without one of them the places of the others would lie.
    return Object.freeze(items.includes(null) ? [] : items);
  }
}

/** What `Model.parts` is. */
class Collections {
  #model; #core; #fields = new Map();

  constructor(model, core) {
    this.#model = model;
    this.#core = core;
  }

  /** The fields of an entity that are counters, sets or lists, by name. */
  of({ name: entity, fields }) {
    if (!this.#fields.has(entity)) {
      const found = [...fields].filter(([, { kind }]) => ['counter', 'set', 'list'].includes(kind));
      this.#fields.set(entity, new Map(found.map(([name, field]) => [name, new PartField(field, name, entity)])));
    }
    return this.#fields.get(entity);
  }

  /** Gives a record its counters, sets and lists. */
  show(record, entity, cells) {
    const fields = this.of(entity);
    if (!fields.size) return;
    const list = new FlatReader(cells).cells();
    for (const [name, field] of fields) record[name] = field.read(list);
  }

  /** A stored row as this core merges it: a page with the small core kept every cell. */
  settled(key, row) {
    const name = this.#model.nameOf(parseInt(key, 10));
    if (!name || !this.of(this.#model.entity(name)).size) return row;
    return this.#core.merge(noCells, row.subarray(1)).row;
  }

  reissue = reissueParts;
  reissueParted = reissueParted;

  /** Those of some cells that are parts, for another browser. */
  waiting(cells) { return cells.filter(({ merge }) => merge >= parts.tally && merge <= parts.itemRemoval); }
}
