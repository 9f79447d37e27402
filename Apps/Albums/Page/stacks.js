// The same picture of several people is one tile: what makes photos one is their bytes.

/** The records of a tile. */
export const recordsOf = (photo) => photo.records ?? [photo];

/** How many tiles records are of. */
export const tilesOf = (records) => new Set(records.map(({ id, original }) => original?.hash ?? id)).size;

/** What records say, each thing once. */
export const captionsOf = (records) =>
  [...new Set(records.map(({ caption }) => caption).filter(Boolean))].join(' · ');

/** The record of a tile that is written for a field: one's own, else the one that shows it. */
export function written(photo, device, field) {
  const records = recordsOf(photo);
  return records.find(({ creator }) => creator === device)
    ?? records.find((record) => record[field]) ?? records[0];
}

/** Several records as one photo: it stands where the first of them stood, with what any of them has. */
function together(records, device) {
  const [first] = records;
  const whole = records.find(({ storedAt }) => storedAt) ?? first;
  const edited = [written({ records }, device, 'edit'), ...records].find(({ edit }) => edit);
  return {
    ...whole, id: first.id, at: first.at, creator: first.creator, records,
    caption: captionsOf(records), edit: edited?.edit, shown: edited?.shown,
    preview: records.find(({ preview }) => preview)?.preview,
  };
}

/** Photos in their order, newest first, with those of the same bytes as one; a file on its way is none of them. */
export function stacked(photos, device) {
  const stacks = new Map();
  for (const photo of [...photos].reverse()) {
    const key = photo.isArriving ? photo.id : photo.original.hash;
    if (stacks.has(key)) stacks.get(key).push(photo);
    else stacks.set(key, [photo]);
  }
  return [...stacks.values()].map((records) =>
    (records.length > 1 ? together(records, device) : records[0])).reverse();
}
