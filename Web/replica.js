// A browser's copy of a space: records in IndexedDB, all of them in memory as a view over it.
// It is a leaf: a cache with an outbox.

import { Database, result } from './database.js';
import { FlatReader, FlatWriter, hex, noCells, randomBytes } from './flat.js';
import { Stage } from './stage.js';
import { State } from './state.js';
import { Transaction, lowered, recordKey, reissue, stampWrites } from './transaction.js';

const pageCount = 1000;
const manyCount = 500;
const fewMilliseconds = 60;
const manyMilliseconds = 250;
const rest = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const flat = (cells) => new FlatWriter().cells(cells).finish();
const partsOf = (key) => [parseInt(key, 10), key.slice(-32)];

export class Replica {
  /** How many records have changes that only this browser holds: `{records}`. */
  waiting = new State({ records: 0 });
  /** Called with what each commit of this browser brought; the session and the uploads listen. */
  oncommit = () => {};

  #database; #model; #core; #channel; #deviceNumbers;
  #meta; // {device, site, seq, last, vector, acked, cursors, revision}, as stored
  #entries = new Map(); // key → {entity, id, alive, cells, record}
  #own = new Set(); // keys of records with cells of this device
  #pending = new Set(); // of these, the ones that the server has not acknowledged
  #listeners = new Map();
  #heard = null; // commits of another tab that are shown, while a later one is still to be heard of
  #arrived = []; // pushes that are shown, and not kept yet
  #keeping = null;
  #turn = Promise.resolve();

  /** Opens the copy of a space (hex) for a device (hex), and reads it into memory. */
  static async open({ space, device, model, core }) {
    const replica = new Replica();
    Object.assign(replica, { space, device });
    replica.#deviceNumbers = [0, 8].map((at) => parseInt(device.substr(at, 8), 16));
    replica.#model = model;
    replica.#core = core;
    replica.#database = await Database.open(`reunion-${space}`);
    replica.#channel = new BroadcastChannel(`reunion-${space}`);
    await replica.#begin();
    replica.#channel.onmessage = ({ data }) => {
      if (data.keys) replica.#inTurn(() => replica.#follow(data));
      else replica.onmessage?.(data);
    };
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

  /** The cursor up to which everything of that server store is held, 0 where they never met. */
  cursorOf(server) { return this.#meta.cursors[server] ?? 0n; }

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

  /**
   * One user action: `body(t)` writes with `t.create`, `t.set`, `t.delete`, `t.restore`. All of it
   * has one stamp and is on disk when the promise resolves; only then do subscribers hear of it.
   * Resolves with the body's result.
   */
  transaction(body) {
    const transaction = new Transaction(this.#model);
    const value = body(transaction);
    return this.#inTurn(async () => {
      const { writes, rows } = transaction;
      await this.#commit([...writes.keys()], rows, writes.size > 0 && ((meta, held) => {
        const { cells, seq, last } = stampWrites(writes, {
          core: this.#core, site: meta.site, seq: meta.seq, last: meta.last,
          held: (key) => ({ bytes: held(key), list: new FlatReader(held(key)).cells() }),
        });
        Object.assign(meta, { seq, last });
        meta.vector.set(meta.site, seq);
        return new Map([...cells].map(
          ([key, each]) => [key, this.#merged(...partsOf(key), held(key), each)]));
      }));
      return value;
    });
  }

  /** Where a push is merged, unseen, while it arrives; `applyPush` takes it. */
  stage() {
    return new Stage((key) => this.#entries.get(key)?.cells ?? noCells,
      ({ entity, id, row }, held) => (held === noCells ? this.#outcome(entity, id, row)
        : this.#merged(entity, id, held, row.subarray(1))));
  }

  /**
   * Shows a push, all of it at once. Resolves with `{kept}`, a promise of the push and its vector
   * on disk, in one commit with what else arrives in these moments.
   */
  applyPush(stage, end) {
    return this.#inTurn(() => {
      const outcomes = stage.ready((key) => this.#entries.get(key)?.cells ?? noCells);
      this.#show([...outcomes.keys()], (key) => outcomes.get(key).entry);
      this.#arrived.push({ outcomes, stamp: stage.stamp, ...end });
      // First the screen, then the disk: the server holds it, so that nothing is lost with this tab.
      this.#keeping ??= rest(outcomes.size > manyCount ? manyMilliseconds : fewMilliseconds)
        .then(() => this.#inTurn(() => this.#keep()));
      return { kept: this.#keeping };
    });
  }

  /**
   * Takes the cells that stand at the server in place of what was refused: of a record's own cells
   * that `sent` covers. What was written since stays.
   */
  applyRefusals(refusals, sent) {
    const keys = refusals.map(({ entity, id }) => recordKey(entity, id));
    return this.#inTurn(() => this.#commit(keys, [], (meta, held) => new Map(
      refusals.map(({ entity, id, row }, index) => {
        const stay = new FlatReader(held(keys[index])).cells().filter(({ site, seq }) =>
          !site.startsWith(this.device) || !(seq <= sent.get(site)));
        return [keys[index], this.#merged(entity, id, row.subarray(1), flat(stay))];
      }))));
  }

  /** Notes what the server holds of this device's sites; it may be less than it once was. */
  acknowledge(vector) {
    return this.#inTurn(() => {
      const acked = new Map([...vector].filter(([site]) => site.startsWith(this.device)));
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

  /** Waiting changes that the vector does not cover: `{entity, id, cells}` of each record. */
  changesBeyond(vector) {
    const changes = [];
    for (const key of this.#pending) {
      const { entity, id, cells } = this.#entries.get(key);
      const own = this.#ownCells(cells, vector);
      if (own.length) changes.push({ entity, id, cells: own });
    }
    return changes;
  }

  /** Waiting changes as names and values, for another browser: `{entity, id, creates, …}`. */
  waitingWrites() {
    const writes = [];
    for (const key of this.#pending) {
      const { entity, cells, record } = this.#entries.get(key);
      if (!record) continue;
      const own = this.#ownCells(cells, this.#meta.acked);
      const names = this.#model.entity(this.#model.nameOf(entity)).names;
      const values = {};
      for (const name of own.map(({ field }) => names.get(field)).filter(Boolean)) {
        values[name] = record[name];
      }
      const creates = own.some(({ field, merge }) => field === 0 && merge === 0);
      writes.push({ entity: record.entity, id: record.id, alive: record.alive, creates, values });
    }
    return writes;
  }

  /** One commit of all pushes that are shown and not kept yet. */
  async #keep() {
    const pushes = this.#arrived;
    [this.#arrived, this.#keeping] = [[], null];
    if (!pushes.length) return;
    const keys = [...new Set(pushes.flatMap(({ outcomes }) => [...outcomes.keys()]))];
    try {
      // What a power cut takes comes again: the cursor and the vector go with it.
      await this.#commit(keys, [], (meta, held) => {
        const kept = new Map();
        for (const { outcomes, stamp, cursor, vector, server } of pushes) {
          if (stamp) meta.last = this.#core.observeStamp(meta.last, stamp);
          meta.vector = this.#core.mergeVectors(meta.vector, vector);
          meta.cursors = { [server]: cursor };
          for (const [key, outcome] of outcomes) {
            const cells = kept.get(key)?.entry.cells ?? held(key);
            kept.set(key, cells === outcome.entry.cells ? outcome
              : this.#merged(...partsOf(key), cells, outcome.entry.cells));
          }
        }
        return kept;
      }, 'relaxed');
    } catch (error) {
      this.#arrived.unshift(...pushes);
      throw error;
    }
  }

  async #begin() {
    const stored = await this.#database.run(['meta'], 'readonly',
      (store) => result(store('meta').get('replica')));
    this.#meta = stored ?? {
      device: this.device, site: this.device + hex(randomBytes(8)), seq: 0n, last: 0n,
      vector: new Map(), acked: new Map(), cursors: {}, revision: 0,
    };
    if (!stored) {
      await this.#database.run(['meta'], 'readwrite',
        (store) => result(store('meta').put(this.#meta, 'replica')));
    }
    await this.#load();
    if (this.#meta.device !== this.device) await this.#renew();
  }

  async #load() {
    let from = '';
    for (let count = pageCount; count === pageCount;) {
      const range = IDBKeyRange.lowerBound(from, true);
      const [keys, values] = await this.#database.run(['records'], 'readonly', (store) =>
        Promise.all([result(store('records').getAllKeys(range, pageCount)),
          result(store('records').getAll(range, pageCount))]));
      keys.forEach((key, index) => this.#remember(key, this.#entry(...partsOf(key), values[index])));
      count = keys.length;
      from = keys[count - 1];
      await rest();
    }
    this.#recount(this.#own);
  }

  /** What memory holds of a stored row: a byte for "alive", then the cells. */
  #entry(entity, id, row) {
    const [alive, cells] = [row[0] === 1, row.subarray(1)];
    const record = this.#model.record(entity, id, alive, cells);
    const reader = new FlatReader(cells);
    let isOwn = false;
    for (let count = reader.u32(); count > 0 && !isOwn; count--) isOwn = this.#isOwn(reader);
    return { entity, id, alive, cells, record, isOwn };
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
    return { ...this.#outcome(entity, id, row), changed };
  }

  #outcome(entity, id, row) {
    return { changed: true, row, entry: this.#entry(entity, id, row) };
  }

  #ownCells(cells, beyond) {
    const reader = new FlatReader(cells);
    const own = [];
    for (let count = reader.u32(); count > 0; count--) {
      const start = reader.at;
      if (!this.#isOwn(reader)) continue;
      const cell = new FlatReader(cells, start).cell();
      if (!(cell.seq <= beyond?.get(cell.site))) own.push(cell);
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

  /**
   * One commit, strict if not said otherwise: `decide(meta, held)` changes the meta and gives
   * outcomes by key. Where another tab has written meanwhile, `held` reads what it wrote. Without
   * `decide`, only rows are written.
   */
  async #commit(keys, rows, decide, durability) {
    const stores = ['meta', 'records', ...new Set(rows.map(({ store }) => store))];
    let meta;
    let outcomes;
    await this.#database.run(stores, 'readwrite', async (store) => {
      for (const { store: name, value, key, remove } of rows) {
        if (remove === undefined) store(name).put(value, key);
        else store(name).delete(remove);
      }
      if (!decide) return;
      meta = await result(store('meta').get('replica'));
      let held = (key) => this.#entries.get(key)?.cells ?? noCells;
      if (meta.revision !== this.#meta.revision) {
        const read = await Promise.all(keys.map((key) => result(store('records').get(key))));
        const current = new Map(keys.map((key, index) => [key, read[index]?.subarray(1)]));
        held = (key) => current.get(key) ?? noCells;
      }
      outcomes = decide(meta, held);
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
    this.oncommit({ rows: rows.length > 0 });
  }

  /** Shows what another tab committed. */
  async #follow({ revision, keys, rows }) {
    if (revision > this.#meta.revision) {
      const isNext = revision === (this.#heard?.revision ?? this.#meta.revision) + 1;
      const heard = new Set([...this.#heard?.keys ?? [], ...keys]);
      await this.#read(isNext ? [...heard] : null, revision);
    }
    this.oncommit({ rows });
  }

  /**
   * Reads records (null: all) and the meta as of one moment. The meta's vector may cover commits
   * of another tab that were not heard of yet; it is taken only with all of their records.
   */
  async #read(keys, revision) {
    const found = await this.#database.run(['meta', 'records'], 'readonly', async (store) => {
      const meta = await result(store('meta').get('replica'));
      const wanted = keys ?? await result(store('records').getAllKeys());
      const values = await Promise.all(wanted.map((key) => result(store('records').get(key))));
      return { meta, rows: new Map(wanted.map((key, index) => [key, values[index]])) };
    });
    const isWhole = !keys || found.meta.revision === revision;
    this.#heard = isWhole ? null : { revision, keys };
    if (isWhole) this.#meta = found.meta;
    this.#show([...found.rows.keys()], (key) => this.#entry(...partsOf(key), found.rows.get(key)));
  }

  #show(keys, entryOf) {
    const byEntity = new Map();
    for (const key of keys) {
      const entry = entryOf(key);
      if (this.#entries.get(key) === entry) continue;
      const record = this.#remember(key, entry);
      if (!record) continue;
      if (!byEntity.has(record.entity)) byEntity.set(record.entity, []);
      byEntity.get(record.entity).push(record);
    }
    this.#recount(keys.length ? new Set([...keys, ...this.#pending]) : this.#own);
    for (const [entity, records] of byEntity) {
      for (const listener of this.#listeners.get(entity) ?? []) listener(records);
    }
  }

  async #renew(isForked) {
    await this.#commit([], [], (meta) => {
      const isEarlier = (by) => by.startsWith(meta.device);
      const isAgain = ({ site: by, seq: at }) => isEarlier(by) && !(at <= meta.acked.get(by));
      const lower = (vector) => (isForked ? lowered(vector, isEarlier, meta.acked) : vector);
      const site = this.device + hex(randomBytes(8));
      const outcomes = new Map();
      let seq = 0n;
      for (const [key, { cells }] of this.#entries) {
        const list = new FlatReader(cells).cells();
        const from = seq;
        seq = reissue(list, { core: this.#core, isAgain, lower, site, seq });
        if (seq > from) outcomes.set(key, this.#merged(...partsOf(key), noCells, flat(list)));
      }
      // What the server holds under these numbers may be something else: it comes again.
      meta.vector = lower(meta.vector);
      Object.assign(meta, { device: this.device, site, seq });
      if (seq) meta.vector.set(site, seq);
      return outcomes;
    });
  }
}
