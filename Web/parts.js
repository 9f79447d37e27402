// The parts of counters, sets and lists: what cells say, and the cells that changes write. The same cells
// as in Swift (`StagedRecord`, `WriteTransaction+Collections`): Tests/World/collections.mjs compares them.

import { FlatReader, FlatWriter, hex, isRegister, merges, noCells, randomBytes, unhex } from './flat.js';
import { reissue, sightBytes, sightOf } from './renewal.js';

/** The merge kinds of parts. */
export const parts = { tally: 4, member: 5, memberRemoval: 6, item: 7, place: 8, itemRemoval: 9 };
const empty = new Uint8Array(0);
/** No value. */
export const nothing = { kind: 0, bytes: empty };

/** The value of a whole number, a BigInt that wraps at 64 bits. */
export const int = (number) =>
  ({ kind: 2, bytes: new FlatWriter(8).u64(BigInt.asUintN(64, number)).finish() });
/** The whole number of a value, or null. */
export const intOf = ({ bytes }) => (bytes.length === 8 ? new FlatReader(bytes).view.getBigInt64(0) : null);

/** One word for a value: equal values have equal ones, and they sort as values do. */
export const word = ({ kind, bytes }) => String.fromCharCode(kind) + hex(bytes);
const byWord = (one, other) => (word(one) < word(other) ? -1 : 1);

/** The elements of one set that others lack, in the order of values. */
export const without = (values, others) => {
  const known = new Set(others.map(word));
  return values.filter((value) => !known.has(word(value))).sort(byWord);
};

/** Writes a number as a varint. */
function varint(writer, number) {
  let rest = BigInt(number);
  for (; rest > 127n; rest >>= 7n) writer.u8(Number(rest & 127n) | 128);
  return writer.u8(Number(rest));
}

/** The bytes that a removal of an element begins with. */
const memberName = ({ kind, bytes }) =>
  varint(new FlatWriter(bytes.length + 6).u8(kind), bytes.length).bytes(bytes).finish();

/** The bytes that cells about an item begin with. */
const itemName = ({ site, seq }) => varint(new FlatWriter(26).id(site), seq).finish();

/** How many bytes of a cell's value name an element or an item. */
function nameLength({ merge, bytes }) {
  const reader = new FlatReader(bytes, merge === parts.memberRemoval ? 1 : 16);
  let length = 0;
  for (let [shift, byte] = [0, 128]; byte > 127; shift += 7) {
    byte = reader.u8();
    length += (byte & 127) * 2 ** shift;
  }
  return reader.at + (merge === parts.memberRemoval ? length : 0);
}
const nameOf = (cell) => hex(cell.bytes.subarray(0, nameLength(cell)));

// What cells say

/** What a cell of a removal saw. */
const sightIn = (cell) => sightOf(cell.bytes.subarray(nameLength(cell)));

/** Numbers of a counter's sites, of each the last: the small core keeps those before, too. */
export function talliesOf(list, field) {
  const last = new Map();
  for (const cell of list) {
    if (cell.field !== field || cell.merge !== parts.tally) continue;
    if (!(last.get(cell.site)?.seq > cell.seq)) last.set(cell.site, cell);
  }
  return [...last.values()].map(intOf).filter((number) => number !== null);
}

/** What a counter counts, a BigInt; null where nobody counted. */
export function sumOf(list, field) {
  const tallies = talliesOf(list, field);
  return tallies.length ? BigInt.asIntN(64, tallies.reduce((sum, part) => sum + part, 0n)) : null;
}

/** The elements of a set, each once, in the order of values: cells. */
export function membersOf(list, field) {
  const gone = new Map();
  for (const cell of list) {
    if (cell.field !== field || cell.merge !== parts.memberRemoval) continue;
    const name = nameOf(cell);
    gone.set(name, [...gone.get(name) ?? [], sightIn(cell)]);
  }
  const isThere = (cell) => cell.field === field && cell.merge === parts.member
    && !gone.get(hex(memberName(cell)))?.some((sight) => cell.seq <= sight.get(cell.site));
  const found = new Map();
  for (const cell of list) if (isThere(cell)) found.set(word(cell), cell);
  return [...found.values()].sort(byWord);
}

const byBytes = (one, other) => {
  const count = Math.min(one.length, other.length);
  for (let at = 0; at < count; at++) if (one[at] !== other[at]) return one[at] - other[at];
  return one.length - other.length;
};
/** Items whose place has not come stand before all others. */
const byPlace = (one, other) => {
  if (one.position && other.position) {
    const order = byBytes(one.position, other.position);
    if (order) return order;
  } else if (one.position || other.position) return one.position ? 1 : -1;
  if (one.site !== other.site) return one.site < other.site ? -1 : 1;
  return one.seq < other.seq ? -1 : 1;
};

/** The items of a list in their order: `{site, seq, kind, bytes, position}`. */
export function itemsOf(list, field) {
  const places = new Map();
  const items = [];
  for (const cell of list) {
    if (cell.field !== field) continue;
    if (cell.merge === parts.item) items.push(cell);
    if (cell.merge === parts.place) places.set(nameOf(cell), cell.bytes.subarray(nameLength(cell)));
  }
  return items.map(({ site, seq, kind, bytes }) =>
    ({ site, seq, kind, bytes, position: places.get(hex(itemName({ site, seq }))) ?? null })).sort(byPlace);
}

// What changes write

const draw = () => new FlatReader(randomBytes(8)).u64();
/** Where items are put before their transaction is performed: these places are never written. */
export const undrawn = () => 0n;

/** A record with what an action has done to it, one step after the other, under one stamp. */
export class StagedRecord {
  written = [];
  #core; #about; #bytes; #isAlive; #list = null; #fresh = []; #draw; #items = new Map(); #inserted = new Map();

  /** - held: flat cells; about: `{core, site, stamp, seq, random?}`. */
  constructor(held, { core, random = draw, ...about }) {
    this.#core = core;
    this.#about = about;
    this.#draw = random;
    this.#merge(noCells, held);
  }

  get seq() { return this.#about.seq; }
  get isAlive() { return this.list && this.#isAlive; }
  /** The cells as they stand. */
  get list() {
    if (this.#fresh.length) this.#merge(this.#bytes, new FlatWriter().cells(this.#fresh).finish());
    this.#list ??= new FlatReader(this.#bytes).cells();
    return this.#list;
  }

  #merge(held, incoming) {
    const { row } = this.#core.merge(held, incoming);
    this.#fresh = [];
    this.#list = null;
    this.#isAlive = row[0] === 1;
    this.#bytes = row.subarray(1);
  }

  #write(field, merge, { kind, bytes }, replaced = 0n) {
    const { site, stamp } = this.#about;
    const seq = ++this.#about.seq;
    const cell = { field, merge, kind, site, seq, stamp, replaced, bytes };
    this.written.push(cell);
    this.#fresh.push(cell);
    return cell;
  }
  #writeBytes(field, merge, ...all) {
    const writer = new FlatWriter();
    for (const each of all) writer.bytes(each);
    return this.#write(field, merge, { kind: 5, bytes: writer.finish() });
  }

  /** One step: the name of what follows, and its arguments; a step is named by its number. */
  perform([name, ...about], number) { this[name](...about, number); }

  create() { this.#write(0, merges.creation, nothing); }

  delete() {
    const { list } = this;
    this.#writeBytes(0, merges.deletion, this.#core.deletion(new FlatWriter().cells(list).finish()));
  }

  register(field) { return this.list.find((cell) => cell.field === field && isRegister(cell.merge)); }

  set(field, value) {
    const held = this.register(field);
    const replaced = held?.stamp < this.#about.stamp ? held.stamp : held?.replaced;
    this.#write(field, merges.register, value, replaced);
  }

  /** Adds to this site's part of a counter. */
  add(field, amount) {
    const part = this.list.find((cell) =>
      cell.field === field && cell.merge === parts.tally && cell.site === this.#about.site);
    this.tally(field, (part ? intOf(part) ?? 0n : 0n) + amount);
  }

  tally(field, number) { this.#write(field, parts.tally, int(number)); }

  insert(field, element) { this.#write(field, parts.member, element); }

  remove(field, element) {
    const name = memberName(element);
    const seen = new Map();
    const see = (site, seq) => { if (!(seen.get(site) >= seq)) seen.set(site, seq); };
    for (const cell of this.list.filter((each) => each.field === field)) {
      if (cell.merge === parts.member && word(cell) === word(element)) see(cell.site, cell.seq);
      if (cell.merge !== parts.memberRemoval || nameOf(cell) !== hex(name)) continue;
      for (const [site, seq] of sightIn(cell)) see(site, seq);
    }
    const sight = sightBytes(new Map([...seen].sort(([one], [other]) => (one < other ? -1 : 1))));
    this.#writeBytes(field, parts.memberRemoval, name, sight);
  }

  /** The items of a list with what was done to it, in their order. */
  items(field) {
    if (!this.#items.has(field)) this.#items.set(field, itemsOf(this.list, field));
    return this.#items.get(field);
  }

  /** How later steps call an item: by its dot, or by the number of the step that inserted it. */
  nameOf({ site, seq, step }) { return step ?? { site, seq }; }

  #find(items, name) {
    const dot = typeof name === 'number' ? this.#inserted.get(name) : name;
    return items.findIndex(({ site, seq }) => site === dot?.site && seq === dot?.seq);
  }

  /**
   * Inserts an item, `at` a place: after the item that `after` names, before all where that is null, at the
   * end where it is undefined, and at `index` where that item is gone. `hidden` are items that are not looked at.
   */
  insertItem(field, value, at, step) {
    this.#put(field, at, (position) => {
      const { site, seq } = this.#write(field, parts.item, value);
      this.#inserted.set(step, { site, seq });
      this.#placed(field, { site, seq }, position);
      return { site, seq, ...value, step };
    });
  }

  placeItem(field, name, at) {
    const items = this.items(field);
    const found = this.#find(items, name);
    if (found < 0) return;
    const [item] = items.splice(found, 1);
    const isPut = this.#put(field, at, (position) => {
      this.#placed(field, item, position);
      return item;
    });
    if (!isPut) items.splice(found, 0, item);
  }

  removeItem(field, name) {
    const items = this.items(field);
    const found = this.#find(items, name);
    if (found < 0) return;
    const [item] = items.splice(found, 1);
    this.#writeBytes(field, parts.itemRemoval, itemName(item));
  }

  #placed(field, item, position) { this.#writeBytes(field, parts.place, itemName(item), position); }

  /**
   * Puts an item between two others. Where there is no room, as between items that two devices put at the
   * same place, those after it are put anew until there is some.
   */
  #put(field, { after, index, hidden = [] }, place) {
    const all = this.items(field);
    const unseen = new Set(hidden.map((name) => all[this.#find(all, name)]));
    const items = all.filter((item) => !unseen.has(item));
    const found = after ? this.#find(items, after) : -1;
    const start = after === undefined ? items.length : after === null ? 0
      : found >= 0 ? found + 1 : Math.min(index, items.length);
    const between = (low, high) => {
      const ends = new FlatWriter().sized(low ?? empty).sized(high ?? empty);
      const { source } = this.#core.call('between', ends.u64(this.#draw()));
      return source.length ? source : null;
    };
    const low = items[start - 1]?.position ?? null;
    let end = start;
    const spot = () => {
      if (end >= items.length) return between(low, null);
      // An item whose place has not come stands nowhere, so that nothing stands before it.
      return items[end].position && between(low, items[end].position);
    };
    let position = spot();
    while (!position && end < items.length) {
      end += 1;
      position = spot();
    }
    if (!position) return false;
    all.push(Object.assign(place(position), { position }));
    const high = items[end]?.position ?? null;
    for (const item of items.slice(start, end)) {
      position = between(position, high);
      if (!position) break;
      this.#placed(field, item, position);
      item.position = position;
    }
    all.sort(byPlace);
    return true;
  }
}

/** Whether a step must have a later stamp than every cell of its record. */
export const isPart = ([name]) => name !== 'create' && name !== 'set';

const whole = new WeakMap();

/** Whether a core merges counters, sets and lists; the small one of pages keeps their cells as they come. */
export function mergesParts(core) {
  if (!whole.has(core)) {
    const part = (seq) => ({
      field: 1, merge: parts.tally, ...int(1n), site: '01'.repeat(16), seq, stamp: seq, replaced: 0n,
    });
    const cells = (seq) => new FlatWriter().cells([part(seq)]).finish();
    const { row } = core.merge(cells(1n), cells(2n));
    whole.set(core, new FlatReader(row, 1).cells().length === 1);
  }
  return whole.get(core);
}
