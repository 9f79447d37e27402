// The name of a setting, its kind, its default, and how writes of devices that are apart come together.

import { decodeValue, encodeValue, invalid } from '../replica/model.js';
import { nothing, without } from '../replica/parts.js';
import { cellBytesMax, restField, slots } from './setting-cells.js';

const kinds = ['null', 'bool', 'int', 'double', 'text', 'bytes', 'date', 'uuid', 'reference'];
const kindOf = (value) => (typeof value === 'string' ? 'text' : typeof value === 'boolean' ? 'bool'
  : value instanceof Uint8Array ? 'bytes' : undefined);
const capital = (word) => word[0].toUpperCase() + word.slice(1);

/** A number whose order is the total order of doubles; it is its own inverse. */
const order = (bits) => bits ^ ((bits >> 63n) & 0x7fff_ffff_ffff_ffffn);
const eight = new DataView(new ArrayBuffer(8));
const numbers = {
  int: [(value) => BigInt(value), (number) => decodeInt(number)],
  date: [(value) => BigInt(value), (number) => decodeInt(number)],
  bool: [(value) => (value ? 1n : 0n), (number) => number !== 0n],
  double: [(value) => {
    eight.setFloat64(0, value);
    return order(eight.getBigInt64(0));
  }, (number) => {
    eight.setBigInt64(0, order(number));
    return eight.getFloat64(0);
  }],
};
const decodeInt = (number) => (Number.isSafeInteger(Number(number)) ? Number(number) : number);

export class SettingKey {
  /**
   * A key: its name, at most 255 bytes, and `default`, which is never written. `merge` is `latest`, `first`,
   * `counter`, `union`, `max`, `min`, `or` or `and`. `kind` is that of the value, or of a set's elements:
   * `bool`, `int`, `double`, `text`, `bytes`, `date` (milliseconds), `uuid` or `reference`. A text, a truth
   * value and bytes say it by themselves.
   */
  constructor(name, { default: value, kind = kindOf(value), merge = 'latest' }) {
    if (merge === 'counter') kind ??= 'int';
    if (!kinds.slice(1).includes(kind)) {
      throw new Error(`Say of which kind the setting "${name}" is: ${kinds.slice(1).join(', ')}.`);
    }
    const isNumber = merge === 'max' || merge === 'min';
    const fits = { counter: ['int'], max: ['int', 'double', 'date'], or: ['bool'] };
    const allowed = fits[isNumber ? 'max' : merge === 'and' ? 'or' : merge];
    this.slot = slots[isNumber ? merge + capital(kind) : merge];
    if (!this.slot || (allowed && !allowed.includes(kind))) {
      throw new Error(`The setting "${name}" cannot merge by "${merge}": that is not for ${kind}.`);
    }
    Object.freeze(Object.assign(this, { name, kind, merge, default: value }));
  }

  get #called() { return `"${this.name}" of settings`; }
  get #isTally() { return this.slot > slots.union; }

  /** What the cells of a setting say, or the default. Throws where they are of another type or rule. */
  value(cells) {
    this.check(cells);
    const { slot, kind } = this;
    if (slot === slots.counter) return cells.sum === null ? this.default : decodeInt(cells.sum);
    if (slot === slots.union) {
      const { elements } = cells;
      return elements.length ? new Set(elements.map((each) => decodeValue(each.kind, each.bytes))) : this.default;
    }
    if (this.#isTally) {
      const number = cells.extreme(slot);
      return number === null ? this.default : numbers[kind][1](number);
    }
    const held = slot === slots.latest ? cells.latest : cells.first;
    return held ? decodeValue(held.kind, held.bytes) ?? this.default : this.default;
  }

  /** Throws where the setting was written with another rule or type. */
  check(cells) {
    const held = this.slot === slots.latest ? [cells.latest] : this.slot === slots.first ? [cells.first]
      : this.slot === slots.union ? cells.elements : [];
    const isOther = Object.values(slots).some((slot) => slot !== this.slot && cells.has(slot))
      || held.some((value) => value && kinds[value.kind] !== this.kind);
    if (isOther) {
      throw Object.assign(new Error(`The setting "${this.name}" was written with another type or merge rule`
        + ' than its key has: give the key a new name.'), { code: 'wrongType' });
    }
  }

  /** A value, or an element of a set, as it is written. Throws for what is none. */
  encoded(value) {
    if ((value ?? null) === null && this.slot !== slots.latest) throw invalid(this.kind, this.#called, value);
    return encodeValue(this.kind, value, this.#called);
  }

  /** What a set is to hold. Throws where that is no list: a text would be its letters. */
  elements(value) {
    const isList = typeof value === 'object' && value?.[Symbol.iterator];
    if (!isList) throw invalid('set', this.#called, value);
    return [...value];
  }

  /** The bytes of a value as the limit counts them. */
  byteCount(value) {
    if (this.slot !== slots.union) return this.encoded(value).bytes.length;
    return this.elements(value).reduce((sum, each) => {
      const { length } = this.encoded(each).bytes;
      return sum + length + 1 + (length < 128 ? 1 : length < 16_384 ? 2 : 3);
    }, 0);
  }

  /** What makes the setting this value, as far as the rule lets it: operations, each `[name, field, value]`. */
  write(value, cells) {
    const { slot } = this;
    if (slot === slots.counter) return [['add', slot, BigInt(value) - (cells.sum ?? 0n)]];
    if (slot === slots.union) {
      const wanted = this.elements(value).map((each) => this.encoded(each));
      return [...without(wanted, cells.elements).map((each) => ['insert', slot, each]),
        ...without(cells.elements, wanted).map((each) => ['remove', slot, each])];
    }
    if (this.#isTally) {
      const { kind, bytes } = this.encoded(value);
      const [number, held] = [numbers[this.kind][0](decodeValue(kind, bytes)), cells.extreme(slot)];
      const isLeast = this.merge === 'min' || this.merge === 'and';
      return held === null || (isLeast ? number < held : number > held) ? [['tally', slot, number]] : [];
    }
    const encoded = this.encoded(value);
    if (slot === slots.first) return cells.first ? [] : [['insert', slot, encoded]];
    return latest(encoded, cells);
  }

  /** What makes it as if it had never been set; null where the rule only grows. */
  clear(cells) {
    if (this.slot === slots.latest) return latest(nothing, cells);
    if (this.slot === slots.counter) return [['add', this.slot, -(cells.sum ?? 0n)]];
    return this.slot === slots.union ? cells.elements.map((each) => ['remove', this.slot, each]) : null;
  }
}

/** What sets a latest value; what is beyond a cell goes in a second one. */
function latest({ kind, bytes }, cells) {
  const held = cells.latest ?? nothing;
  const isSame = held.kind === kind && held.bytes.length === bytes.length
    && held.bytes.every((byte, at) => byte === bytes[at]);
  if (isSame) return [];
  const [head, rest] = [bytes.slice(0, cellBytesMax), bytes.slice(cellBytesMax)];
  const operations = [['set', slots.latest, { kind, bytes: head }]];
  const hadRest = (cells.register(restField)?.kind ?? 0) !== 0;
  if (hadRest || rest.length) {
    operations.push(['set', restField, rest.length ? { kind: 5, bytes: rest } : nothing]);
  }
  return operations;
}
