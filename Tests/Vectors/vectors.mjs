// The core's vectors, for JavaScript: `core.txt` has a line each, `name function-number hex-in
// hex-out`, or `!` and the error's sentence where the core must refuse.

import { FlatReader, FlatWriter, hex, unhex } from '../../Web/core/flat.js';

/** The functions that the core of registers lacks, since no page calls them. */
const lacking = [1, 2, 7, 10];
const [mergeFunction, deletion, annotation] = [3, 1, 3];
/** Whether a merge kind is that of a part of a counter, a set or a list. */
const isPart = ({ merge }) => merge >= 4 && merge <= 9;

const orderOf = ({ field, merge, site, seq }) => [field, merge, site, seq];
const laterOf = ({ stamp, site, seq, kind, bytes, replaced }) => [stamp, site, seq, kind, hex(bytes), replaced];
const compare = (orders) => (one, other) => {
  const [left, right] = [orders(one), orders(other)];
  const at = left.findIndex((each, index) => each !== right[index]);
  return at < 0 ? 0 : left[at] < right[at] ? -1 : 1;
};
const cellsOf = (reader) => reader.cells().map(({ start, end, ...cell }) => cell);

/**
 * What the core of registers gives for a merge, from what the whole one does: each cell of a counter, a
 * set or a list is kept whole, of two of one dot the later, and the others come out as they do there.
 */
function keptWhole(input, expected) {
  const reader = new FlatReader(unhex(input));
  const [held, incoming] = [cellsOf(reader), cellsOf(reader)];
  const whole = new FlatReader(unhex(expected), 2);
  const others = cellsOf(whole).filter((cell) => !isPart(cell));
  const parts = held.filter(isPart);
  for (const cell of incoming.filter(isPart)) {
    const twin = parts.findIndex((part) => compare(orderOf)(part, cell) === 0);
    if (twin < 0) parts.push(cell);
    else if (compare(laterOf)(parts[twin], cell) < 0) parts[twin] = cell;
  }
  const cells = [...others, ...parts].sort(compare((cell) => [...orderOf(cell), ...laterOf(cell)]));
  const flat = (list) => hex(new FlatWriter().cells(list).finish());
  const seen = new Map();
  for (const { bytes } of cells.filter(({ merge }) => merge === deletion)) {
    for (const [site, seq] of sightOf(bytes)) if (!(seen.get(site) >= seq)) seen.set(site, seq);
  }
  const isAlive = cells.some(({ merge, site, seq }) =>
    merge !== deletion && merge !== annotation && !(seq <= seen.get(site)));
  const conflicts = hex(whole.bytes(whole.remaining));
  return `0${Number(flat(cells) !== flat(held))}0${Number(isAlive)}${flat(cells)}${conflicts}`;
}

/** The vector in the bytes of a delete: numbers are LEB128. */
function sightOf(bytes) {
  const reader = new FlatReader(bytes);
  const number = (shift = 0n) => {
    const byte = reader.u8();
    return (BigInt(byte & 127) << shift) | (byte > 127 ? number(shift + 7n) : 0n);
  };
  return Array.from({ length: Number(number()) }, () => [reader.id(), number()]);
}

/**
 * Runs the vectors in a core (`startCore` of Web/core/core.js), in node or in a browser; with `isSmall` in
 * the one of registers alone, which keeps counters, sets and lists whole.
 * Gives `{count, kept, failures: [{name, expected, actual}]}`; `kept` are those that it keeps whole.
 */
export function runVectors(core, text, { isSmall = false } = {}) {
  const failures = [];
  let [count, kept] = [0, 0];
  for (const line of text.split('\n')) {
    const [, name, number, input, whole] = /^(\S+) (\d+) (\S*) (.*)$/.exec(line) ?? [];
    if (!name) continue;
    count += 1;
    let expected = whole;
    if (isSmall && lacking.includes(Number(number))) expected = '!There is no such function.';
    else if (isSmall && Number(number) === mergeFunction) {
      expected = keptWhole(input, whole);
      if (expected !== whole) kept += 1;
    }
    let actual;
    try {
      actual = hex(core.call(Number(number), unhex(input)));
    } catch (error) {
      actual = error instanceof WebAssembly.RuntimeError ? `trap: ${error.message}`
        : `!${error.message}`;
    }
    if (actual !== expected) failures.push({ name, expected, actual });
  }
  return { count, kept, failures };
}
