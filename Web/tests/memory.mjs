// A browser's replica without its disk and its server, for tests of what is built on it.

import { FlatReader, noCells } from '../core/flat.js';
import { Model } from '../replica/model.js';
import { Transaction, recordKey, stampWrites } from '../writing/transaction.js';
import { core } from './core.mjs';

/** A replica in memory: what `Settings` asks of one, and transactions of a model. */
export class Memory {
  #held = new Map(); #seq = 0n; #last = 0n; #cellListener = () => {}; #commitListeners = [];
  hasSynced = false;
  /** `device` is two digits, or a whole site. */
  constructor(device, of = core, model = new Model({ entities: [] })) {
    const site = device.length === 32 ? device : device.repeat(8) + '01'.repeat(8);
    Object.assign(this, { device: site.slice(0, 16), site, core: of, model });
  }
  get seq() { return this.#seq; }
  cellsOf() { return [...this.#held.values()]; }
  cells(entity, id) { return this.#held.get(recordKey(entity, id)); }
  subscribeCells(entity, listener) { this.#cellListener = listener; }
  onCommit(listener) { this.#commitListeners.push(listener); }
  async transaction(body) {
    const cellsOf = (key) => this.#held.get(key)?.cells ?? noCells;
    const transaction = new (this.model.Transaction ?? Transaction)(this.model, this, cellsOf);
    const value = body(transaction);
    transaction.settle?.();
    const { cells, seq, last } = stampWrites(transaction.writes, {
      core: this.core, site: this.site, seq: this.#seq, last: this.#last,
      held: (key) => ({ bytes: cellsOf(key), list: new FlatReader(cellsOf(key)).cells() }),
    });
    this.#seq = seq;
    this.#last = last;
    this.#take(cells);
    return value;
  }
  records(entityName) {
    const { number } = this.model.entity(entityName);
    return [...this.#held].filter(([key]) => parseInt(key, 10) === number)
      .map(([key]) => this.get(entityName, key.slice(-32))).filter(({ alive }) => alive);
  }
  get(entityName, id) {
    const { number } = this.model.entity(entityName);
    const held = this.#held.get(recordKey(number, id));
    return held && this.model.record(number, id, held.alive, held.cells);
  }
  /** Takes in what another one holds. */
  meet(other) {
    this.hasSynced = true;
    const held = new Map([...other.#held].map(([key, { cells }]) => [key, cells]));
    const stamps = [...held.values()].flatMap((cells) => new FlatReader(cells).cells().map(({ stamp }) => stamp));
    for (const stamp of stamps) this.#last = this.core.observeStamp(this.#last, stamp);
    this.#take(held);
  }
  #take(cells) {
    const changes = [];
    for (const [key, each] of cells) {
      const before = this.#held.get(key);
      const { changed, row } = this.core.merge(before?.cells ?? noCells, each);
      if (!changed) continue;
      const entry = { id: key.slice(-32), alive: row[0] === 1, cells: row.slice(1) };
      this.#held.set(key, entry);
      changes.push({ ...entry, before });
    }
    if (changes.length) this.#cellListener(changes);
    for (const listener of this.#commitListeners) listener({ rows: false });
  }
}
