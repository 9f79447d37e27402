// Records that came back after a delete, and a copy that was away for so long that it takes all anew: what a delete
// took whose trace is gone at the server goes here as well (docs/protocol.md 2.25).

import { FlatReader, FlatWriter, merges } from '../core/flat.js';
import { sightBytes, sightOf } from './renewal.js';

/** From this number on, entities are the library's own: their records are not let go. */
const firstReserved = 16_777_200;

const covers = (vector, { site, seq }) => seq <= vector.get(site);
const isDeletion = ({ merge }) => merge === merges.deletion;

/** A vector raised by entries: of each site the highest number. */
function raise(vector, entries) {
  for (const [site, seq] of entries) if (!covers(vector, { site, seq })) vector.set(site, seq);
  return vector;
}
const sightIn = (cells) => cells.filter(isDeletion)
  .reduce((sight, { bytes }) => raise(sight, sightOf(bytes)), new Map());

/** Whether cells show a record, be it by more than what was `met`. */
function isAlive(cells, met = new Map()) {
  const sight = sightIn(cells);
  return cells.some((cell) => !isDeletion(cell) && cell.merge !== merges.annotation && !covers(sight, cell)
    && !covers(met, cell));
}

/** Whether what comes of a record is all that there is of it. */
function isWhole(held, come) {
  // To a leaf, what came back goes whole.
  if (come.some(isDeletion)) return isAlive(come);
  // A later creation loses, unless the server has let the earlier one go. One that was issued anew has the same stamp.
  const creation = (cells) => cells.find(({ merge }) => merge === merges.creation);
  const [before, now] = [creation(held), creation(come)];
  return !isAlive(held) && before && now && now.stamp > before.stamp;
}

/**
 * What stays of a record's cells beside those that come: all, unless it came `back` or all comes anew (`isAll`).
 * `met` is what the server has met; with `isAll`, what it does not bring may have been deleted. A record with an edit
 * that it has not met comes back, with a delete of what it has met, under the next number of `meta`: so it goes whole
 * to everybody.
 */
export function staying(key, held, come, { meta, isOwn, isAll, back, met }) {
  if (!isAll && !back.has(key)) return held;
  const [cells, coming] = [new FlatReader(held).cells(), new FlatReader(come).cells()];
  const flat = (list) => new FlatWriter().cells(list).finish();
  if (isAll && parseInt(key, 10) >= firstReserved) return held;
  const isUnsent = (cell) => isOwn(cell) && !covers(met, cell);
  if (coming.length) return isAll || isWhole(cells, coming) ? flat(cells.filter(isUnsent)) : held;
  if (!isAll) return held;
  if (!cells.some(isUnsent)) return flat([]);
  // It is deleted here as well: the server has yet to hear that, and whose it was.
  if (!isAlive(cells, met)) {
    return flat(cells.filter((cell) => isDeletion(cell) || !covers(met, cell)
      || (cell.merge === merges.creation && isOwn(cell))));
  }
  const gone = cells.filter((cell) => covers(met, cell));
  if (!gone.length) return held;
  const sight = gone.reduce((seen, { site, seq }) => raise(seen, [[site, seq]]), sightIn(gone));
  const order = [...sight].sort(([one], [other]) => (one < other ? -1 : 1));
  const stamp = cells.reduce((last, cell) => (cell.stamp > last ? cell.stamp : last), 0n);
  return flat([...cells, {
    field: 0, merge: merges.deletion, kind: 5, site: meta.site, seq: ++meta.seq, stamp, replaced: 0n,
    bytes: sightBytes(new Map(order)),
  }]);
}
