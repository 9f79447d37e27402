// What the record of a setting says, and the cells that its rules write: docs/protocol.md §4.

import { FlatReader, FlatWriter, hex, isRegister, merges } from './flat.js';
import { sightBytes, sightOf } from './renewal.js';

/** The entity of settings. */
export const settingEntity = 16_777_200;
/** The fields of the name, and of what of a latest value is beyond a cell. */
export const [nameField, restField] = [1, 3];
/** Where a rule keeps its cells, by the rule and its type. */
export const slots = {
  latest: 2, first: 4, counter: 5, union: 6, maxInt: 8, maxDouble: 9, maxDate: 10, minInt: 12,
  minDouble: 13, minDate: 14, or: 16, and: 17,
};
/** The most bytes of a cell's value. */
export const cellBytesMax = 512 * 1024;

const [tally, member, memberRemoval] = [4, 5, 6];
const leastSlots = [12, 13, 14, 17];
const empty = new Uint8Array(0);
/** No value. */
export const nothing = { kind: 0, bytes: empty };
const int = (number) => ({ kind: 2, bytes: new FlatWriter(8).u64(BigInt.asUintN(64, number)).finish() });
const intOf = ({ bytes }) => (bytes.length === 8 ? new FlatReader(bytes).view.getBigInt64(0) : null);

/** One word for a value: equal values have equal ones, and they sort as values do. */
const word = ({ kind, bytes }) => String.fromCharCode(kind) + hex(bytes);
const byWord = (one, other) => (word(one) < word(other) ? -1 : 1);

/** The elements of one set that others lack, in the order of values. */
export const without = (values, others) => {
  const known = new Set(others.map(word));
  return values.filter((value) => !known.has(word(value))).sort(byWord);
};

/** The bytes that a removal of an element begins with. */
function memberName({ kind, bytes }) {
  const writer = new FlatWriter(bytes.length + 6).u8(kind);
  let rest = bytes.length;
  for (; rest > 127; rest = Math.floor(rest / 128)) writer.u8((rest & 127) | 128);
  return writer.u8(rest).bytes(bytes).finish();
}
const beginsWith = (bytes, start) =>
  bytes.length >= start.length && start.every((byte, at) => byte === bytes[at]);

/** The record of a setting as it is read; `list` holds its cells. */
export class SettingCells {
  constructor(isAlive, list) { Object.assign(this, { isAlive, list }); }

  /** Of a row of the replica: `{alive, cells}`, or undefined. */
  static of(row) {
    return new SettingCells(row?.alive ?? false, row ? new FlatReader(row.cells).cells() : []);
  }

  register(field) { return this.list.find((cell) => cell.field === field && isRegister(cell.merge)); }

  #cells(field, merge) {
    return this.isAlive ? this.list.filter((cell) => cell.field === field && cell.merge === merge) : [];
  }

  /** Of each site's parts the last: the small core keeps those before, too. */
  #tallies(field) {
    const last = new Map();
    for (const cell of this.#cells(field, tally)) {
      if (!(last.get(cell.site)?.seq > cell.seq)) last.set(cell.site, cell);
    }
    return [...last.values()].map(intOf).filter((number) => number !== null);
  }

  get name() {
    const name = this.isSet && this.register(nameField);
    return name ? new TextDecoder().decode(name.bytes) : null;
  }

  get isSet() { return Object.values(slots).some((slot) => this.has(slot)); }

  /** Whether a rule has a value; a counter that stands at 0 again has none. */
  has(slot) {
    if (slot === slots.latest) return this.latest !== null;
    if (slot === slots.first) return this.first !== null;
    if (slot === slots.counter) return Boolean(this.sum);
    return slot === slots.union ? this.elements.length > 0 : this.extreme(slot) !== null;
  }

  get latest() {
    const cell = this.isAlive ? this.register(slots.latest) : null;
    if (!cell || cell.kind === 0) return null;
    const rest = this.register(restField);
    if (rest?.stamp !== cell.stamp || rest.site !== cell.site) return cell;
    const count = cell.bytes.length + rest.bytes.length;
    return { kind: cell.kind, bytes: new FlatWriter(count).bytes(cell.bytes).bytes(rest.bytes).finish() };
  }

  get first() {
    const order = (one, other) => (one.stamp !== other.stamp ? one.stamp < other.stamp
      : one.site !== other.site ? one.site < other.site : one.seq < other.seq);
    return this.#cells(slots.first, member)
      .reduce((found, cell) => (found && order(found, cell) ? found : cell), null);
  }

  /** What a counter counts, as a BigInt that wraps at 64 bits; null where nobody counted. */
  get sum() {
    const parts = this.#tallies(slots.counter);
    return parts.length ? BigInt.asIntN(64, parts.reduce((sum, part) => sum + part, 0n)) : null;
  }

  get elements() {
    const gone = this.#cells(slots.union, memberRemoval);
    const isGone = (cell) => gone.some(({ bytes }) => beginsWith(bytes, memberName(cell))
      && cell.seq <= sightOf(bytes.subarray(memberName(cell).length)).get(cell.site));
    const found = this.#cells(slots.union, member).filter((cell) => !isGone(cell));
    return [...new Map(found.map((cell) => [word(cell), cell])).values()].sort(byWord);
  }

  extreme(slot) {
    const isLeast = leastSlots.includes(slot);
    return this.#tallies(slot).reduce((found, number) =>
      (found === null || (isLeast ? number < found : number > found) ? number : found), null);
  }

  /** The bytes of what it is set to. */
  get byteCount() {
    let count = this.isAlive ? (this.latest?.bytes.length ?? 0) + (this.first?.bytes.length ?? 0) : 0;
    for (const { bytes } of this.elements) count += bytes.length;
    for (const slot of Object.values(slots)) {
      if ((slot === slots.counter || slot > slots.union) && this.has(slot)) count += 8;
    }
    return count;
  }

  /** Tells whether the values are others. */
  digest(core) {
    const hasher = core.hasher();
    for (const slot of Object.values(slots).filter((each) => this.has(each))) {
      const values = slot === slots.latest ? [this.latest] : slot === slots.first ? [this.first]
        : slot === slots.union ? this.elements
          : [int(slot === slots.counter ? this.sum : this.extreme(slot))];
      for (const { kind, bytes } of values) {
        hasher.update(new FlatWriter().u8(slot).u8(kind).sized(bytes).finish());
      }
    }
    return hex(hasher.finish());
  }
}

/** A setting's record with what an action has done to it, one step after the other, under one stamp. */
export class StagedSetting {
  written = [];
  #core; #about; #bytes;

  /** - held: flat cells; about: `{core, site, stamp, seq}`. */
  constructor(held, { core, ...about }) {
    this.#core = core;
    this.#about = about;
    this.#take(core.merge(held, new FlatWriter().cells([]).finish()).row);
  }

  get seq() { return this.#about.seq; }

  #take(row) {
    this.#bytes = row.subarray(1);
    this.cells = new SettingCells(row[0] === 1, new FlatReader(this.#bytes).cells());
  }

  #write(field, merge, { kind, bytes }, replaced = 0n) {
    const { site, stamp } = this.#about;
    const seq = ++this.#about.seq;
    const cell = { field, merge, kind, site, seq, stamp, replaced, bytes };
    this.written.push(cell);
    this.#take(this.#core.merge(this.#bytes, new FlatWriter().cells([cell]).finish()).row);
  }

  create() { this.#write(0, merges.creation, nothing); }

  delete() { this.#write(0, merges.deletion, { kind: 5, bytes: this.#core.deletion(this.#bytes) }); }

  set(field, value) {
    const held = this.cells.register(field);
    const replaced = held?.stamp < this.#about.stamp ? held.stamp : held?.replaced;
    this.#write(field, merges.register, value, replaced);
  }

  /** Adds to this site's part of a counter. */
  add(field, amount) {
    const part = this.cells.list.find((cell) =>
      cell.field === field && cell.merge === tally && cell.site === this.#about.site);
    this.tally(field, (part ? intOf(part) ?? 0n : 0n) + amount);
  }

  tally(field, number) { this.#write(field, tally, int(number)); }

  insert(field, element) { this.#write(field, member, element); }

  remove(field, element) {
    const name = memberName(element);
    const seen = new Map();
    const see = (site, seq) => { if (!(seen.get(site) >= seq)) seen.set(site, seq); };
    for (const cell of this.cells.list.filter((each) => each.field === field)) {
      if (cell.merge === member && word(cell) === word(element)) see(cell.site, cell.seq);
      if (cell.merge !== memberRemoval || !beginsWith(cell.bytes, name)) continue;
      for (const [site, seq] of sightOf(cell.bytes.subarray(name.length))) see(site, seq);
    }
    const sight = sightBytes(new Map([...seen].sort(([one], [other]) => (one < other ? -1 : 1))));
    const bytes = new FlatWriter(name.length + sight.length).bytes(name).bytes(sight).finish();
    this.#write(field, memberRemoval, { kind: 5, bytes });
  }
}

const whole = new WeakMap();

/** Whether a core merges counters and sets; the small one of pages keeps their cells as they come. */
export function mergesCollections(core) {
  if (!whole.has(core)) {
    const part = (seq) => ({
      field: slots.counter, merge: tally, ...int(1n), site: '01'.repeat(16), seq, stamp: seq, replaced: 0n,
    });
    const cells = (seq) => new FlatWriter().cells([part(seq)]).finish();
    const { row } = core.merge(cells(1n), cells(2n));
    whole.set(core, new FlatReader(row, 1).cells().length === 1);
  }
  return whole.get(core);
}

/** The id of the record of a name: the same on every device. */
export function settingID(core, name) {
  const hasher = core.hasher();
  hasher.update(new TextEncoder().encode(`reunion setting\0${name}`));
  return hex(hasher.finish().subarray(0, 16));
}
