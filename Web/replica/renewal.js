// Writing as a new site, after a copy was restored or has changed its device.

import { FlatReader, FlatWriter, hex, merges, noCells, randomBytes } from '../core/flat.js';

/** The merge kind of a part of a counter. */
const tally = 4;

/**
 * What changes of the records of `keys`: cells by key. Own changes that no server acknowledged are
 * issued anew, under a new site that `meta` then has. Gives nothing where another tab has done it.
 */
export function renewed(meta, held, keys, { core, device, isForked, again = reissue }) {
  const changed = new Map();
  if (!isForked && meta.device === device) return changed;
  const isEarlier = (by) => by.startsWith(meta.device);
  const isAgain = ({ site: by, seq: at }) => isEarlier(by) && !(at <= meta.acked.get(by));
  const lower = (vector) => (isForked ? lowered(vector, isEarlier, meta.acked) : vector);
  const site = device + hex(randomBytes(8));
  let seq = 0n;
  for (const key of keys) {
    const list = new FlatReader(held(key)).cells();
    const from = seq;
    seq = again(list, { meta, core, isAgain, lower, site, seq });
    // Of several deletes the last one sees what the others saw, and takes their place, as with everybody else.
    if (seq > from) changed.set(key, core.merge(noCells, new FlatWriter().cells(list).finish()).row.subarray(1));
  }
  // What the server holds under these numbers may be something else: it comes again, from anywhere.
  meta.vector = lower(meta.vector);
  if (isForked) meta.positions = {};
  Object.assign(meta, { device, site, seq, commits: [] });
  return changed;
}

/** A vector with the entries of some sites lowered to what a server is known to hold of them. */
export function lowered(vector, isEarlier, acked) {
  const low = new Map();
  for (const [site, seq] of vector) {
    const held = isEarlier(site) ? acked.get(site) ?? 0n : seq;
    if (held) low.set(site, held < seq ? held : seq);
  }
  return low;
}

/**
 * Gives some of a record's changes new numbers after `seq`, in the order that they had, and gives
 * the last one. A delete names what it saw by numbers: it sees the new ones, and of the old ones
 * what `lower` leaves.
 */
export function reissue(cells, { core, isAgain, lower, site, seq }) {
  // A part of a counter would count twice beside the one of before, which the server gives back.
  const again = cells.filter((cell) => cell.merge !== tally && isAgain(cell))
    .sort((one, other) => (one.seq < other.seq ? -1 : 1));
  let last = seq;
  again.forEach((cell, index) => {
    Object.assign(cell, { site, seq: ++last });
    if (cell.merge !== merges.deletion) return;
    cell.bytes = sightBytes(lower(sightOf(cell.bytes)));
    cell.bytes = core.deletion(new FlatWriter().cells(again.slice(0, index + 1)).finish());
  });
  return last;
}

/** The vector that a delete's value holds: on the wire, numbers are LEB128. */
export function sightOf(bytes) {
  const reader = new FlatReader(bytes);
  const number = () => {
    let value = 0n;
    for (let shift = 0n, byte = 128; byte > 127; shift += 7n) {
      byte = reader.u8();
      value |= BigInt(byte & 127) << shift;
    }
    return value;
  };
  return new Map(Array.from({ length: Number(number()) }, () => [reader.id(), number()]));
}

/** The bytes of such a vector. */
export function sightBytes(vector) {
  const writer = new FlatWriter();
  const number = (value) => {
    let rest = BigInt(value);
    for (; rest > 127n; rest >>= 7n) writer.u8(Number(rest & 127n) | 128);
    writer.u8(Number(rest));
  };
  number(vector.size);
  for (const [site, seq] of vector) {
    writer.id(site);
    number(seq);
  }
  return writer.finish();
}
