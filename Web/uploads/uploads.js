// The files that wait on this device: kept as bytes in IndexedDB, sent preview first, resumed
// wherever a dropped link, a closed tab or a restarted server left them.

import { Readers } from './readers.js';
import { Reading } from './reading.js';
import { Sending, transfers } from './sending.js';
import { Shelf, stageOf } from './shelf.js';
import { State } from '../replica/state.js';

/** Asks before the page is left. */
const hold = (event) => {
  event.preventDefault();
  event.returnValue = true; // Chrome before 119.
};

export class Uploads {
  /**
   * - `files`, `progress`: rows of files that wait, by id; the sent share (0 to 1) by record or row.
   * - `preparing`, `keeping`: how many files this page reads; how many of them would go with it.
   * - `elsewhere`, `missing`: how many another page reads; rows of those that went with theirs.
   * - `blocked`: the status by which something other than the server stops what waits; 0 where nothing does.
   */
  state = new State({
    files: new Map(), progress: new Map(), preparing: 0, keeping: 0, elsewhere: 0, missing: [], blocked: 0,
  });
  /**
   * Called with what the person should know, `{code, name, sentence, status}`: a file was `empty`, `large`,
   * `refused`, `erased` for good before, `lost` on this device, or here already (`twice`); its record stays
   * without it (`unsent`); the server keeps it and shows nothing of it (`unshown`); the server is `full`, this device
   * `out` of the space, or without room even for a name (`kept`). The browser could not keep it for another reason
   * (`unkept`), or its database is `away`, and asked again while this page holds the file. Uploads are `blocked`: three
   * answers in a row had the same `status`, and were none that the server takes back by itself, or none of the server;
   * from then on a file tries every few minutes, and at once with `tryAgain`. `sentence` is the server's own, where it
   * said one.
   */
  onnotice = () => {};
  /** Whether the server answers, as far as is known; `wake` when it does again. */
  isOnline = () => true;
  /** Called when an upload ended, well or not. */
  onmoved = () => {};

  #shelf; #reading; #sending; #readers; #isKnown = false;

  /**
   * The app says what the records of its files are:
   *
   * - `entity`, `field`: whose they are, and the blob that names the file.
   * - `preview`: the blob of a small one beside it, which goes first.
   * - `about(file)`: values that are known at once. They wait in its row.
   * - `prepare(body, about)`: more of them once its bytes are kept, as `{values, preview}`, with a Blob or
   *   nothing. Then its record is made.
   * - `stored(answer, about)`: more of them from the server's answer, where `prepare` gave nothing.
   * - `unsent`: values for a record whose file the server will never have.
   */
  constructor({ replica, url, ...app }) {
    const notice = (code, name, sentence, status) => this.onnotice({ code, name, sentence, status });
    this.#shelf = new Shelf(replica, app);
    this.#sending = new Sending(this.#shelf, url, {
      notice, moved: () => this.#show(), sent: () => this.onmoved(),
      isOnline: () => this.isOnline(), isReading: () => this.state.value.preparing > 0,
    });
    this.#reading = new Reading(this.#shelf, {
      notice, sendFirst: (preview) => this.#sending.sendFirst(preview),
      moved: () => {
        this.#show();
        this.#sending.pump();
      },
    });
    this.#readers = new Readers({
      space: replica.space, page: this.#reading.page, isReading: () => this.#shelf.files.size > 0,
      changed: () => this.reload(), answered: () => this.#takeUp(),
    });
    this.#shelf.onwrite = () => this.#readers.tell({ rows: true });
  }

  /** Reads the queue, and the previews that only this device holds; finds out what is missing. */
  async open() {
    const { app } = this.#shelf;
    // Until version 0.3 an app may name its entity alone, as in version 0.1.
    if (!app.field) Object.assign(app, await import('./earlier-fields.js'));
    await this.reload();
    const isForeign = [...this.#shelf.rows.values()].some((row) => stageOf(row) < 3);
    if (isForeign) await this.#readers.ask();
    this.#isKnown = true;
    this.#takeUp();
    await this.#shelf.tidy();
  }

  /** Loads what it takes to send, before the first file asks for it. */
  warm() { return transfers().catch(() => {}); }

  /** Reads the queue again after another tab changed it. */
  async reload() {
    await this.#shelf.reload();
    this.#show();
    this.#sending.pump();
  }

  /** Sends while this tab has the lease. */
  set isActive(isActive) {
    this.#sending.isActive = isActive;
    if (isActive) {
      this.wake();
      if (this.#isKnown) this.#readers.ask();
    } else this.#sending.stop();
  }

  /** Tries again at once: the connection has returned. */
  wake() { this.#sending.wake(); }

  /** The same, of what is `blocked` too. */
  tryAgain() { this.#sending.tryAgain(); }

  /**
   * Whether records should wait a moment, because their previews are just being sent: others
   * then find the previews there.
   */
  get isSendingPreviews() { return this.#sending.isSendingPreviews; }

  /** How many files have something here that the server lacks, if only their preview. */
  get unsent() {
    return new Set([...this.#shelf.rows.values()].filter((row) => row.use !== 'chosen'
      || this.#shelf.files.has(row.id)).map((row) => row.record ?? row.id)).size;
  }

  /** The URL of a preview that this device made, or undefined. */
  previewURL(hash) { return this.#shelf.previews.get(hash); }

  /**
   * Takes files. Their names are on disk in one commit at once, then the bytes of all of them; last
   * the app prepares them, and each has its record. Resolves when all of that is done.
   */
  add(files) {
    this.#reading.take(files, this.state.value.missing);
    return this.#reading.go();
  }

  /** The person does without what is missing. */
  dismiss() {
    const { missing } = this.state.value;
    return this.#shelf.replica.transaction((t) => {
      for (const row of missing) this.#shelf.remove(t, row);
    });
  }

  /** Gives up a file that has no record yet, and what the server has of it. */
  async giveUp(id) {
    const row = this.#shelf.rows.get(id);
    if (!row) return;
    await this.#shelf.replica.transaction((t) => this.#shelf.remove(t, row));
    if (row.location) fetch(row.location, { method: 'DELETE' }).catch(() => {});
  }

  /** The queue with its bytes, for another browser: `{rows, bytes(row)}`. */
  async waiting() {
    const rows = [...this.#shelf.rows.values()].filter((row) => stageOf(row) > 1);
    return { rows, bytes: (row) => this.#shelf.body(row) };
  }

  /** The entity whose records name the files. */
  get entity() { return this.#shelf.app.entity; }

  /** Takes a file of another browser: its row, and its bytes as a Blob. */
  async adopt(row, body) {
    const { file } = await this.#shelf.keep(body);
    const { location, page, ...rest } = row;
    const use = stageOf(row) < 3 ? 'original' : row.use;
    await this.#shelf.replica.transaction(
      (t) => t.put('uploads', { ...rest, use, id: file, file }));
  }

  /** Has the app prepare what a page that is gone has kept. */
  #takeUp() {
    if (this.#sending.isActive) {
      for (const row of this.#shelf.all('kept')) {
        if (!this.#readers.has(row.page)) this.#reading.claim(row);
      }
    }
    this.#reading.go();
    this.#show();
  }

  #show() {
    const files = new Map();
    const progress = new Map();
    const missing = [];
    let [preparing, keeping, elsewhere, isForeign] = [0, 0, 0, false];
    for (const row of this.#shelf.rows.values()) {
      const isOwn = this.#reading.isReading(row);
      if (isOwn) preparing += 1;
      else if (stageOf(row) < 3 && this.#readers.has(row.page)) isForeign = true;
      if (row.use === 'chosen' && isOwn) keeping += 1;
      else if (row.use === 'chosen' && this.#readers.has(row.page)) elsewhere += 1;
      else if (row.use === 'chosen') missing.push(row);
      if (row.use === 'preview' || (row.use === 'chosen' && !isOwn)) continue;
      files.set(row.id, row);
      progress.set(row.record ?? row.id, this.#sending.share(row));
    }
    (keeping ? addEventListener : removeEventListener)('beforeunload', hold);
    const { blocked } = this.#sending;
    this.state.set({ files, progress, preparing, keeping, elsewhere, missing, blocked });
    if (isForeign) this.#readers.askLater();
  }
}
