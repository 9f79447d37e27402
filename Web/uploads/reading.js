// What a page does with files that were chosen: all names are written at once, then the bytes of
// all, and only then the app prepares them.

import { backoff } from '../conversation/backoff.js';
import { isAway, isNoRoom, result } from '../replica/database.js';
import { hex } from '../core/flat.js';
import { newRecordID } from '../replica/model.js';
import { stageOf } from './shelf.js';

const fileBytesMax = 100_000_000;
const madeUpMilliseconds = 60_000;
const rest = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Whether a file is one that was chosen before, as far as can be said without its bytes. */
const isSameFile = (one, other) => one.size === other.size && one.dated === other.dated
  && one.name === other.name;

/** The row of a file, without an id. */
function rowOf(file, page, now) {
  return {
    file: newRecordID(), use: 'chosen', page, at: now, name: file.name, size: file.size,
    // A date of just now is the browser's, and another one at the next choice.
    dated: now - file.lastModified > madeUpMilliseconds ? file.lastModified : 0,
  };
}

export class Reading {
  /** This page's name, in the rows that it reads. */
  page = newRecordID();
  #shelf; #tell; #noted = Promise.resolve(); #work = null; #isWanted = false;
  #claimed = new Set();

  /** `tell`: `notice(code, name)`; `sendFirst(preview)`, true where it arrived; `moved()`. */
  constructor(shelf, tell) {
    this.#shelf = shelf;
    this.#tell = tell;
  }

  /** Whether this page is to read it. */
  isReading({ id, use, page }) {
    return use === 'chosen' ? page === this.page && this.#shelf.files.has(id)
      : use === 'kept' && (page === this.page || this.#claimed.has(id));
  }

  /** Prepares a kept file whose page has gone. */
  claim({ id }) { this.#claimed.add(id); }

  /** Takes files; one of `missing` that is chosen again goes on as the row that it was. */
  take(files, missing) {
    const { rows, files: held, app } = this.#shelf;
    const now = Date.now();
    const taken = [];
    for (const file of files) {
      const problem = file.size ? file.size > fileBytesMax && 'large' : 'empty';
      if (problem) {
        this.#tell.notice(problem, file.name);
        continue;
      }
      const row = { ...rowOf(file, this.page, now), about: app.about?.(file) ?? {}, ...this.#shelf.naming(null) };
      row.id = missing.find((each) => isSameFile(each, row) && !held.has(each.id))?.id
        ?? newRecordID(now + taken.length);
      rows.set(row.id, row);
      held.set(row.id, file);
      taken.push(row);
    }
    if (!taken.length) return;
    const noted = this.#steadily(taken[0],
      () => this.#shelf.write((store) => { for (const row of taken) store.put(row); }));
    this.#noted = Promise.all([this.#noted, noted.catch((error) => this.#lose(taken, error))]);
    this.#tell.moved();
    this.go();
  }

  /** Reads until all is kept and prepared: bytes first, whenever some come. */
  go() {
    this.#isWanted = true;
    this.#work ??= this.#readAll().catch(console.warn).finally(() => {
      this.#work = null;
      if (this.#isWanted) this.go();
      this.#tell.moved();
    });
    return this.#work;
  }

  async #readAll() {
    for (;;) {
      this.#isWanted = false;
      await this.#noted;
      const own = [...this.#shelf.rows.values()].filter((row) => this.isReading(row));
      const row = own.find(({ use }) => use === 'chosen') ?? own[0];
      if (!row) return;
      if (row.use === 'chosen') await this.#steadily(row, () => this.#keep(row));
      else await this.#prepare(row);
      this.#tell.moved();
    }
  }

  /** Does something of a row, again and again while the database is away: this page holds the file meanwhile. */
  async #steadily({ name }, work) {
    for (let attempt = 0; ; attempt++) {
      try {
        return await work();
      } catch (error) {
        if (!isAway(error)) throw error;
        console.warn(error);
        if (attempt === 0) this.#tell.notice('away', name);
        await rest(backoff(attempt));
      }
    }
  }

  /** Not even names could be kept: that is told of each, and why. */
  #lose(rows, error) {
    console.warn(error);
    for (const { id, name } of rows) {
      this.#shelf.forget(id);
      this.#tell.notice(isNoRoom(error) ? 'kept' : 'unkept', name);
    }
  }

  /**
   * Keeps the bytes of a chosen file. One that waits here already goes; that of a record of this device waits to
   * be sent again: the server says whether it has it, and this browser may have lost what was not sent.
   */
  async #keep(row) {
    const shelf = this.#shelf;
    const file = shelf.files.get(row.id);
    try {
      const { hash } = await shelf.keep(file, row.file);
      const isTwin = this.#waits(row.id, hash);
      const record = this.#recordWith(hash);
      const kept = record ? this.#waiting({ ...row, hash, isRepeated: true }, record.id)
        : { ...row, use: 'kept', hash };
      let isOurs;
      await shelf.write(async (store) => {
        // It may be given up by now, or chosen again at another page.
        isOurs = (await result(store.get(row.id)))?.file === row.file;
        if (isOurs && isTwin) store.delete(row.id);
        else if (isOurs) store.put(kept);
      });
      if (isOurs && (isTwin || record)) this.#tell.notice('twice', file.name);
      if (isOurs && !isTwin) {
        if (record) shelf.files.delete(row.id);
        return shelf.rows.set(row.id, kept);
      }
      shelf.forget(row.id);
      if (isOurs) shelf.gone.add(row.id);
    } catch (error) {
      if (isAway(error)) throw error;
      // No room, or a file that cannot be read: it is named as missing.
      console.warn(error);
      shelf.files.delete(row.id);
      row.page = null;
      await this.#steadily(row, () => shelf.write((store) => { store.put(row); }))
        .catch((reason) => this.#lose([row], reason));
    }
    return shelf.drop(row).catch(console.warn);
  }

  /** Whether the same bytes wait already. */
  #waits(id, hash) {
    return [...this.#shelf.rows.values()].some((row) => row.id !== id && row.hash === hash
      && row.use !== 'preview' && (!row.record || this.#shelf.recordOf(row)?.alive));
  }

  /** The record of this device that has these bytes; undefined if no record has them. */
  #recordWith(hash) {
    const { replica, app } = this.#shelf;
    return replica.records(app.entity).find((record) =>
      record.creator === replica.device && record[app.field]?.hash === hash);
  }

  /** The row of a file that waits to be sent, with its record's id if it has a record. */
  #waiting({ page, dated, isAgain, ...row }, record) {
    return { ...row, use: 'original', ...this.#shelf.naming(record) };
  }

  /** Has the app prepare a kept file, and makes its record where it could. */
  async #prepare(row) {
    const shelf = this.#shelf;
    const file = shelf.files.get(row.id);
    let made;
    let preview;
    try {
      // Its page has gone, and it may be that this file was too much for it: only once more.
      if (!file) await shelf.write((store) => { store.put({ ...row, isAgain: true }); });
      if (!row.isAgain) {
        made = await shelf.app.prepare?.(file ?? await shelf.body(row), row.about);
        if (made?.preview) preview = await this.#name(made.preview);
      }
    } catch (error) {
      console.warn(error); // The server looks at it.
      made = null;
    }
    try {
      const kept = preview && !preview.isSent && await this.#steadily(row, () => shelf.keep(preview.body));
      if (!shelf.gone.has(row.id)) await this.#steadily(row, () => this.#enter(row, made, preview, kept));
    } catch (error) {
      // Its bytes are here, and the next page goes on with them.
      console.warn(error);
      row.page = null;
    }
    this.#claimed.delete(row.id);
    shelf.files.delete(row.id);
  }

  /** Hashes a preview, and sends it before others hear of its record: `{body, hash, size, isSent}`. */
  async #name(body) {
    const hasher = this.#shelf.replica.core.hasher();
    hasher.update(new Uint8Array(await body.arrayBuffer()));
    const preview = { body, hash: hex(hasher.finish()), size: body.size };
    this.#shelf.previews.set(preview.hash, URL.createObjectURL(body));
    return { ...preview, isSent: await this.#tell.sendFirst(preview) };
  }

  /** From now on a kept file waits to be sent, with its record where it was prepared. */
  async #enter(row, made, preview, kept) {
    const { id, about, hash, size, at } = row;
    const { app, rows } = this.#shelf;
    const original = this.#waiting(row, made ? id : null);
    await this.#shelf.replica.transaction((t) => {
      t.put('uploads', original);
      if (!made) return;
      t.create(app.entity, {
        ...about, ...made.values, [app.field]: { hash, size },
        ...preview && { [app.preview]: { hash: preview.hash, size: preview.size } },
      }, id);
      if (kept) t.put('uploads', { id: kept.file, ...kept, use: 'preview', ...this.#shelf.naming(id), at });
    });
    if (stageOf(rows.get(id) ?? row) < 3) rows.set(id, original);
  }
}
