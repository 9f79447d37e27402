// Parts of counters, sets and lists that are issued anew: their cells name others by numbers that become
// others (`Reissue` in Swift).

import { FlatReader, FlatWriter, hex, merges } from '../core/flat.js';
import { itemName, memberName, nameLength, nameOf, parts, sightIn, varintOf } from './parts.js';
import { reissue, sightBytes } from './renewal.js';

const joined = (one, other) => new FlatWriter(one.length + other.length).bytes(one).bytes(other).finish();

/** As `reissue`, and cells that name a change which is issued anew name it by its new number. */
export function reissueParts(cells, about) {
  const { lower, site, isAgain } = about;
  const before = cells.map(({ site: by, seq }) => ({ site: by, seq }));
  let last = reissue(cells, about);
  const isNew = (cell, at) => before[at].site !== cell.site || before[at].seq !== cell.seq;
  const anew = cells.map((cell, at) => ({ cell, old: before[at] })).filter(({ cell }, at) => isNew(cell, at))
    .sort((one, other) => (one.cell.seq < other.cell.seq ? -1 : 1));
  const items = new Map(anew.filter(({ cell }) => cell.merge === parts.item)
    .map(({ cell, old }) => [hex(itemName(old)), cell]));
  // An item that was removed is not there itself: where its number may be another change's, it is renamed, too.
  const gone = ({ bytes }) => {
    const reader = new FlatReader(bytes);
    const [by, seq] = [reader.id(), varintOf(reader)];
    return isAgain({ site: by, seq }) && !(seq <= lower(new Map([[by, seq]])).get(by)) && { site, seq: ++last };
  };
  const more = [];
  for (const { cell, old } of anew) {
    const { merge, bytes } = cell;
    if (merge === parts.memberRemoval) {
      const seen = sightIn(cell);
      const sight = lower(seen);
      // A change that it saw and that is issued anew has a number before the removal's own.
      const own = anew.findLast((each) => each.cell.seq < cell.seq && each.old.seq <= seen.get(each.old.site));
      if (own) sight.set(site, own.cell.seq);
      const order = [...sight].sort(([one], [other]) => (one < other ? -1 : 1));
      cell.bytes = joined(bytes.subarray(0, nameLength(cell)), sightBytes(new Map(order)));
    } else if (merge === parts.place || merge === parts.itemRemoval) {
      const item = items.get(nameOf(cell)) ?? gone(cell);
      if (item) cell.bytes = joined(itemName(item), bytes.subarray(nameLength(cell)));
    } else if (merge === parts.member) {
      const known = lower(new Map([[old.site, old.seq]]));
      if (known.size) more.push({ cell, known });
    }
  }
  // The addition took an earlier one's place here; others know both, until they hear that that one is gone.
  for (const { cell, known } of more) {
    const { start, end, ...removal } = cell;
    cells.push({
      ...removal, merge: parts.memberRemoval, kind: 5, seq: ++last,
      bytes: joined(memberName(cell), sightBytes(known)),
    });
  }
  return last;
}

/**
 * The same in a copy that went back, or that has another device now. Its part of a counter cannot be told from
 * what the server has of it: the server's stays, and comes again, as does all that it has of that site. Of a
 * record that never was at the server, it is all here.
 */
export function reissueParted(cells, about) {
  const { isAgain, meta, site } = about;
  const isParted = (cell) => cell.merge === parts.tally && isAgain(cell);
  const counts = cells.filter(isParted);
  const kept = cells.filter((cell) => !isParted(cell));
  const isHereAlone = cells.some((cell) => cell.merge === merges.creation && isAgain(cell));
  cells.splice(0, Infinity, ...kept);
  let last = reissueParts(cells, about);
  for (const cell of counts) {
    meta.vector.delete(cell.site);
    if (isHereAlone) cells.push({ ...cell, site, seq: ++last });
  }
  return last;
}
