// What a browser keeps of a space, and how it forgets it.

import { Database } from '../replica/database.js';
import { Shelf, stageOf } from './shelf.js';

const stores = ['meta', 'records', 'uploads', 'chunks'];
const parallel = 6;

/** Empties some stores of a database in one commit. */
const empty = (database, names) => database.run(names, 'readwrite', (store) => {
  for (const name of names) store(name).clear();
});

/** Takes what a replica holds of others' off this device; files that wait stay. */
export const forgetRecords = ({ database }) => empty(database, ['meta', 'records']);

/** Takes all that a replica holds off this device. */
export const forgetAll = ({ database }) => empty(database, stores);

/** Removes the emptied database of a space, once no page has it open. */
export const remove = (space) => { indexedDB.deleteDatabase(`reunion-${space}`); };

/**
 * The files that wait to be sent, in the database of a space that no page syncs any more:
 * `{files, forget()}`, each file `{about, body}`.
 */
export async function waitingFiles(space) {
  const database = await Database.open(`reunion-${space}`);
  const shelf = new Shelf({ database });
  await shelf.reload();
  const rows = [...shelf.rows.values()].filter((row) => stageOf(row) > 1 && row.use !== 'preview');
  const files = await Promise.all(rows.map(async (row) => ({
    id: row.id, about: row.about, body: await shelf.body(row),
  })));
  return {
    files,
    async forget() {
      await forgetAll({ database });
      database.close();
      remove(space);
    },
  };
}

/** Whether the browser has an answer without asking anybody. */
const isCached = (url) => fetch(url, { cache: 'only-if-cached', mode: 'same-origin' })
  .then(({ ok }) => ok, () => false);

/**
 * Takes answers out of the browser's cache, now that the server gives no others: where the page has no
 * secure context, `Clear-Site-Data` does nothing.
 */
export async function evict(urls) {
  const rest = isSecureContext ? [] : urls.filter((url) => !url.startsWith('blob:'));
  const go = async () => {
    for (let url = rest.pop(); url; url = rest.pop()) {
      if (await isCached(url)) await fetch(url, { cache: 'reload' }).catch(() => {});
    }
  };
  await Promise.all(Array.from({ length: parallel }, go));
}
