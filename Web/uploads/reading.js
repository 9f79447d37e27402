// What a page does with files that were chosen: all names are written at once, then the bytes of
// all, and only then they are decoded.

import { backoff } from '../conversation/backoff.js';
import { isAway, isNoRoom, result } from '../replica/database.js';
import { hex } from '../core/flat.js';
import { newRecordID } from '../replica/model.js';
import { stageOf } from './shelf.js';

/** Loaded by the first who decodes, or `Uploads.warm`. */
export const pictures = () => import('./picture.js');

const fileBytesMax = 100_000_000;
const madeUpMilliseconds = 60_000;
const rest = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Whether a file is one that was chosen before, as far as can be said without its bytes. */
const isSameFile = (one, other) => one.size === other.size && one.dated === other.dated
  && one.about.fileName === other.about.fileName;

/** The row of a file, without an id. */
function rowOf(file, page, now) {
  return {
    file: newRecordID(), use: 'chosen', page, at: now, size: file.size,
    // A date of just now is the browser's, and another one at the next choice.
    dated: now - file.lastModified > madeUpMilliseconds ? file.lastModified : 0,
    about: {
      fileName: file.name, contentType: file.type || null, takenAt: file.lastModified || now,
    },
  };
}

export class Reading {
  /** This page's name, in the rows that it reads. */
  page = newRecordID();
  #shelf; #tell; #noted = Promise.resolve(); #work = null; #isWanted = false;
  #claimed = new Set();

  /** `tell`: `notice(code, name)`; `sendFirst(picture)`, true where it arrived; `moved()`. */
  constructor(shelf, tell) {
    this.#shelf = shelf;
    this.#tell = tell;
  }

  /** Whether this page is to read it. */
  isReading({ id, use, page }) {
    return use === 'chosen' ? page === this.page && this.#shelf.files.has(id)
      : use === 'kept' && (page === this.page || this.#claimed.has(id));
  }

  /** Decodes a kept file whose page has gone. */
  claim({ id }) { this.#claimed.add(id); }

  /** Takes files; one of `missing` that is chosen again goes on as the row that it was. */
  take(files, missing) {
    const { rows, files: held } = this.#shelf;
    const now = Date.now();
    const taken = [];
    for (const file of files) {
      const problem = file.size ? file.size > fileBytesMax && 'large' : 'empty';
      if (problem) {
        this.#tell.notice(problem, file.name);
        continue;
      }
      const row = { ...rowOf(file, this.page, now), ...this.#shelf.naming(null) };
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

  /** Reads until all is kept and decoded: bytes first, whenever some come. */
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
  async #steadily({ about }, work) {
    for (let attempt = 0; ; attempt++) {
      try {
        return await work();
      } catch (error) {
        if (!isAway(error)) throw error;
        console.warn(error);
        if (attempt === 0) this.#tell.notice('away', about.fileName);
        await rest(backoff(attempt));
      }
    }
  }

  /** Not even names could be kept: that is told of each, and why. */
  #lose(rows, error) {
    console.warn(error);
    for (const { id, about } of rows) {
      this.#shelf.forget(id);
      this.#tell.notice(isNoRoom(error) ? 'kept' : 'unkept', about.fileName);
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

  /** The record of this device that has these bytes, undefined where none has. */
  #recordWith(hash) {
    const { replica, entity } = this.#shelf;
    return replica.records(entity).find(({ creator, original }) =>
      creator === replica.device && original?.hash === hash);
  }

  /** The row of a file that waits to be sent, with its record's id where there is one. */
  #waiting({ page, dated, isAgain, ...row }, record) {
    return { ...row, use: 'original', ...this.#shelf.naming(record) };
  }

  /** Makes the record of a kept file, with a preview where this browser can decode it. */
  async #prepare(row) {
    const shelf = this.#shelf;
    const file = shelf.files.get(row.id);
    let picture = null;
    let sent = false;
    try {
      // Its page has gone, and it may be that this picture was too much for it: only once more.
      if (!file) await shelf.write((store) => { store.put({ ...row, isAgain: true }); });
      if (!row.isAgain) {
        const { readPicture } = await pictures();
        picture = await readPicture(file ?? await shelf.body(row), shelf.replica.core);
        if (picture) sent = await this.#name(picture);
      }
    } catch (error) {
      console.warn(error); // The server looks at it.
      picture = null;
    }
    try {
      const isKept = picture && !sent;
      const kept = isKept ? await this.#steadily(row, () => shelf.keep(picture.preview.body)) : null;
      if (!shelf.gone.has(row.id)) await this.#steadily(row, () => this.#enter(row, picture, kept));
    } catch (error) {
      // Its bytes are here, and the next page goes on with them.
      console.warn(error);
      row.page = null;
    }
    this.#claimed.delete(row.id);
    shelf.files.delete(row.id);
  }

  /** Hashes the preview, and sends it before others hear of its record; true where it arrived. */
  async #name(picture) {
    const { preview: body } = picture;
    const hasher = this.#shelf.replica.core.hasher();
    hasher.update(new Uint8Array(await body.arrayBuffer()));
    picture.preview = { body, hash: hex(hasher.finish()), size: body.size };
    this.#shelf.previews.set(picture.preview.hash, URL.createObjectURL(body));
    return this.#tell.sendFirst(picture.preview);
  }

  /** From now on a kept file waits to be sent, with its record where it was decoded. */
  async #enter(row, picture, kept) {
    const { id, about, hash, size, at } = row;
    const original = this.#waiting(row, picture && id);
    await this.#shelf.replica.transaction((t) => {
      t.put('uploads', original);
      if (!picture) return;
      const { preview } = picture;
      t.create(this.#shelf.entity, {
        ...about, width: picture.width, height: picture.height, color: picture.color,
        original: { hash, size }, preview: { hash: preview.hash, size: preview.size },
      }, id);
      if (kept) t.put('uploads', { id: kept.file, ...kept, use: 'preview', ...this.#shelf.naming(id), at });
    });
    const { rows } = this.#shelf;
    if (stageOf(rows.get(id) ?? row) < 3) rows.set(id, original);
  }
}
