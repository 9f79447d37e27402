// The records of cells and of what else belongs to a puzzle or a game, as a book and a table have them.

/** The id of a cell's record: that of what it belongs to, with the cell as its last byte. */
export const cellID = (id, place) => id.slice(0, 30) + place.toString(16).padStart(2, '0');

/**
 * Follows the living records of an entity by what they belong to, the field `parent`; gives the function that knows
 * those of one parent, as a `Map`. `changed()` hears of each change.
 */
export function grouped(replica, entity, parent, changed, keyOf = ({ id }) => id) {
  const groups = new Map();
  const of = (id) => groups.get(id) ?? groups.set(id, new Map()).get(id);
  // One that is deleted or refused does not say any more what it belonged to.
  const held = new Map();
  const keep = (records) => {
    for (const record of records) {
      const before = held.get(record.id);
      if (before) of(before[parent]).delete(keyOf(before));
      held.delete(record.id);
      if (!record.alive) continue;
      held.set(record.id, record);
      of(record[parent]).set(keyOf(record), record);
    }
  };
  keep(replica.records(entity));
  replica.subscribe(entity, (records) => { keep(records); changed(); });
  return of;
}
