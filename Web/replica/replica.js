// A browser's copy of a space: records in IndexedDB, all of them in memory as a view over it.
// It is a leaf: a cache with an outbox.

import { Database, result } from './database.js';
import { erasedKey } from './erasure.js';
import { FlatReader, FlatWriter, hex, noCells, randomBytes, unhex } from '../core/flat.js';
import { isID } from './model.js';
import { renewed } from './renewal.js';
import { Stage } from './stage.js';
import { State } from './state.js';
import { Transaction, recordKey, stampWrites } from '../writing/transaction.js';

const pageCount = 1000;
const manyCount = 500;
const commitsMost = 1000;
const fewMilliseconds = 60;
const manyMilliseconds = 250;
const rest = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const nowhere = new Uint8Array(0);
const flat = (cells) => new FlatWriter().cells(cells).finish();
const incarnationOf = (site) => site.slice(16);
const seqHex = (seq) => hex(new FlatWriter(8).u64(seq).finish());
/** Calls a listener: its own fault is told as one that nobody caught, and undoes nothing of what it hears of. */
function inform(listener, about) {
  try {
    listener(about);
  } catch (error) {
    Promise.reject(error);
  }
}
/** The row of a record of which nothing is left. */
const emptyRow = new Uint8Array(5);
const partsOf = (key) => [parseInt(key, 10), key.slice(-32)];
/** Whether a row's key names a record. */
const isKey = (key) => key === recordKey(...partsOf(key)) && isID(partsOf(key)[1]);

/** Notes a commit of the meta's site; those that the server has acknowledged are forgotten. */
function noteCommit(meta) {
  const { site, seq, acked, commits } = meta;
  meta.vector.set(site, seq);
  const least = seqHex(acked.get(site) ?? 0n);
  meta.commits = [...commits.filter((each) => each.slice(0, 16) >= least).slice(0, commitsMost),
    seqHex(seq) + hex(randomBytes(8))];
}

export class Replica {
  /** How many records have changes that only this browser holds: `{records}`. */
  waiting = new State({ records: 0 });
  /**
   * What this browser kept and could not read when the copy was opened: `{code: 'unreadable', entity, id}`, with what
   * its place says. It is gone; what the server has of it comes again, and what was not sent never goes.
   */
  unreadable = [];
  #database; #model; #core; #channel; #deviceNumbers;
  #meta; // {device, site, seq, last, vector, acked, positions, commits, revision}, as stored
  #entries = new Map(); // key → {entity, id, alive, cells, record}
  #own = new Set(); // keys of records with cells of this device
  #pending = new Set(); // of these, the ones that the server has not acknowledged
  #listeners = new Map();
  #cellListeners = new Map();
  #committed = new Set();
  #heard = null; // commits of another tab that are shown, while a later one is still to be heard of
  #arrived = []; // pushes that are shown, and not kept yet
  #isReaderSaid = false;
  #keeping = null;
  #turn = Promise.resolve();
  #held = (key) => this.#entries.get(key)?.cells ?? noCells;

  /**
   * Opens the copy of a space (hex) for a device (hex), and reads it into memory. Rejects where the model
   * has counters, sets or lists, and the core merges none.
   */
  static async open({ space, device, model, core }) {
    if (!isID(space) || !isID(device, 16)) {
      throw new TypeError('A space has 32 hexadecimal digits in small letters, and a device 16.');
    }
    for (const name of model.modules) if (name) (await import(name)).extend(model, core);
    const replica = new Replica();
    Object.assign(replica, { space, device });
    replica.#deviceNumbers = [0, 8].map((at) => parseInt(device.substr(at, 8), 16));
    replica.#model = model;
    replica.#core = core;
    replica.#database = await Database.open(`reunion-${space}`);
    replica.#channel = new BroadcastChannel(`reunion-${space}`);
    // Before anything is read: what another tab commits meanwhile is followed afterwards.
    replica.#channel.onmessage = ({ data }) => {
      if (data.keys) replica.#inTurn(() => replica.#follow(data));
      else replica.onmessage?.(data);
    };
    await replica.#inTurn(() => replica.#begin());
    return replica;
  }

  /** Sends a word to the other tabs of this browser; they get it in `onmessage`. */
  tell(message) { this.#channel.postMessage(message); }

  get database() { return this.#database; }
  get core() { return this.#core; }
  get model() { return this.#model; }
  get site() { return this.#meta.site; }
  get seq() { return this.#meta.seq; }
  get vector() { return this.#meta.vector; }

  /** Where that server store said to resume; empty where they never met. */
  positionOf(server) { return this.#meta.positions[server] ?? nowhere; }

  /** Whether a server store was met as another incarnation, and never as this one: it went back, or is a copy. */
  isRenewed(server) {
    const met = Object.keys(this.#meta.positions);
    return met.some((each) => each.slice(0, 16) === server.slice(0, 16)) && !met.includes(server);
  }

  /**
   * Where this copy stands: its incarnation, the number of its last commit, and a word that no other
   * commit has. The server gives it back to whatever this device is by then.
   */
  get position() {
    const last = this.#meta.commits.at(-1);
    return last ? unhex(incarnationOf(this.site) + last) : nowhere;
  }

  /**
   * Whether a position shows that this copy went back: it told it under the incarnation that it has,
   * and knows nothing of it. What another incarnation told, before it was renewed or in another
   * copy of this device, shows nothing; nor does a commit that is noted no more, since the server has
   * acknowledged it: one that went back itself tells of such a commit again.
   */
  isBehind(position) {
    const told = hex(position);
    const [incarnation, commit] = [told.slice(0, 16), told.slice(16)];
    return incarnation === incarnationOf(this.site) && !this.#meta.commits.includes(commit)
      && commit.slice(0, 16) > seqHex(this.acked);
  }

  /** Up to which of its own changes the server is known to hold all. */
  get acked() { return this.#meta.acked.get(this.site) ?? 0n; }

  /** A record by its entity's name and id, dead ones too; undefined where nothing is known. */
  get(entityName, id) {
    return this.#entries.get(recordKey(this.#model.entity(entityName).number, id))?.record
      ?? undefined;
  }

  /** All living records of an entity. */
  records(entityName) {
    const found = [];
    for (const { record } of this.#entries.values()) {
      if (record?.alive && record.entity === entityName) found.push(record);
    }
    return found;
  }

  /** Calls `listener(records)` once a commit with what changed of an entity, dead ones too. */
  subscribe(entityName, listener) {
    if (!this.#listeners.has(entityName)) this.#listeners.set(entityName, new Set());
    this.#listeners.get(entityName).add(listener);
    return () => this.#listeners.get(entityName).delete(listener);
  }

  /** What is held of the records of an entity that is no model's: `{id, alive, cells}` of each. */
  cellsOf(entityNumber) {
    return [...this.#entries.values()].filter(({ entity }) => entity === entityNumber);
  }

  /** What is held of one such record; undefined where nothing is. */
  cells(entityNumber, id) { return this.#entries.get(recordKey(entityNumber, id)); }

  /** Calls `listener(changes)` once a commit with `{id, alive, cells, before}` of what changed of such an entity. */
  subscribeCells(entityNumber, listener) { this.#cellListeners.set(entityNumber, listener); }

  /** Whether a server has brought anything here yet. */
  get hasSynced() { return Object.keys(this.#meta.positions).length > 0; }

  /**
   * Calls `listener({rows})` after each commit of this browser, of another tab too; `rows` says
   * whether it wrote rows beside the records.
   */
  onCommit(listener) { this.#committed.add(listener); }

  /**
   * One user action: `body(t)` writes with `t.create`, `t.set`, `t.delete`, `t.restore`. All of it
   * has one stamp and is on disk when the promise resolves; only then do subscribers hear of it.
   * Resolves with the body's result.
   */
  transaction(body) {
    const transaction = new (this.#model.Transaction ?? Transaction)(this.#model, this, this.#held);
    const value = body(transaction);
    return this.#inTurn(async () => {
      transaction.settle?.();
      const { writes, rows } = transaction;
      // An edit of what a push has brought takes none of it to the disk without the rest.
      if (writes.size) await this.#keep();
      // What readers need is said once, under a stamp of its own: a server that refuses it takes the rest.
      const reader = this.#isReaderSaid ? null : this.#model.readerWrites?.(this, writes);
      const parts = reader?.size ? [writes, reader] : [writes];
      await this.#commit(parts.flatMap((each) => [...each.keys()]), rows, writes.size > 0 && ((meta, held) => {
        const outcomes = parts.flatMap((each) => {
          const { cells, seq, last } = stampWrites(each, {
            core: this.#core, site: meta.site, seq: meta.seq, last: meta.last,
            held: (key) => ({ bytes: held(key), list: new FlatReader(held(key)).cells() }),
          });
          Object.assign(meta, { seq, last });
          return [...cells].map(([key, row]) => [key, this.#merged(...partsOf(key), held(key), row)]);
        });
        noteCommit(meta);
        return new Map(outcomes);
      }));
      if (reader) this.#isReaderSaid = true;
      return value;
    });
  }

  /** Where a push is merged, unseen, while it arrives; `applyPush` takes it. */
  stage() {
    return new Stage(this.#held,
      ({ entity, id, row }, held, isWhole) => (isWhole && held === noCells
        ? { changed: true, row, entry: this.#entry(entity, id, row) }
        : this.#merged(entity, id, held, row.subarray(1))));
  }

  /**
   * Shows a push, all of it at once. Resolves with `{kept}`, a promise of the push and its vector
   * on disk, in one commit with what else arrives in these moments, and of the records with changes of this
   * device that were erased for good before they were sent, as `dropped`. A server that `isAnother` than it was
   * sends all that it has; what others wrote and it lost goes. Where the stage is all anew, so does what was deleted.
   * `rule` is anew.js, without which neither is taken.
   */
  applyPush(stage, end, isAnother = false, rule = null) {
    return this.#inTurn(() => {
      if (stage.refusals.length || rule) return this.#takeBack(stage, end, isAnother, rule);
      const outcomes = stage.ready(this.#held);
      const erased = this.#erase(outcomes);
      const dropped = erased.filter((key) => this.#pending.has(key)).map((key) => {
        const { entity, id } = this.#entries.get(key);
        return { entity, id, sentence: '' };
      });
      this.#show([...outcomes.keys()], (key) => outcomes.get(key).entry);
      this.#arrived.push({ outcomes, stamp: stage.stamp, ...end });
      // First the screen, then the disk: the server holds it, so that nothing is lost with this tab.
      this.#keeping ??= rest(outcomes.size > manyCount ? manyMilliseconds : fewMilliseconds)
        .then(() => this.#inTurn(() => this.#keep()));
      return { kept: this.#keeping, dropped };
    });
  }

  /** Has outcomes take away what some of them erase for good; gives the keys of that. */
  #erase(outcomes) {
    const keys = [...outcomes.values()].map(({ entry }) => erasedKey(entry.entity, entry.cells))
      .filter((key) => outcomes.has(key) || this.#entries.has(key));
    for (const key of keys) {
      const entry = this.#entry(...partsOf(key), emptyRow);
      outcomes.set(key, { row: emptyRow, entry, incoming: [], isErased: true });
    }
    return keys;
  }

  /**
   * A push that refuses: of a record's cells that `sent` covers those stay that come in it.
   * What was written since stays too. Where the server `isAnother`, own cells alone stay, and those that
   * it lost are issued anew: what others wrote over them goes, so that their numbers claim nothing any
   * more. On disk with the push, in one commit.
   */
  async #takeBack({ outcomes, refusals, stamp, back, isAnew }, end, isAnother, rule) {
    await this.#keep();
    const isAll = isAnew || isAnother;
    const sentOf = new Map(refusals.map(({ entity, id, sent }) => [recordKey(entity, id), sent]));
    const touched = [...outcomes.keys(), ...sentOf.keys()];
    const isOwn = ({ site }) => site.startsWith(this.device);
    await this.#commit(isAll ? null : [...new Set(touched)], [], (meta, held, found) => {
      const keys = [...new Set([...found, ...touched])];
      let staying = new Map(keys.map((key) => [key,
        flat(new FlatReader(held(key)).cells().filter((cell) => {
          const isStaying = !isAnother || isOwn(cell);
          return isStaying && !(cell.seq <= sentOf.get(key)?.get(cell.site));
        }))]));
      if (isAnother) {
        const isLost = [...this.own(meta.vector)].some(([site, seq]) => !(seq <= end.vector.get(site)));
        Object.assign(meta, { vector: this.own(meta.vector), acked: this.#believed(meta, end.vector) });
        if (isLost) staying = this.#reissued(meta, staying);
      }
      const { seq, acked } = meta;
      const about = { meta, isOwn, isAll, back, met: this.#core.mergeVectors(acked, end.vector) };
      const taken = new Map(keys.map((key) => {
        const come = (outcomes.get(key)?.incoming ?? []).reduce(
          (cells, { row }) => this.#core.merge(cells, row.subarray(1)).row.subarray(1), noCells);
        const stays = staying.get(key);
        return [key, this.#merged(...partsOf(key), rule?.staying(key, stays, come, about) ?? stays, come)];
      }));
      if (meta.seq > seq) noteCommit(meta);
      this.#note(meta, { stamp, ...end });
      this.#erase(taken);
      return taken;
    });
    return {};
  }

  /** Cells by key with those that no server acknowledged issued anew, as a new site that `meta` then has. */
  #reissued(meta, cells) {
    return new Map([...cells,
      ...this.#renewed(meta, (key) => cells.get(key), cells.keys(), true, this.#model.parts?.reissue)]);
  }

  #renewed(meta, held, keys, isForked, again) {
    const { device } = this;
    const cells = renewed(meta, held, keys, { core: this.#core, device, isForked, again });
    if (cells.size) noteCommit(meta);
    return cells;
  }

  /** What the end of a push says. */
  #note(meta, { stamp, vector, position, server }) {
    if (stamp) meta.last = this.#core.observeStamp(meta.last, stamp);
    meta.vector = this.#core.mergeVectors(meta.vector, vector);
    meta.acked = this.#core.mergeVectors(meta.acked, this.#believed(meta, vector));
    meta.positions = { [server]: position };
  }

  /** The entries of a vector that are of this device's sites. */
  own(vector) { return new Map([...vector].filter(([site]) => site.startsWith(this.device))); }

  /**
   * What counts of a server's word about this device's sites. Of the site that writes now that is no more than it has
   * acknowledged: somebody may have told it of changes that were never sent, and it would wait for them in vain.
   */
  #believed({ site, acked }, vector) {
    const own = this.own(vector);
    const most = acked.get(site) ?? 0n;
    if (own.get(site) > most) own.set(site, most);
    return own;
  }

  /**
   * Notes what the server has acknowledged of this device's sites, beside what was noted before; or what it says that
   * it holds of them (`isAll`), which may be less than it once was.
   */
  acknowledge(vector, isAll) {
    return this.#inTurn(() => {
      const acked = this.#core.mergeVectors(isAll ? this.#believed(this.#meta, vector) : this.own(vector),
        isAll ? new Map() : this.#meta.acked);
      const isSame = acked.size === this.#meta.acked.size
        && [...acked].every(([site, seq]) => this.#meta.acked.get(site) === seq);
      if (isSame) return undefined;
      return this.#commit([], [], (meta) => {
        meta.acked = acked;
        return new Map();
      }, 'relaxed');
    });
  }

  /** This copy was rolled back: writes as a new site, and issues again what no server acknowledged. */
  renewSite() { return this.#inTurn(() => this.#keep().then(() => this.#renew(true))); }

  /** Waiting changes that the vector does not cover: `{entity, id, cells}` of each record; all of them without one. */
  changesBeyond(vector = this.#meta.acked) {
    const changes = [];
    for (const key of this.#pending) {
      const { entity, id, cells, isBack } = this.#entries.get(key);
      const own = this.#ownCells(cells, vector);
      if (own.length) changes.push({ entity, id, cells: isBack ? this.#whole(cells) : this.#deleted(own, cells) });
    }
    return changes;
  }

  /**
   * All that may go of a record that came back after a delete, whose trace may be gone at the server. A device that
   * created it may have no say in others: then its own cells go.
   */
  #whole(cells) {
    const own = this.#ownCells(cells);
    // The kind of a creation is 0.
    return own.every((cell) => cell.merge) ? new FlatReader(cells).cells() : own;
  }

  /** With a delete goes the creation: where the record is gone, it shows whose it was. Its kind is 0, a delete's 1. */
  #deleted(own, cells) {
    if (!own.some(({ merge }) => merge === 1) || own.some(({ merge }) => merge === 0)) return own;
    return [...this.#ownCells(cells).filter(({ merge }) => merge === 0), ...own];
  }

  /** One commit of all pushes that are shown and not kept yet. */
  async #keep() {
    this.#keeping = null;
    const pushes = this.#arrived;
    if (!pushes.length) return;
    const outcomes = new Map(pushes.flatMap((push) => [...push.outcomes]));
    // What a power cut takes comes again: position and vector go with it.
    await this.#commit([...outcomes.keys()], [], (meta, held) => {
      for (const push of pushes) this.#note(meta, push);
      return new Map([...outcomes].map(([key, outcome]) => [key,
        outcome.isErased || held(key) === outcome.entry.cells ? outcome
          : this.#merged(...partsOf(key), held(key), noCells)]));
    }, 'relaxed');
    this.#arrived = [];
  }

  /** Keeps what is shown. What cannot be kept is shown no more: it comes again, or is deleted meanwhile. */
  settle() {
    return this.#inTurn(async () => {
      const keys = this.#arrived.flatMap(({ outcomes }) => [...outcomes.keys()]);
      try {
        await this.#keep();
      } catch {
        this.#arrived = [];
        await this.#read(keys, this.#meta.revision);
      }
    });
  }

  /** Takes in what another tab committed and did not live to tell. */
  refresh() {
    return this.#inTurn(async () => {
      const meta = await this.#database.run(['meta'], 'readonly',
        (store) => result(store('meta').get('replica')));
      if (meta.revision === this.#meta.revision) return;
      await this.#read(null);
      this.#notify({ rows: true });
    });
  }

  async #begin() {
    this.#meta = await this.#database.run(['meta'], 'readwrite', async (store) => {
      const stored = await result(store('meta').get('replica'));
      const meta = stored ?? {
        device: this.device, site: this.device + hex(randomBytes(8)), seq: 0n, last: 0n,
        vector: new Map(), acked: new Map(), positions: {}, commits: [],
        revision: 0,
      };
      if (!stored) store('meta').put(meta, 'replica');
      return meta;
    });
    const unreadable = await this.#load();
    if (unreadable.length) await this.#drop(unreadable);
    if (this.#meta.device !== this.device) await this.#renew();
  }

  /** Lets rows go that cannot be read: each costs itself alone. The server sends all that it has once more. */
  async #drop(keys) {
    console.warn('What was kept here cannot be read:', keys);
    await this.#commit([], keys.map((key) => ({ store: 'records', remove: key })), (meta) => {
      meta.vector = this.own(meta.vector);
      meta.positions = Object.fromEntries(Object.keys(meta.positions).map((server) => [server, nowhere]));
      return new Map();
    });
    this.unreadable = keys.map((key) => {
      const [number, id] = String(key).split('/');
      return { code: 'unreadable', entity: this.#model.nameOf(Number(number)) ?? number, id };
    });
  }

  /** Reads all rows; gives the keys of those that cannot be read. */
  async #load() {
    let from = '';
    const unreadable = [];
    for (let count = pageCount; count === pageCount;) {
      const range = IDBKeyRange.lowerBound(from, true);
      const [keys, values] = await this.#database.run(['records'], 'readonly', (store) =>
        Promise.all([result(store('records').getAllKeys(range, pageCount)),
          result(store('records').getAll(range, pageCount))]));
      keys.forEach((key, index) => {
        const entry = this.#found(key, values[index]);
        if (entry) this.#remember(key, entry);
        else unreadable.push(key);
      });
      count = keys.length;
      from = keys[count - 1];
      await rest();
    }
    this.#recount(this.#own);
    return unreadable;
  }

  /** What memory holds of a row that was found on the disk; null where it cannot be read, or could not be sent. */
  #found(key, row) {
    if (!isKey(key)) return null;
    try {
      const entry = this.#entry(...partsOf(key), this.#current(key, row));
      const isWaiting = entry.isOwn && this.#ownCells(entry.cells, this.#meta.acked).length;
      if (isWaiting) this.#core.merge(noCells, entry.cells);
      return entry;
    } catch (error) {
      console.warn(error);
      return null;
    }
  }

  /** What memory holds of a stored row: a byte for "alive", then the cells. */
  #entry(entity, id, row) {
    const [alive, cells] = [row[0] === 1, row.subarray(1)];
    const record = this.#model.record(entity, id, alive, cells);
    const reader = new FlatReader(cells);
    let isOwn = false;
    let isBack = false;
    for (let count = reader.u32(); count > 0; count--) {
      // The kind of a delete is 1.
      isBack ||= alive && cells[reader.at + 4] === 1;
      isOwn = this.#isOwn(reader) || isOwn;
    }
    if (reader.remaining) throw new RangeError('A row does not end where its cells do.');
    return { entity, id, alive, cells, record, isOwn, isBack };
  }

  /** Whether this device wrote the cell that the reader moves over. */
  #isOwn(reader) {
    const siteAt = reader.skip();
    const [high, low] = this.#deviceNumbers;
    return reader.view.getUint32(siteAt) === high && reader.view.getUint32(siteAt + 4) === low;
  }

  #remember(key, entry) {
    this.#entries.set(key, entry);
    if (entry.isOwn) this.#own.add(key);
    else this.#own.delete(key);
    return entry.record;
  }

  /** The row and the entry that come of a merge. */
  #merged(entity, id, held, incoming) {
    const { changed, row } = this.#core.merge(held, incoming);
    return { changed, row, entry: this.#entry(entity, id, row) };
  }

  #ownCells(cells, beyond) {
    const reader = new FlatReader(cells);
    const own = [];
    for (let count = reader.u32(); count > 0; count--) {
      const start = reader.at;
      if (!this.#isOwn(reader)) continue;
      const cell = new FlatReader(cells, start).cell();
      // What an earlier site wrote was sent, or issued anew.
      const isOurs = !beyond || cell.site === this.site;
      if (isOurs && !(cell.seq <= beyond?.get(cell.site))) own.push(cell);
    }
    return own;
  }

  #recount(keys) {
    for (const key of keys) {
      const isOwn = this.#own.has(key);
      if (isOwn && this.#ownCells(this.#entries.get(key).cells, this.#meta.acked).length) {
        this.#pending.add(key);
      } else {
        this.#pending.delete(key);
      }
    }
    this.waiting.set({ records: this.#pending.size });
  }

  /** One thing after another, whatever became of the one before. */
  #inTurn(work) {
    const turn = this.#turn.then(work);
    this.#turn = turn.catch(() => {});
    return turn;
  }

  /** The rows of keys (null: of all) by key, as they stand. */
  async #rows(store, keys) {
    const wanted = (keys ?? await result(store('records').getAllKeys())).filter(isKey);
    const values = await Promise.all(wanted.map((key) => result(store('records').get(key))));
    return new Map(wanted.map((key, index) => [key, this.#current(key, values[index])]));
  }

  /** A row of the disk with what those pushes brought that are shown and not kept yet. */
  #current(key, row) {
    let current = row && (this.#model.parts?.settled(key, row) ?? row);
    for (const { outcomes } of this.#arrived) {
      for (const { row: more } of outcomes.get(key)?.incoming ?? []) {
        current = this.#core.merge(current?.subarray(1) ?? noCells, more.subarray(1)).row;
      }
    }
    return current;
  }

  /**
   * One commit, strict if not said otherwise: `decide(meta, held, keys)` changes the meta and gives
   * outcomes by key. Where another tab has written meanwhile, or for all keys (null), `held` reads
   * the disk. Without `decide`, only rows are written.
   */
  async #commit(keys, rows, decide, durability) {
    const stores = ['meta', 'records', ...new Set(rows.map(({ store }) => store))];
    let meta;
    let outcomes;
    let noted;
    await this.#database.run(stores, 'readwrite', async (store) => {
      for (const { store: name, value, key, remove } of rows) {
        if (remove === undefined) store(name).put(value, key);
        else store(name).delete(remove);
      }
      if (!decide) return;
      meta = await result(store('meta').get('replica'));
      // It was on the disk before the connection was lost: only the word of it was.
      if (noted && noted === meta.commits.at(-1)) return;
      const before = meta.commits.at(-1);
      let held = this.#held;
      if (!keys || meta.revision !== this.#meta.revision) {
        const current = await this.#rows(store, keys);
        held = (key) => current.get(key)?.subarray(1) ?? noCells;
        keys = [...current.keys()];
      }
      outcomes = decide(meta, held, keys);
      if (meta.commits.at(-1) !== before) noted = meta.commits.at(-1);
      meta.revision += 1;
      store('meta').put(meta, 'replica');
      let count = 0;
      for (const [key, outcome] of outcomes) {
        // A copy: a row may be a part of a whole message, all of which would be stored.
        const put = store('records').put(outcome.row.slice(), key);
        if (++count % 500 === 0) await result(put);
      }
    }, durability);
    if (outcomes) {
      if (meta.revision !== this.#meta.revision + 1) await this.#read(null);
      else {
        this.#meta = meta;
        this.#show([...outcomes.keys()], (key) => outcomes.get(key).entry);
      }
    }
    this.tell({
      revision: meta?.revision ?? 0, keys: [...outcomes?.keys() ?? []], rows: rows.length > 0,
    });
    this.#notify({ rows: rows.length > 0 });
  }

  #notify(commit) { for (const listener of this.#committed) inform(listener, commit); }

  /** Shows what another tab committed. */
  async #follow({ revision, keys, rows }) {
    if (revision > this.#meta.revision) {
      const isNext = revision === (this.#heard?.revision ?? this.#meta.revision) + 1;
      const heard = new Set([...this.#heard?.keys ?? [], ...keys]);
      await this.#read(isNext ? [...heard] : null, revision);
    }
    this.#notify({ rows });
  }

  /**
   * Reads records (null: all) and the meta as of one moment. The meta's vector may cover commits
   * of another tab that were not heard of yet; it is taken only with all of their records.
   */
  async #read(keys, revision) {
    const found = await this.#database.run(['meta', 'records'], 'readonly', async (store) => {
      const meta = await result(store('meta').get('replica'));
      return { meta, rows: await this.#rows(store, keys) };
    });
    const isWhole = !keys || found.meta.revision === revision;
    this.#heard = isWhole ? null : { revision, keys };
    if (isWhole) this.#meta = found.meta;
    this.#show([...found.rows.keys()], (key) => this.#entry(...partsOf(key), found.rows.get(key) ?? emptyRow));
  }

  #show(keys, entryOf) {
    const byEntity = new Map();
    const others = [];
    for (const key of keys) {
      const entry = entryOf(key);
      const before = this.#entries.get(key);
      if (before === entry) continue;
      const record = this.#remember(key, entry);
      if (!record) {
        others.push({ ...entry, before });
        continue;
      }
      if (!byEntity.has(record.entity)) byEntity.set(record.entity, []);
      byEntity.get(record.entity).push(record);
    }
    this.#recount(keys.length ? new Set([...keys, ...this.#pending]) : this.#own);
    for (const [entity, records] of byEntity) {
      for (const listener of this.#listeners.get(entity) ?? []) inform(listener, records);
    }
    for (const [number, listener] of this.#cellListeners) {
      const changes = others.filter(({ entity }) => entity === number);
      if (changes.length) inform(listener, changes);
    }
  }

  async #renew(isForked) {
    await this.#commit(null, [], (meta, held, keys) =>
      new Map([...this.#renewed(meta, held, keys, isForked, this.#model.parts?.reissueParted)].map(
        ([key, each]) => [key, this.#merged(...partsOf(key), noCells, each)])));
  }
}
