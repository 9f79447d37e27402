// How what waits is sent: previews first, two at a time, again and again until the server has it.

import { backoff } from '../conversation/backoff.js';
import { stageOf } from './shelf.js';

/** Loaded by the first who sends, or `Uploads.warm`. */
export const transfers = () => import('./transfer.js');

const parallelMost = 2;
const undoMilliseconds = 12_000;
const firstMilliseconds = 1000;
const seenMilliseconds = 400;
const holdMilliseconds = 3000;
const fullMilliseconds = 30_000;
const manyAttempts = 10;
const manyMilliseconds = 300_000;
/** How many equal answers are told. */
const firstTold = 3;

export class Sending {
  /** Whether this page is the one that sends. */
  isActive = false;
  #shelf; #url; #tell;
  #running = new Map(); #attempts = new Map(); #later = new Map();
  #woke = -Infinity; #isSlow = false; #wall = null; #isAsked = false;

  /**
   * `tell`: `notice(code, name, sentence, status)`; `moved()`; `sent()` when an upload ended, well or not;
   * `isOnline()`; `isReading()`, while previews alone are sent.
   */
  constructor(shelf, url, tell) {
    this.#shelf = shelf;
    this.#url = url;
    this.#tell = tell;
    shelf.onforget = (id) => this.#running.get(id)?.controller.abort();
  }

  /** How much of a row has been sent, from 0 to 1. */
  share({ id, size }) { return (this.#running.get(id)?.sent ?? 0) / size; }

  stop() { for (const { controller } of this.#running.values()) controller.abort(); }

  /** Tries again at once: the connection has returned. */
  wake() {
    this.#woke = performance.now();
    this.#isSlow = false;
    setTimeout(() => this.#tell.sent(), holdMilliseconds);
    for (const timer of this.#later.values()) clearTimeout(timer);
    this.#later.clear();
    this.#attempts.clear();
    this.pump();
  }

  /** The status by which something other than the server stops what waits here; 0 where nothing does. */
  get blocked() { return this.#wall?.stands ? this.#wall.status : 0; }

  /** Tries again at once what is stopped, too: a person asks for it, and is told how it went. */
  tryAgain() {
    this.#isAsked = true;
    if (this.#wall) this.#wall.until = 0;
    this.wake();
  }

  /** Whether a row waits: behind what stands in the way the smallest of them tries alone, now and then. */
  #isHeld(row, rows) {
    const wall = this.#wall;
    if (!wall?.stands || !wall.holds(row.size)) return false;
    const behind = rows.filter(({ size }) => wall.holds(size));
    const first = behind.reduce((least, each) => (each.size < least.size ? each : least));
    return performance.now() < wall.until || row !== first || behind.some(({ id }) => this.#running.has(id));
  }

  /** Something answered that will answer so again: three times equal is told once, and then there is time. */
  async #block(row, { status = 0, sentence }, name) {
    const { Wall } = await transfers();
    if (this.#wall?.status !== status) this.#wall = new Wall(status);
    const wall = this.#wall;
    const pause = wall.meet(row.size, performance.now());
    const isNews = wall.count === firstTold || this.#isAsked;
    if (wall.stands && isNews) {
      this.#isAsked = false;
      this.#tell.notice('blocked', name, sentence, status);
    }
    this.#await(row, pause, () => this.pump());
  }

  /** Whether the first tries of previews are under way. */
  get isSendingPreviews() {
    return this.isActive && performance.now() - this.#woke < holdMilliseconds
      && this.#shelf.all('preview').some(({ id }) => !this.#attempts.has(id));
  }

  /**
   * Sends a preview before its record is entered, so that it is there when others hear of it; true
   * where it is. A slow or lost link holds the record back for a moment only.
   */
  async sendFirst({ body, hash, size }) {
    if (!this.isActive || !this.#tell.isOnline() || this.#isSlow) return false;
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(), firstMilliseconds);
    const nothing = () => {};
    try {
      const { transfer } = await transfers();
      await transfer({
        url: this.#url, row: { use: 'preview', hash, size }, body,
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

  /** Sends what can be sent now, previews first. */
  pump() {
    if (!this.isActive || !this.#tell.isOnline()) return;
    const rows = [...this.#shelf.rows.values()].filter((row) => stageOf(row) === 3);
    rows.sort((left, right) =>
      (left.use === 'original') - (right.use === 'original') || left.at - right.at);
    for (const row of rows) {
      // While files are being read their previews go, so that all of them are seen first.
      if (this.#running.size >= parallelMost
        || (row.use === 'original' && this.#tell.isReading())) return;
      if (this.#running.has(row.id) || this.#later.has(row.id) || this.#isHeld(row, rows)) continue;
      const isGone = row.record && !this.#shelf.recordOf(row)?.alive;
      if (isGone) this.#await(row, undoMilliseconds, () => this.#drop(row));
      else if (row.use === 'original' && Date.now() - row.at < seenMilliseconds) {
        // Others see the preview first; the server is about to be busy with the original.
        this.#await(row, seenMilliseconds, () => this.pump());
      } else this.#run(row);
    }
  }

  async #run(row) {
    const controller = new AbortController();
    const run = { controller, sent: 0 };
    this.#running.set(row.id, run);
    try {
      const { TransferError, finish, transfer } = await transfers();
      const body = await this.#shelf.body(row);
      if (body.size !== row.size) {
        // Another page may have sent it.
        if (!await this.#shelf.isKept(row)) return this.#shelf.forget(row.id);
        throw new TransferError('lost', 'Its bytes are gone.');
      }
      const answer = await transfer({
        url: this.#url, row, body, signal: controller.signal,
        located: (location) => {
          row.location = location;
          return this.#shelf.replica.transaction((t) => t.put('uploads', row));
        },
        resumed: (offset) => {
          if (offset > (row.reached ?? 0)) this.#attempts.delete(row.id);
          row.reached = offset;
        },
        progress: (sent) => {
          run.sent = sent;
          this.#tell.moved();
        },
      });
      if (this.#wall?.holds(row.size)) this.#wall = null;
      if (this.#shelf.rows.has(row.id)) await finish(this.#shelf, row, answer);
      if (answer?.unshown) this.#tell.notice('unshown', this.#nameOf(row), answer.unshown);
      this.#attempts.delete(row.id);
    } catch (error) {
      await this.#fail(row, error);
    } finally {
      this.#running.delete(row.id);
      this.#tell.moved();
      this.pump();
      this.#tell.sent();
    }
  }

  async #fail(row, error) {
    if (!this.#shelf.rows.has(row.id)) return;
    if (!error.kind) console.warn(error);
    const name = this.#nameOf(row);
    const attempt = this.#attempts.get(row.id) ?? 0;
    this.#attempts.set(row.id, attempt + 1);
    if (error.kind === 'again') row.location = null;
    if (['refused', 'erased', 'lost'].includes(error.kind)) {
      const { refuse } = await transfers();
      const stays = await refuse(this.#shelf, row, error.kind === 'erased');
      if (row.use === 'original') {
        this.#tell.notice(stays ? 'unsent' : error.kind, name, error.sentence);
      }
    } else if (error.kind === 'full' || error.kind === 'out') {
      if (attempt === 0) this.#tell.notice(error.kind, name, error.sentence);
      this.#await(row, fullMilliseconds, () => this.pump());
    } else if (error.kind === 'blocked') {
      await this.#block(row, error, name);
    } else if (this.isActive) {
      // A link that breaks again and again may be a proxy that cuts: no whole file every half minute for ever.
      const most = attempt < manyAttempts ? fullMilliseconds : manyMilliseconds;
      this.#await(row, backoff(attempt, { most }), () => this.pump());
    }
  }

  /** What a row's file is called. */
  #nameOf(row) {
    return this.#shelf.rows.get(row.record)?.name ?? row.name ?? '';
  }

  #drop(row) {
    if (this.#shelf.recordOf(row)?.alive) return this.pump();
    return this.#shelf.replica.transaction((t) => this.#shelf.remove(t, row));
  }

  #await(row, milliseconds, act) {
    this.#later.set(row.id, setTimeout(() => {
      this.#later.delete(row.id);
      act();
    }, milliseconds));
  }
}
