// Records that were deleted for good (docs/decisions/0031): a record of a reserved entity names each.

import { FlatReader, hex } from '../core/flat.js';
import { recordKey } from '../writing/transaction.js';

const erasureEntity = 16777211;

/** The key of the record that a record erases, by its entity and cells; null where it erases none. */
export function erasedKey(entity, cells) {
  if (entity !== erasureEntity) return null;
  const bytes = new FlatReader(cells).cells().find(({ field }) => field === 1)?.bytes;
  if (bytes?.length !== 20) return null;
  return recordKey(new DataView(bytes.buffer, bytes.byteOffset).getUint32(0), hex(bytes.subarray(4)));
}
