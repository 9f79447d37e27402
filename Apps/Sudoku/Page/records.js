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
  const keep = (records) => {
    for (const record of records) {
      if (record.alive) of(record[parent]).set(keyOf(record), record);
      else of(record[parent]).delete(keyOf(record));
    }
  };
  keep(replica.records(entity));
  replica.subscribe(entity, (records) => { keep(records); changed(); });
  return of;
}
