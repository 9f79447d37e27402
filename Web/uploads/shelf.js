// What waits on this device: rows and bytes in IndexedDB, and in memory the rows and the files that
// this page was given. A chosen file is a row that goes from `chosen` (its name is here, its bytes only
// in the memory of one page) by `kept` (its bytes and hash are here) to `original` (it waits to be sent,
// with its record where it could be prepared); a `preview` may be beside it. No step is taken back.

import { result } from '../replica/database.js';
import { hex } from '../core/flat.js';
import { newRecordID } from '../replica/model.js';

const pieceBytes = 1024 * 1024;
const orphanMilliseconds = 3_600_000;

const allOf = (file) => IDBKeyRange.bound([file], [file, Infinity]);

/** How far a row has come: 1 for `chosen`, 2 for `kept`, 3 for what can be sent. */
export const stageOf = ({ use }) => ['chosen', 'kept'].indexOf(use) + 1 || 3;

export class Shelf {
  rows = new Map();
  /** Files of rows that this page was given and has not entered yet. */
  files = new Map();
  /** Rows that were sent or given up: another tab's news of them are old. */
  gone = new Set();
  /** URLs of previews that only this device holds, by hash. */
  previews = new Map();
  /** Called when a row goes; and when this page has written rows. */
  onforget = () => {};
  onwrite = () => {};

  /** `app` is what the app says of its files: the options of `Uploads`. */
  constructor(replica, app = {}) {
    this.replica = replica;
    this.app = app;
  }

  /** The record that names a row's file, undefined before there is one. */
  recordOf({ record }) { return record ? this.replica.get(this.app.entity, record) : undefined; }

  /** What a row has of its record's id: by its entity as well, for a page of version 0.1 in another tab. */
  naming(id) { return { record: id, [this.app.entity]: id }; }

  all(use) { return [...this.rows.values()].filter((row) => row.use === use); }

  /** Reads the rows again after another page changed them. */
  async reload() {
    const rows = await this.#run('uploads', 'readonly', (uploads) => result(uploads.getAll()));
    const ids = new Set(rows.map(({ id }) => id));
    for (const id of this.rows.keys()) {
      if (!ids.has(id) && !this.files.has(id)) this.forget(id);
    }
    for (const row of rows) {
      if (this.gone.has(row.id)) continue;
      // A page of version 0.1 named the record by its entity, and the file among what its record says.
      row.record ??= row[this.app.entity];
      row.name ??= row.about?.fileName;
      const held = this.rows.get(row.id);
      const isLater = !held || stageOf(row) > stageOf(held)
        || (stageOf(row) === stageOf(held) && row.page !== held.page);
      if (isLater && !this.files.has(row.id)) this.rows.set(row.id, row);
      if (row.use === 'preview' && !this.previews.has(row.hash)) {
        this.previews.set(row.hash, URL.createObjectURL(await this.body(row)));
      }
    }
  }

  /** Deletes bytes that no row names; younger ones may be those that another page is reading. */
  async tidy() {
    const files = new Set([...this.rows.values()].map(({ file }) => file));
    const young = newRecordID(Date.now() - orphanMilliseconds);
    await this.#run('chunks', 'readwrite', async (chunks) => {
      for (const [file] of await result(chunks.getAllKeys())) {
        if (!files.has(file) && file < young) chunks.delete(allOf(file));
      }
    });
  }

  /** Writes rows in one commit, which is on disk when this resolves: `body(store)`. */
  async write(body) {
    await this.#run('uploads', 'readwrite', body);
    this.onwrite();
  }

  /** Copies bytes into the database in pieces and hashes them: `{file, hash, size}`. */
  async keep(blob, file = newRecordID()) {
    const hasher = this.replica.core.hasher();
    for (let at = 0; at < blob.size; at += pieceBytes) {
      const piece = await blob.slice(at, at + pieceBytes).arrayBuffer();
      hasher.update(new Uint8Array(piece));
      await this.#run('chunks', 'readwrite',
        (chunks) => result(chunks.put(piece, [file, at / pieceBytes])));
    }
    return { file, hash: hex(hasher.finish()), size: blob.size };
  }

  async isKept({ id }) {
    return await this.#run('uploads', 'readonly', (uploads) => result(uploads.count(id))) > 0;
  }

  async body({ file }) {
    return new Blob(await this.#run('chunks', 'readonly',
      (chunks) => result(chunks.getAll(allOf(file)))));
  }

  /** Deletes bytes without a row. */
  drop({ file }) {
    return this.#run('chunks', 'readwrite', (chunks) => { chunks.delete(allOf(file)); });
  }

  /** Removes a row with its bytes, in a commit of the replica. */
  remove(t, row) {
    this.forget(row.id);
    this.gone.add(row.id);
    t.remove('uploads', row.id);
    t.remove('chunks', allOf(row.file));
  }

  forget(id) {
    this.rows.delete(id);
    this.files.delete(id);
    this.onforget(id);
  }

  #run(name, mode, body) {
    return this.replica.database.run([name], mode, (store) => body(store(name)));
  }
}
