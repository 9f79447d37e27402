// The photos that wait on this device: kept as bytes in IndexedDB, sent preview first, resumed
// wherever a dropped link, a closed tab or a restarted server left them.

import { backoff } from './backoff.js';
import { result } from './database.js';
import { hex } from './flat.js';
import { newRecordID } from './model.js';
import { readPicture } from './picture.js';
import { State } from './state.js';
import { TransferError, transfer } from './transfer.js';

const pieceBytes = 1024 * 1024;
const photoBytesMax = 100 * pieceBytes;
const parallelMost = 2;
const undoMilliseconds = 12_000;
const firstMilliseconds = 1000;
const seenMilliseconds = 400;
const holdMilliseconds = 3000;
const fullMilliseconds = 30_000;
const orphanMilliseconds = 3_600_000;

const allOf = (file) => IDBKeyRange.bound([file], [file, Infinity]);

/** Why a photo was not taken: `code` is `empty`, `large`, `refused`, `full`, `out` or `kept`. */
const notice = (code, name, sentence) => ({ code, name, sentence });

export class Uploads {
  /**
   * `{photos, progress, preparing}`: rows of originals that wait, by id; the sent share (0 to 1)
   * by photo or row id; how many files are still being read.
   */
  state = new State({ photos: new Map(), progress: new Map(), preparing: 0 });
  /** Called with what the person should know. */
  onnotice = () => {};
  /** Whether the server answers, as far as is known; `wake` when it does again. */
  isOnline = () => true;
  /** Called when an upload ended, well or not. */
  onmoved = () => {};

  #replica; #url; #rows = new Map(); #running = new Map(); #isActive = false;
  #previews = new Map(); #attempts = new Map(); #later = new Map(); #reading = Promise.resolve();
  #gone = new Set(); #woke = -Infinity; #isSlow = false;

  constructor({ replica, url }) {
    this.#replica = replica;
    this.#url = url;
  }

  /** Reads the queue, and the previews that only this device holds. */
  async open() {
    await this.reload();
    const files = new Set([...this.#rows.values()].map(({ file }) => file));
    // Younger ones may be those that another tab is just reading.
    const young = newRecordID(Date.now() - orphanMilliseconds);
    await this.#replica.database.run(['chunks'], 'readwrite', async (store) => {
      for (const [file] of await result(store('chunks').getAllKeys())) {
        if (!files.has(file) && file < young) store('chunks').delete(allOf(file));
      }
    });
  }

  /** Reads the queue again after another tab changed it. */
  async reload() {
    const rows = await this.#replica.database.run(['uploads'], 'readonly',
      (store) => result(store('uploads').getAll()));
    for (const id of this.#rows.keys()) {
      if (!rows.some((row) => row.id === id)) this.#forget(id);
    }
    for (const row of rows) {
      if (this.#gone.has(row.id)) continue;
      if (!this.#rows.has(row.id)) this.#rows.set(row.id, row);
      if (row.use === 'preview' && !this.#previews.has(row.hash)) {
        this.#previews.set(row.hash, URL.createObjectURL(await this.#body(row)));
      }
    }
    this.#show();
    this.#pump();
  }

  /** Sends while this tab has the lease. */
  set isActive(isActive) {
    this.#isActive = isActive;
    if (isActive) this.wake();
    else for (const { controller } of this.#running.values()) controller.abort();
  }

  /** Tries again at once: the connection has returned. */
  wake() {
    this.#woke = performance.now();
    this.#isSlow = false;
    setTimeout(() => this.onmoved(), holdMilliseconds);
    for (const timer of this.#later.values()) clearTimeout(timer);
    this.#later.clear();
    this.#attempts.clear();
    this.#pump();
  }

  /**
   * Whether records should wait a moment, because their previews are just being sent: others
   * then find the previews there.
   */
  get isSendingPreviews() {
    return this.#isActive && performance.now() - this.#woke < holdMilliseconds
      && [...this.#rows.values()].some(({ id, use }) => use === 'preview' && !this.#attempts.has(id));
  }

  /** The URL of a preview that this device made, or undefined. */
  previewURL(hash) { return this.#previews.get(hash); }

  /** Takes files, one after another; one that can be decoded is a record and a tile at once. */
  add(files) {
    const list = [...files];
    this.state.set({ preparing: this.state.value.preparing + list.length });
    for (const file of list) {
      this.#reading = this.#reading.then(async () => {
        try {
          await this.#take(file);
        } catch (error) {
          console.warn(error);
          this.onnotice(notice('kept', file.name));
        } finally {
          this.state.set({ preparing: this.state.value.preparing - 1 });
          this.#pump();
        }
      });
    }
    return this.#reading;
  }

  /** Gives up a photo that has no record yet, and what the server has of it. */
  async giveUp(id) {
    const row = this.#rows.get(id);
    if (!row) return;
    await this.#replica.transaction((t) => this.#remove(t, row));
    if (row.location) fetch(row.location, { method: 'DELETE' }).catch(() => {});
  }

  /** The queue with its bytes, for another browser: `{rows, bytes(row)}`. */
  async waiting() {
    return { rows: [...this.#rows.values()], bytes: (row) => this.#body(row) };
  }

  /** Takes a photo of another browser: its row, and its bytes as a Blob. */
  async adopt(row, body) {
    const { file } = await this.#keep(body);
    const { location, ...rest } = row;
    await this.#replica.transaction((t) => t.put('uploads', { ...rest, id: file, file }));
  }

  async #take(file) {
    if (file.size === 0) return this.onnotice(notice('empty', file.name));
    if (file.size > photoBytesMax) return this.onnotice(notice('large', file.name));
    const picture = await readPicture(file, this.#replica.core);
    const [sent, original] = await Promise.all([this.#sendFirst(picture), this.#keep(file)]);
    const about = {
      fileName: file.name, contentType: file.type || null, takenAt: file.lastModified || Date.now(),
    };
    const row = {
      id: original.file, ...original, use: 'original', photo: null, at: Date.now(), about,
    };
    if (!picture) {
      return this.#replica.transaction((t) => t.put('uploads', row));
    }
    const { preview } = picture;
    const kept = sent ? null : await this.#keep(preview.body);
    return this.#replica.transaction((t) => {
      const photo = t.create('photo', {
        ...about, width: picture.width, height: picture.height, color: picture.color,
        original: { hash: original.hash, size: original.size },
        preview: { hash: preview.hash, size: preview.size },
      });
      t.put('uploads', { ...row, photo });
      if (kept) t.put('uploads', { id: kept.file, ...kept, use: 'preview', photo, at: row.at });
    });
  }

  /**
   * Sends a preview while the original is read, so that it is there when others hear of the
   * photo; true where it is. A slow or lost link holds the photo back for a moment only.
   */
  async #sendFirst(picture) {
    if (!picture) return false;
    const body = picture.preview;
    const hasher = this.#replica.core.hasher();
    hasher.update(new Uint8Array(await body.arrayBuffer()));
    picture.preview = { body, hash: hex(hasher.finish()), size: body.size };
    this.#previews.set(picture.preview.hash, URL.createObjectURL(body));
    if (!this.#isActive || !this.isOnline() || this.#isSlow) return false;
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(), firstMilliseconds);
    const nothing = () => {};
    try {
      await transfer({
        url: this.#url, row: { use: 'preview', ...picture.preview }, body,
        located: nothing, resumed: nothing, progress: nothing, signal: controller.signal,
      });
      return true;
    } catch {
      this.#isSlow = true;
      return false;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Copies bytes into the database in pieces and hashes them: `{file, hash, size}`. */
  async #keep(blob) {
    const file = newRecordID();
    const hasher = this.#replica.core.hasher();
    for (let at = 0; at < blob.size; at += pieceBytes) {
      const piece = await blob.slice(at, at + pieceBytes).arrayBuffer();
      hasher.update(new Uint8Array(piece));
      await this.#replica.database.run(['chunks'], 'readwrite',
        (store) => result(store('chunks').put(piece, [file, at / pieceBytes])));
    }
    return { file, hash: hex(hasher.finish()), size: blob.size };
  }

  async #isKept({ id }) {
    return await this.#replica.database.run(['uploads'], 'readonly',
      (store) => result(store('uploads').count(id))) > 0;
  }

  async #body({ file }) {
    const pieces = await this.#replica.database.run(['chunks'], 'readonly',
      (store) => result(store('chunks').getAll(allOf(file))));
    return new Blob(pieces);
  }

  #show() {
    const photos = new Map();
    for (const row of this.#rows.values()) if (row.use === 'original') photos.set(row.id, row);
    const progress = new Map();
    for (const row of photos.values()) {
      progress.set(row.photo ?? row.id, (this.#running.get(row.id)?.sent ?? 0) / row.size);
    }
    this.state.set({ photos, progress });
  }

  #pump() {
    if (!this.#isActive || !this.isOnline()) return;
    const rows = [...this.#rows.values()].sort((left, right) =>
      (left.use === 'original') - (right.use === 'original') || left.at - right.at);
    for (const row of rows) {
      // While files are being read their previews go, so that all of them are seen first.
      if (this.#running.size >= parallelMost
        || (row.use === 'original' && this.state.value.preparing)) return;
      if (this.#running.has(row.id) || this.#later.has(row.id)) continue;
      const photo = row.photo && this.#replica.get('photo', row.photo);
      if (row.photo && !photo?.alive) this.#await(row, undoMilliseconds, () => this.#drop(row));
      else if (row.use === 'original' && Date.now() - row.at < seenMilliseconds) {
        // Others see the preview first; the server is about to be busy with the original.
        this.#await(row, seenMilliseconds, () => this.#pump());
      } else this.#run(row);
    }
  }

  async #run(row) {
    const controller = new AbortController();
    const run = { controller, sent: 0 };
    this.#running.set(row.id, run);
    try {
      const body = await this.#body(row);
      if (body.size !== row.size) {
        // Another page may have sent it.
        if (!await this.#isKept(row)) return this.#forget(row.id);
        throw new TransferError('refused', 'This phone has lost its bytes.');
      }
      const answer = await transfer({
        url: this.#url, row, body, signal: controller.signal,
        located: (location) => {
          row.location = location;
          return this.#replica.transaction((t) => t.put('uploads', row));
        },
        resumed: (offset) => {
          if (offset > (row.reached ?? 0)) this.#attempts.delete(row.id);
          row.reached = offset;
        },
        progress: (sent) => {
          run.sent = sent;
          this.#show();
        },
      });
      if (this.#rows.has(row.id)) await this.#finish(row, answer);
      this.#attempts.delete(row.id);
    } catch (error) {
      await this.#fail(row, error);
    } finally {
      this.#running.delete(row.id);
      this.#show();
      this.#pump();
      this.onmoved();
    }
  }

  /** The blob is on the server's disk: the row goes, with its bytes. */
  async #finish(row, answer) {
    await this.#replica.transaction((t) => {
      if (row.use === 'original' && !row.photo) {
        t.create('photo', {
          ...row.about, original: { hash: row.hash, size: row.size },
          width: answer?.width, height: answer?.height, color: answer?.color,
          contentType: answer?.contentType ?? row.about.contentType,
          takenAt: answer?.takenAt ?? row.about.takenAt,
        });
      }
      this.#remove(t, row);
    });
  }

  async #fail(row, error) {
    if (!this.#rows.has(row.id)) return;
    if (!error.kind) console.warn(error);
    const name = this.#rows.get(row.photo)?.about?.fileName ?? row.about?.fileName ?? '';
    const attempt = this.#attempts.get(row.id) ?? 0;
    this.#attempts.set(row.id, attempt + 1);
    if (error.kind === 'again') row.location = null;
    if (error.kind === 'refused') {
      await this.#refuse(row);
      if (row.use === 'original') this.onnotice(notice('refused', name, error.message));
    } else if (error.kind === 'full' || error.kind === 'out') {
      if (attempt === 0) this.onnotice(notice(error.kind, name, error.message));
      this.#await(row, fullMilliseconds, () => this.#pump());
    } else if (this.#isActive) {
      this.#await(row, backoff(attempt), () => this.#pump());
    }
  }

  /** The server will never take it: an original takes its photo along, a preview goes alone. */
  #refuse(row) {
    const photo = row.photo && this.#replica.get('photo', row.photo);
    return this.#replica.transaction((t) => {
      if (row.use === 'original') {
        for (const each of this.#rows.values()) {
          if (each === row || (row.photo && each.photo === row.photo)) this.#remove(t, each);
        }
        if (photo?.alive) t.delete(photo);
      } else {
        this.#remove(t, row);
        if (photo?.alive) t.set(photo, { preview: null });
      }
    });
  }

  #drop(row) {
    const photo = this.#replica.get('photo', row.photo);
    if (photo?.alive) return this.#pump();
    return this.#replica.transaction((t) => this.#remove(t, row));
  }

  #forget(id) {
    this.#rows.delete(id);
    this.#running.get(id)?.controller.abort();
  }

  #remove(t, row) {
    this.#forget(row.id);
    this.#gone.add(row.id);
    t.remove('uploads', row.id);
    t.remove('chunks', allOf(row.file));
  }

  #await(row, milliseconds, act) {
    this.#later.set(row.id, setTimeout(() => {
      this.#later.delete(row.id);
      act();
    }, milliseconds));
  }
}
