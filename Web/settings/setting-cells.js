// What the record of a setting says, and the cells that its rules write: docs/protocol.md §4.

import { FlatReader, FlatWriter, hex, isRegister } from '../core/flat.js';
import { int, membersOf, parts, sumOf, talliesOf } from '../replica/parts.js';
import { StagedRecord } from '../writing/staged-record.js';

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

const leastSlots = [12, 13, 14, 17];

/** The record of a setting as it is read; `list` holds its cells. */
export class SettingCells {
  constructor(isAlive, list) { Object.assign(this, { isAlive, list }); }

  /** Of a row of the replica: `{alive, cells}`, or undefined. */
  static of(row) {
    return new SettingCells(row?.alive ?? false, row ? new FlatReader(row.cells).cells() : []);
  }

  register(field) { return this.list.find((cell) => cell.field === field && isRegister(cell.merge)); }

  /** Cells of which none counts where it was deleted. */
  get #living() { return this.isAlive ? this.list : []; }

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
    return this.#living.filter(({ field, merge }) => field === slots.first && merge === parts.member)
      .reduce((found, cell) => (found && order(found, cell) ? found : cell), null);
  }

  /** What a counter counts, as a BigInt that wraps at 64 bits; null if nobody counted. */
  get sum() { return sumOf(this.#living, slots.counter); }

  get elements() { return membersOf(this.#living, slots.union); }

  extreme(slot) {
    const isLeast = leastSlots.includes(slot);
    return talliesOf(this.#living, slot).reduce((found, number) =>
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
export class StagedSetting extends StagedRecord {
  get cells() { return new SettingCells(this.isAlive, this.list); }
}

/** The id of the record of a name: the same on every device. */
export function settingID(core, name) {
  const hasher = core.hasher();
  hasher.update(new TextEncoder().encode(`reunion setting\0${name}`));
  return hex(hasher.finish().subarray(0, 16));
}
