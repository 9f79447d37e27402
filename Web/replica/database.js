// IndexedDB with promises and strict durability; where its connection is lost, it is asked again for a minute.

/** The result of a request. */
export const result = (request) => new Promise((resolve, reject) => {
  request.onsuccess = () => resolve(request.result);
  request.onerror = () => reject(request.error);
});

/** Whether it could be ended; false if it had ended already. */
function abort(transaction) {
  try {
    transaction.abort();
    return true;
  } catch {
    return false;
  }
}

/** Pauses between the tries where the database is away, in milliseconds: together a minute. */
const pauses = [0, 100, 400, 1000, 2000, 4000, 8000, 15_000, 30_000];
/** Of these the ones before a page says that it cannot open it. */
const pausesToOpen = 6;
const rest = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Whether an error says that the database is away, as while WebKit starts its process again: it may be back soon. */
export const isAway = (error) => ['InvalidStateError', 'UnknownError', 'AbortError'].includes(error?.name);
/** Whether an error says that there is no room, and nothing else. */
export const isNoRoom = (error) => error?.name === 'QuotaExceededError';

/** One database of stores. */
export class Database {
  /** Whether the browser has found its disk damaged and deleted what was kept: Chromium says so, once. */
  isEmptied = false;
  #name;
  #connection;
  /** The transactions whose bodies have not ended, and those that were given up. */
  #running = new Set(); #givenUp = new WeakSet(); #shown;

  constructor(name) {
    this.#name = name;
    // A page that the browser sets aside, to go back to, stops between two steps of a body: its
    // transaction would hold everybody else's up for as long as it lies there (WebKit).
    addEventListener('pagehide', ({ persisted }) => {
      if (!persisted) return;
      this.#shown = new Promise((resolve) => addEventListener('pageshow', resolve, { once: true }));
      for (const transaction of this.#running) {
        if (abort(transaction)) this.#givenUp.add(transaction);
      }
    });
    // What it remembers is not what others wrote meanwhile: it begins anew, where it can.
    addEventListener('pageshow', ({ persisted }) => persisted
      && fetch('', { method: 'HEAD' }).then(() => location.reload(), () => {}));
  }

  static async open(name) {
    const database = new Database(name);
    for (let attempt = 0; ; attempt++) {
      try {
        await database.#connect();
        return database;
      } catch (error) {
        // Where a browser keeps nothing, it says so by another error, and at once.
        if (error?.name !== 'UnknownError' || attempt === pausesToOpen) throw error;
        await rest(pauses[attempt]);
      }
    }
  }

  async #connect() {
    const request = indexedDB.open(this.#name, 1);
    request.onupgradeneeded = ({ dataLoss }) => {
      this.isEmptied ||= dataLoss === 'total';
      const { result: connection } = request;
      for (const store of ['meta', 'records', 'chunks']) connection.createObjectStore(store);
      connection.createObjectStore('uploads', { keyPath: 'id' });
    };
    const connection = await result(request);
    connection.onclose = () => { this.#connection = null; };
    connection.onversionchange = () => connection.close();
    this.#connection = connection;
  }

  /**
   * Runs `body` in one transaction, with a function from a store's name to the store. Resolves
   * with the body's result after the commit; durability is strict, so that it is on disk then.
   * The body waits for requests of this transaction only, and runs again where the connection was
   * lost (iOS: "Connection to Indexed Database server lost") or the page was set aside meanwhile: it
   * may find what it has written itself. Rejects where the database stays away for a minute.
   */
  async run(stores, mode, body, durability = 'strict') {
    for (let attempt = 0; ;) {
      let transaction;
      try {
        if (!this.#connection) await this.#connect();
        transaction = this.#connection.transaction(stores, mode, { durability });
        return await this.#complete(transaction, body);
      } catch (error) {
        if (this.#givenUp.has(transaction)) {
          await this.#shown;
          continue;
        }
        if (!isAway(error) || attempt === pauses.length) throw error;
        this.#connection?.close();
        this.#connection = null;
        await rest(pauses[attempt++]);
      }
    }
  }

  async #complete(transaction, body) {
    const done = new Promise((resolve, reject) => {
      transaction.oncomplete = resolve;
      transaction.onabort = () => reject(transaction.error
        ?? new DOMException('The transaction was ended.', 'AbortError'));
    });
    done.catch(() => {});
    this.#running.add(transaction);
    let value;
    try {
      value = await body((name) => transaction.objectStore(name));
    } catch (error) {
      abort(transaction);
      // A request that fails because the transaction did says no more than that.
      throw transaction.error ?? error;
    } finally {
      this.#running.delete(transaction);
    }
    // From here on it needs nothing of the page, which may go.
    try { transaction.commit(); } catch { /* It has ended already. */ }
    await done;
    return value;
  }

  close() { this.#connection?.close(); }
}
