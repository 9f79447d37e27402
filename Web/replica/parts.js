// The parts of counters, sets and lists: what their cells say.

import { FlatReader, FlatWriter, hex } from '../core/flat.js';
import { sightOf } from './renewal.js';

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
export const memberName = ({ kind, bytes }) =>
  varint(new FlatWriter(bytes.length + 6).u8(kind), bytes.length).bytes(bytes).finish();

/** The bytes that cells about an item begin with. */
export const itemName = ({ site, seq }) => varint(new FlatWriter(26).id(site), seq).finish();

/** Reads a varint, a BigInt. */
export function varintOf(reader) {
  let value = 0n;
  for (let shift = 0n, byte = 128; byte > 127; shift += 7n) {
    byte = reader.u8();
    value |= BigInt(byte & 127) << shift;
  }
  return value;
}

/** How many bytes of a cell's value name an element or an item. */
export function nameLength({ merge, bytes }) {
  const reader = new FlatReader(bytes, merge === parts.memberRemoval ? 1 : 16);
  const number = varintOf(reader);
  return reader.at + (merge === parts.memberRemoval ? Number(number) : 0);
}
/** What names the element or the item of a cell, as hexadecimal digits. */
export const nameOf = (cell) => hex(cell.bytes.subarray(0, nameLength(cell)));

// What cells say

/** What a cell of a removal saw. */
export const sightIn = (cell) => sightOf(cell.bytes.subarray(nameLength(cell)));

/** Numbers of a counter's sites, of each the last: the small core keeps those before, too. */
export function talliesOf(list, field) {
  const last = new Map();
  for (const cell of list) {
    if (cell.field !== field || cell.merge !== parts.tally) continue;
    if (!(last.get(cell.site)?.seq > cell.seq)) last.set(cell.site, cell);
  }
  return [...last.values()].map(intOf).filter((number) => number !== null);
}

/** What a counter counts, a BigInt; null if nobody counted. */
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
/** The order of items: those whose place has not come stand before all others. */
export const byPlace = (one, other) => {
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
