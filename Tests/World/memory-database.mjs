// IndexedDB in memory: the part of it that Web/replica/database.js uses, with the same rules.
//
// Source: W3C, "Indexed Database API 3.0", §2.7 (transactions), §5.6 (requests). Transactions that
// share a store wait for one another where one of them writes; one commits by itself once it has
// nothing to do; a tab that goes in the middle takes its transaction along, unless it had said
// "commit". What was committed with relaxed durability is gone after a power cut where nothing strict
// came after it.

const rank = (key) => (Array.isArray(key) ? 2 : typeof key === 'string' ? 1 : 0);
function compare(one, other) {
  if (rank(one) !== rank(other)) return rank(one) - rank(other);
  if (!Array.isArray(one)) return one < other ? -1 : Number(one > other);
  for (let at = 0; at < Math.min(one.length, other.length); at++) {
    const order = compare(one[at], other[at]);
    if (order) return order;
  }
  return one.length - other.length;
}

const fail = (name, sentence) => new DOMException(sentence, name);

/** A range of keys. */
export class KeyRange {
  constructor(lower, upper, isOpen = false) { Object.assign(this, { lower, upper, isOpen }); }
  static lowerBound(lower, isOpen) { return new KeyRange(lower, undefined, isOpen); }
  static bound(lower, upper) { return new KeyRange(lower, upper); }
  includes(key) {
    const order = this.lower === undefined ? 1 : compare(key, this.lower);
    return order >= (this.isOpen ? 1 : 0)
      && (this.upper === undefined || compare(key, this.upper) <= 0);
  }
}

/** The rows of one store, by the text of their keys. */
class Rows {
  rows = new Map();
  constructor(keyPath) { this.keyPath = keyPath; }

  found(query, count = Infinity) {
    if (query !== undefined && !(query instanceof KeyRange)) {
      return [this.rows.get(JSON.stringify(query))].filter(Boolean);
    }
    const includes = (key) => !query || query.includes(key);
    return [...this.rows.values()].filter(({ key }) => includes(key))
      .sort((one, other) => compare(one.key, other.key)).slice(0, count || Infinity);
  }
}

/** What one browser has on its disk. */
export class MemoryDisk {
  /** Whether writing fails as on a full disk. */
  isFull = false;
  /** Whether it is away, as while WebKit's database process starts again. */
  isAway = false;
  /** Whether the connection is lost right after the next commit, before the page hears of it. */
  losesWord = false;
  #databases = new Map(); #running = []; #relaxed = [];

  /** The stores of a database, made by whom opens it first. */
  database(name) {
    if (!this.#databases.has(name)) this.#databases.set(name, new Map());
    return this.#databases.get(name);
  }

  begin(transaction) { this.#running.push(transaction); }

  /** Goes on with every transaction that may; called between tasks. */
  advance() {
    for (const transaction of this.#running) transaction.isActive = false;
    for (const transaction of [...this.#running]) {
      const earlier = this.#running.slice(0, this.#running.indexOf(transaction));
      if (!transaction.isOver && !earlier.some((other) => other.excludes(transaction))) {
        transaction.advance();
      }
    }
    this.#running = this.#running.filter(({ isOver }) => !isOver);
  }

  /** A tab is gone: so is what it had not committed. */
  forget(tab) {
    for (const transaction of this.#running) if (transaction.tab === tab) transaction.orphan();
    this.advance();
  }

  keep(undo, durability) {
    if (durability === 'strict') this.#relaxed = [];
    else if (undo.length) this.#relaxed.push(undo);
  }

  /** Takes the place of another disk's content, as a copy of a profile does. */
  copyTo(other) {
    other.#databases = new Map([...this.#databases].map(([name, stores]) => [name,
      new Map([...stores].map(([store, { keyPath, rows }]) =>
        [store, Object.assign(new Rows(keyPath), { rows: new Map(rows) })]))]));
    other.#relaxed = [];
  }

  /** The power fails: what was not forced to the disk is gone. */
  cutPower() {
    for (const undo of this.#relaxed.reverse()) for (const back of undo.reverse()) back();
    this.#relaxed = [];
  }
}

class Transaction {
  isActive = true; isOver = false; error = null;
  #stores; #mode; #queue = []; #waiting = null; #isCommitting = false; #isOrphan = false;
  #undo = [];

  constructor(disk, tab, stores, { names, mode, durability }) {
    Object.assign(this, { disk, tab, names, durability });
    [this.#stores, this.#mode] = [stores, mode];
  }

  excludes(other) {
    return !this.isOver && (this.isWriting || other.isWriting)
      && this.names.some((name) => other.names.includes(name));
  }
  get isWriting() { return this.#mode === 'readwrite'; }

  objectStore(name) {
    if (!this.names.includes(name)) throw fail('NotFoundError', `No store "${name}" in it.`);
    return new ObjectStore(this, this.#stores.get(name));
  }

  /** Runs in the order of the calls; the tab hears of it in a task of its own. */
  request(work, isWriting = false) {
    if (this.isOver || !this.isActive || this.#isCommitting) {
      throw fail('TransactionInactiveError', 'The transaction is not active.');
    }
    if (isWriting && !this.isWriting) throw fail('ReadOnlyError', 'It only reads.');
    const request = { result: undefined, error: null, onsuccess: null, onerror: null };
    this.#queue.push({ request, work });
    return request;
  }

  commit() {
    if (this.isOver || this.#isCommitting || !this.isActive) {
      throw fail('InvalidStateError', 'It has ended.');
    }
    this.#isCommitting = true;
  }

  abort(error = null) {
    if (this.isOver || this.#isCommitting) throw fail('InvalidStateError', 'It has ended.');
    this.#rollBack(error);
  }

  note(back) { this.#undo.push(back); }

  advance() {
    if (this.#waiting) return;
    try {
      if (this.#isOrphan) for (const { work } of this.#queue.splice(0)) work();
    } catch (error) {
      return void this.#rollBack(error);
    }
    this.#waiting = this.#queue.shift();
    if (!this.#waiting) return void this.#end();
    this.tab.post(() => {
      if (!this.isOver) this.#perform(this.#waiting);
    });
  }

  #perform({ request, work }) {
    this.#waiting = null;
    try {
      request.result = work();
    } catch (error) {
      request.error = error;
      this.#rollBack(error);
      request.onerror?.({ target: request });
      return;
    }
    this.isActive = true;
    request.onsuccess?.({ target: request });
  }

  #end() {
    this.isOver = true;
    this.disk.keep(this.#undo, this.durability);
    const isUnheard = this.disk.losesWord && this.isWriting;
    if (isUnheard) this.disk.losesWord = false;
    // What was committed stays, also where the word of it is lost with the connection.
    this.tab.post(() => (isUnheard ? this.onabort?.({}) : this.oncomplete?.({})));
  }

  #rollBack(error) {
    this.isOver = true;
    this.error = error;
    for (const back of this.#undo.reverse()) back();
    this.tab.post(() => this.onabort?.({}));
  }

  /** Its tab is gone: what it had said "commit" to is carried out, all else never was. */
  orphan() {
    if (this.isOver) return;
    if (!this.#isCommitting) return void this.#rollBack(null);
    this.#isOrphan = true;
    if (this.#waiting) this.#queue.unshift(this.#waiting);
    this.#waiting = null;
  }
}

class ObjectStore {
  #transaction; #rows;
  constructor(transaction, rows) {
    this.#transaction = transaction;
    this.#rows = rows;
  }

  #read(work) { return this.#transaction.request(work); }
  #write(work) {
    return this.#transaction.request(() => {
      if (this.#transaction.disk.isFull) throw fail('QuotaExceededError', 'The disk is full.');
      return work();
    }, true);
  }
  #give = (value) => this.#transaction.tab.clone(value);

  get(key) { return this.#read(() => this.#give(this.#rows.found(key, 1)[0]?.value)); }
  getAll(query, count) {
    return this.#read(() => this.#give(this.#rows.found(query, count).map(({ value }) => value)));
  }
  getAllKeys(query, count) {
    return this.#read(() => this.#give(this.#rows.found(query, count).map(({ key }) => key)));
  }
  count(query) { return this.#read(() => this.#rows.found(query).length); }

  put(value, key = value?.[this.#rows.keyPath]) {
    if (key === undefined || key === null) throw fail('DataError', 'A row needs a key.');
    // What is put is as it was at the call.
    const [row, name] = [{ key: structuredClone(key), value: this.#give(value) }, JSON.stringify(key)];
    return this.#write(() => {
      this.#set(name, row);
      return row.key;
    });
  }
  delete(query) {
    return this.#write(() => {
      for (const { key } of this.#rows.found(query)) this.#set(JSON.stringify(key), null);
    });
  }

  #set(name, row) {
    const { rows } = this.#rows;
    const before = rows.get(name);
    this.#transaction.note(() => (before ? rows.set(name, before) : rows.delete(name)));
    if (row) rows.set(name, row);
    else rows.delete(name);
  }
}

/** `indexedDB` as one tab sees it: `tab.post(task)` and `tab.clone(value)` are its means. */
export class MemoryFactory {
  #disk; #tab;
  constructor(disk, tab) { [this.#disk, this.#tab] = [disk, tab]; }

  open(name) {
    const request = { result: undefined, error: null };
    this.#tab.post(() => {
      if (this.#disk.isAway) {
        request.error = fail('UnknownError', 'Connection to Indexed Database server lost.');
        return void request.onerror?.({ target: request });
      }
      const stores = this.#disk.database(name);
      const [disk, tab] = [this.#disk, this.#tab];
      let isClosed = false;
      request.result = {
        createObjectStore: (store, { keyPath } = {}) => stores.set(store, new Rows(keyPath)),
        close: () => { isClosed = true; },
        transaction(names, mode, { durability } = {}) {
          if (disk.isAway) throw fail('UnknownError', 'Connection to Indexed Database server lost.');
          if (isClosed) throw fail('InvalidStateError', 'The connection is closing.');
          const transaction = new Transaction(disk, tab, stores, { names, mode, durability });
          disk.begin(transaction);
          return transaction;
        },
      };
      if (!stores.size) request.onupgradeneeded?.({ target: request });
      request.onsuccess?.({ target: request });
    });
    return request;
  }
}
