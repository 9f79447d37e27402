// Has a space know the version that its readers need, with a page's first write there: the same as in Swift
// (`Store.requireReader`). Only models that name a minimum reader load it.

import { merges } from '../core/flat.js';
import { encodeValue } from '../replica/model.js';
import { recordKey } from './transaction.js';
import { neededVersion, readerEntity } from './update-need.js';

const reservedFirst = 16777200;

/** Has a page's actions say what the model names. */
export function extend(model) {
  const version = model.minimumReader;
  const id = version.toString(16).padStart(32, '0');
  const stage = (held, { site, stamp, seq }) => {
    const cell = (field, merge, value) =>
      ({ field, merge, ...value, site, seq: ++seq, stamp, replaced: 0n });
    const cells = [cell(0, merges.creation, encodeValue('int', null)),
      cell(1, merges.register, encodeValue('int', version))];
    return { cells, seq };
  };
  const said = new Map([[recordKey(readerEntity, id),
    { entity: { names: new Map() }, id, fields: new Map(), stage }]]);
  /** What is written beside an action on the app's records, nothing where the space knows; null for another action. */
  model.readerWrites = (replica, writes) => {
    if (![...writes.keys()].some((key) => parseInt(key, 10) < reservedFirst)) return null;
    return neededVersion(replica) < version ? said : new Map();
  };
}
