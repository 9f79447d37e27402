// What lenses make of values, by the words of models: the same as in Swift (`Conversion+Vocabulary`), to the byte,
// as `ConversionsInJavaScriptTests` checks. A value is `{kind, bytes}`, as in a cell.

import { hex, unhex } from '../core/flat.js';
import { encodeValue, kinds } from '../replica/model.js';

const [leastInt, mostInt] = [-(2n ** 63n), 2n ** 63n - 1n];
const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const view = ({ bytes }) => new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
const has = ({ kind, bytes }, length, ...names) => bytes.length === length && names.includes(kinds[kind]);

export const nothing = { kind: 0, bytes: new Uint8Array(0) };
export const isNothing = ({ kind, bytes }) => kind === 0 && !bytes.length;
/** Whether two values are one. */
export const isSame = (one, other) => one.kind === other.kind && hex(one.bytes) === hex(other.bytes);
/** What stands in models as something else: bytes are hexadecimal digits there, and large numbers may be texts. */
const readings = { bytes: unhex, int: BigInt, date: BigInt, double: Number };
/** A value as models write it down. */
export const valueOf = (kind, value) =>
  encodeValue(kind, value === null ? null : readings[kind]?.(value) ?? value);

/** The whole number of an int or a date, as a BigInt; undefined where it is none. */
export const intOf = (value) => (has(value, 8, 'int', 'date') ? view(value).getBigInt64(0) : undefined);
const doubleOf = (value) => (has(value, 8, 'double') ? view(value).getFloat64(0) : undefined);
/** The text, where all of its bytes are one. */
function textOf({ kind, bytes }) {
  try {
    return kinds[kind] === 'text' ? strict.decode(bytes) : undefined;
  } catch {
    return undefined;
  }
}

const madeInt = (number, { kind }) => (number !== null && number >= leastInt && number <= mostInt
  ? { kind: kinds.indexOf(kind), bytes: encodeValue('int', number).bytes } : null);
/** What is no number has no bytes that all machines agree on. */
const madeDouble = (number) => (Number.isNaN(number) ? null : encodeValue('double', number));
const madeText = (text) => encodeValue('text', text);

/** The nearest whole number, of two the one farther from zero; null of none. */
export function nearest(number) {
  const whole = Math.sign(number) * Math.round(Math.abs(number));
  return Number.isFinite(whole) ? BigInt(whole) : null;
}

/** A double's digits, as Swift writes them. */
function digitsOf(number) {
  if (!Number.isFinite(number)) return number > 0 ? 'inf' : '-inf';
  if (Object.is(number, -0)) return '-0.0';
  const [mantissa, exponent] = number.toExponential().split('e');
  const sign = exponent.startsWith('-') ? '-' : '+';
  const size = Math.abs(number);
  if (size && (size < 1e-4 || size > 2 ** 53)) return `${mantissa}e${sign}${exponent.slice(1).padStart(2, '0')}`;
  const text = String(number);
  return text.includes('.') ? text : `${text}.0`;
}

function written(value) {
  if (has(value, 1, 'bool')) return madeText(String(value.bytes[0] !== 0));
  const double = doubleOf(value);
  if (double !== undefined) return Number.isNaN(double) ? null : madeText(digitsOf(double));
  const int = intOf(value);
  return int === undefined ? null : madeText(String(int));
}

function parsed(value, end) {
  const text = textOf(value);
  if (text === undefined) return null;
  if (end.kind === 'bool') return /^(true|false)$/.test(text) ? encodeValue('bool', text === 'true') : null;
  if (end.kind === 'int') return /^[+-]?[0-9]+$/.test(text) ? madeInt(wholeOf(text), end) : null;
  return /^[-+.eE0-9]+$/.test(text) ? madeDouble(Number(text)) : null;
}

/** The number of digits; null where they are more than any int has. */
function wholeOf(digits) {
  const [, sign, rest] = /^([+-]?)0*(.*)$/.exec(digits);
  return rest.length > 19 ? null : BigInt(rest || 0) * (sign === '-' ? -1n : 1n);
}

// From one field to one

/** Converts one value. No value stays no value if both fields may be empty. */
const plain = (forward, back) => {
  const making = (make) => ([value], _, [end]) => {
    if (isNothing(value)) return end.isOptional ? [nothing] : null;
    const made = make(value, end);
    return made && [made];
  };
  return { forward: making(forward), back: making(back) };
};

function scaled(product, whole, double, divided) {
  const scale = (value, end, ofWhole, ofDouble) => {
    const int = intOf(value);
    if (int !== undefined && end.kind !== 'double') return madeInt(ofWhole(int), end);
    const number = doubleOf(value) ?? (int === undefined ? undefined : Number(int));
    if (number === undefined) return null;
    return end.kind === 'double' ? madeDouble(ofDouble(number)) : madeInt(nearest(ofDouble(number)), end);
  };
  return plain((value, end) => scale(value, end, product, double), (value, end) => scale(value, end, whole, divided));
}

// Texts in parts

/** Where some bytes begin in others, from a place on, or -1. */
function find(bytes, wanted, from) {
  for (let at = from; at + wanted.length <= bytes.length; at++) {
    if (wanted.every((byte, index) => bytes[at + index] === byte)) return at;
  }
  return -1;
}

function cut(bytes, separator, count) {
  const parts = [];
  let from = 0;
  while (parts.length < count - 1) {
    const at = find(bytes, separator, from);
    if (at < 0) break;
    parts.push(bytes.slice(from, at));
    from = at + separator.length;
  }
  parts.push(bytes.slice(from));
  return [...parts, ...Array(count - parts.length).fill(nothing.bytes)];
}

function joined(parts, separator) {
  const shown = parts.slice(0, parts.findLastIndex(({ length }) => length) + 1);
  const bytes = new Uint8Array(shown.reduce((sum, { length }) => sum + length + separator.length, 0));
  let at = 0;
  for (const [index, part] of shown.entries()) {
    if (index) bytes.set(separator, at - separator.length);
    bytes.set(part, at);
    at += part.length + separator.length;
  }
  return bytes.slice(0, Math.max(0, at - separator.length));
}

// The words

const words = {
  same: () => plain((value) => value, (value) => value),
  times: (factor) => scaled((int) => int * BigInt(factor), (int) => int / BigInt(factor),
    (double) => double * Number(factor), (double) => double / Number(factor)),
  scale: (factor) => scaled((int) => nearest(Number(int) * factor), (int) => nearest(Number(int) / factor),
    (double) => double * factor, (double) => double / factor),
  over: (by) => {
    const divisor = BigInt(by);
    const divided = (int) => (int % divisor < 0n ? int / divisor - 1n : int / divisor);
    const ofWhole = (make) => (value, end) => {
      const int = intOf(value);
      return int === undefined ? null : madeInt(make(int), end);
    };
    return plain(ofWhole(divided), ofWhole((int) => int * divisor));
  },
  text: () => plain(written, parsed),
  number: () => plain(parsed, written),
  cases: (list, { sources: [source], targets: [target] }) => {
    const pairs = list.map(([from, to]) => [valueOf(source.kind, from), valueOf(target.kind, to)]);
    const other = (value, one) => pairs.find((pair) => isSame(pair[one], value))?.[1 - one] ?? null;
    return plain((value) => other(value, 0), (value) => other(value, 1));
  },
  separator: (text) => {
    const separator = madeText(text).bytes;
    const make = (values, _, ends) => {
      if (!values.every(({ kind }) => kinds[kind] === 'text')) return null;
      const parts = values.map(({ bytes }) => bytes);
      const made = ends.length > 1 ? cut(parts[0], separator, ends.length) : [joined(parts, separator)];
      return made.map((bytes) => ({ kind: kinds.indexOf('text'), bytes }));
    };
    return { forward: make, back: make };
  },
};

/** What `by` of a lens says, as `{forward, back}`. What is not known here, as a function of an app, refuses all. */
export function conversionOf(lens) {
  const [word, about] = lens.by;
  return Object.hasOwn(words, word) ? words[word](about, lens) : { forward: () => null, back: () => null };
}
