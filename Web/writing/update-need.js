// What version of the app's model a space needs: records of a reserved entity say it (docs/protocol.md, 2.15).

import { noCells } from '../core/flat.js';
import { State } from '../replica/state.js';

export const readerEntity = 16777212;
const versionMost = 100000;

/** The version in the id of such a record, eight zero bytes and the number; 0 where it is none, or was taken back. */
function versionIn({ id, cells }) {
  if (cells.length === noCells.length) return 0;
  const [high, low] = [BigInt(`0x${id.slice(0, 16)}`), BigInt(`0x${id.slice(16)}`)];
  return high === 0n && low <= versionMost ? Number(low) : 0;
}

/** The version that a replica's space needs. */
export const neededVersion = (replica) => Math.max(1, ...replica.cellsOf(readerEntity).map(versionIn));

/**
 * Whether a space holds what a page of this version of the model is too old to read, now and later:
 * `{isNeeded, needed, version}`. Nothing else changes: what people write is kept and sent, and what arrives
 * is kept whole.
 */
export function updateNeed(replica, { version }) {
  const read = () => {
    const needed = neededVersion(replica);
    return { isNeeded: needed > version, needed, version };
  };
  const need = new State(read());
  replica.subscribeCells(readerEntity, () => need.set(read()));
  return need;
}
