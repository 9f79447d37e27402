// What fields show that lenses make of others, and what comes back of a write to them: the same as in Swift
// (`Table+Lenses`, `PendingRecord`; docs/decisions/0043), as `LensesInJavaScriptTests` checks. What a lens makes is no
// cell, and never sent. Only models with lenses load it.

import { conversionOf, isNothing, isSame, nothing, valueOf } from './conversions.js';
import { FlatReader, hex, isRegister, merges } from '../core/flat.js';
import { decodeValue, kinds, lengths, ofKind } from '../replica/model.js';

const bytesMost = 512 * 1024;
/** What is written is later than all that is held, while nobody has given it a stamp. */
const provisional = { merge: merges.register, stamp: (1n << 63n) - 1n, site: '00'.repeat(16) };
const isEarlier = (one, other) => (one.stamp === other.stamp ? one.site < other.site : one.stamp < other.stamp);

/** Has a model's records show what its lenses make, and its transactions write back what comes of that. */
export function extend(model) {
  for (const { name, lenses } of model.entities) {
    if (lenses?.length) model.entity(name).lenses = new Lenses(model.entity(name), lenses);
  }
}

/** Whether bytes are some of a field's kind. */
function isSound({ kind, bytes }) {
  if (kind === 0) return !bytes.length;
  const name = kinds[kind];
  return bytes.length === (lengths[name] ?? bytes.length) && !(name === 'bool' && bytes[0] > 1);
}

/** A field that a lens reads or makes: `{number, kind, isOptional?, initial?}`. */
class End {
  constructor({ number, kind, isOptional = false, initial = null }) {
    const name = kinds[kind] ?? kind;
    Object.assign(this, { number, kind: name, isOptional });
    this.initial = initial === null ? (isOptional ? nothing : null) : valueOf(name, initial);
  }

  takes(value) {
    if (value.kind === 0) return this.isOptional && isSound(value);
    return kinds[value.kind] === this.kind && isSound(value) && value.bytes.length <= bytesMost;
  }
}

const taken = (ends, values) => (values?.every((value, at) => ends[at].takes(value)) ? values : null);
const read = (ends, values) => {
  const found = values.map((value, at) => (value.kind === 0 ? value : ofKind(ends[at].kind, value)));
  return found.includes(null) ? null : found;
};

/** A lens: `{sources, targets, by, fills?}`, as models have it. */
export class Lens {
  #conversion;

  constructor({ sources, targets, by, fills = false }) {
    const ends = (list) => list.map((end) => new End(end));
    Object.assign(this, { sources: ends(sources), targets: ends(targets), fills });
    this.#conversion = conversionOf({ ...this, by });
  }

  get ends() { return [...this.sources, ...this.targets]; }
  makes(field) { return this.targets.some(({ number }) => number === field); }

  /** What the targets are where the sources are these; null where the conversion refuses. */
  forward(values) {
    const found = read(this.sources, values);
    return found && taken(this.targets, this.#conversion.forward(found, this.sources, this.targets));
  }

  /** What the sources become where the targets are written; null where that would not give the same again. */
  back(values) {
    const found = this.fills ? null : read(this.targets, values);
    const made = found && taken(this.sources, this.#conversion.back(found, this.targets, this.sources));
    const again = made && this.forward(made);
    return again?.every((value, at) => isSame(value, found[at])) ? made : null;
  }

  /** What the targets show of what shows of the sources. */
  make(sources) {
    const inputs = sources.map((source, at) => {
      const { initial, isOptional } = this.sources[at];
      const value = source ? source.value : initial;
      return value && isNothing(value) && !isOptional ? initial : value;
    });
    return inputs.includes(null) ? null : this.forward(inputs);
  }
}

/** The lenses in an order in which each comes after those that make what it reads. */
function ordered(lenses, name) {
  const [waiting, found] = [[...lenses], []];
  while (waiting.length) {
    const next = waiting.findIndex((lens) =>
      !lens.sources.some(({ number }) => waiting.some((other) => other.makes(number))));
    if (next < 0) throw new Error(`Lenses of ${name} make their own sources in a circle: remove one.`);
    found.push(...waiting.splice(next, 1));
  }
  return found;
}

/** The fields of each group of lenses that build on each other. */
function linked(lenses) {
  let links = [];
  for (const lens of lenses) {
    const link = new Set(lens.ends.map(({ number }) => number));
    const isApart = (other) => ![...other].some((field) => link.has(field));
    const apart = links.filter(isApart);
    for (const other of links) if (!isApart(other)) for (const field of other) link.add(field);
    links = [...apart, link];
  }
  return links;
}

/** What shows of a field, as of the write of a cell: a value or null, and whether a lens has made it. */
class Shown {
  #of;
  constructor(value, of, isMade = false) {
    Object.assign(this, { value, isMade });
    this.#of = of;
  }
  get stamp() { return this.#of.stamp; }
  get site() { return this.#of.site; }
}

/** The lenses of an entity. */
class Lenses {
  #lenses; #links; #fields; #ends;

  constructor(entity, lenses) {
    this.#fields = new Map([...entity.fields.values()].map((field) => [field.number, field]));
    this.#lenses = ordered(lenses.map((lens) => new Lens(lens)), entity.name);
    this.#links = linked(this.#lenses);
    this.#ends = new Set(this.#links.flatMap((link) => [...link]));
  }

  /** Whether a field shows what a lens makes as long as nobody wrote it. */
  fills(number) { return this.#lenses.some((lens) => lens.fills && lens.makes(number)); }

  /** What shows of each field. */
  #shown(list) {
    const shown = new Map();
    for (const cell of list) {
      const { field, merge, kind, bytes } = cell;
      if (!isRegister(merge) || shown.has(field)) continue;
      const known = this.#fields.get(field);
      const value = known && kind !== 0 ? ofKind(known.kind, { kind, bytes }) : { kind, bytes };
      shown.set(field, new Shown(known && value && !isSound(value) ? null : value, cell));
    }
    for (const lens of this.#lenses) {
      const sources = lens.sources.map(({ number }) => shown.get(number));
      let newest = lens.fills ? { stamp: 0n, site: provisional.site } : null;
      for (const source of sources) if (source && (!newest || isEarlier(newest, source))) newest = source;
      let made;
      for (const [at, { number }] of lens.targets.entries()) {
        const own = shown.get(number);
        if (!newest || (own && (lens.fills || !isEarlier(own, newest)))) continue;
        made ??= lens.make(sources);
        if (!made) break;
        shown.set(number, new Shown(made[at], newest, true));
      }
    }
    return shown;
  }

  /** What lenses make of cells, by the fields' names. */
  made(list) {
    const made = {};
    for (const [field, { value, isMade }] of this.#shown(list)) {
      const { name, initial } = (isMade && this.#fields.get(field)) || {};
      if (name) made[name] = decodeValue(value.kind, value.bytes) ?? initial;
    }
    return made;
  }

  /** Gives a record what lenses make of its cells. Others are passed over, and sites read where stamps are equal. */
  show(record, cells) {
    const list = [];
    const reader = new FlatReader(cells);
    for (let count = reader.u32(); count > 0; count--) {
      const start = reader.at;
      const { field, merge, kind, siteAt, bytes } = reader.brief();
      if (!this.#ends.has(field)) continue;
      const stamp = reader.view.getBigUint64(start + 30);
      list.push({ field, merge, kind, bytes, stamp, get site() { return hex(cells.subarray(siteAt, siteAt + 16)); } });
    }
    Object.assign(record, this.made(list));
  }

  /** The fields that may decide what some show, and these. */
  linked(fields) {
    const link = this.#links.filter((each) => [...each].some((field) => fields.has(field)));
    return new Set([...fields.keys(), ...link.flatMap((each) => [...each])]);
  }

  /**
   * Adds to what is written, values by field, what lenses read where that comes back of what they make. What is
   * written itself stays so, and what does not come back keeps its value.
   */
  takeBack(written, list) {
    for (const lens of [...this.#lenses].reverse()) {
      if (!lens.targets.some(({ number }) => written.has(number))) continue;
      const shown = this.#shown([
        ...[...written].map(([field, value]) => ({ field, ...provisional, ...value })), ...list]);
      const made = lens.back(lens.targets.map(({ number }) =>
        written.get(number) ?? shown.get(number)?.value ?? nothing));
      const isLong = ({ number }, at) => made[at].bytes.length > this.#fields.get(number)?.bytesMax;
      if (!made || lens.sources.some(isLong)) continue;
      const before = new Set(written.keys());
      for (const [at, { number }] of lens.sources.entries()) if (!before.has(number)) written.set(number, made[at]);
    }
  }
}
