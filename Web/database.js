// IndexedDB with promises, strict durability, and one reopening where the connection is lost.

/** The result of a request. */
export const result = (request) => new Promise((resolve, reject) => {
  request.onsuccess = () => resolve(request.result);
  request.onerror = () => reject(request.error);
});

/** One database of stores. */
export class Database {
  #name;
  #connection;
  constructor(name) { this.#name = name; }

  static async open(name) {
    const database = new Database(name);
    await database.#connect();
    return database;
  }

  async #connect() {
    const request = indexedDB.open(this.#name, 1);
    request.onupgradeneeded = () => {
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
   * The body waits for requests of this transaction only, and runs twice where the connection was
   * lost (iOS: "Connection to Indexed Database server lost").
   */
  async run(stores, mode, body, durability = 'strict') {
    try {
      return await this.#attempt(stores, mode, body, durability);
    } catch (error) {
      if (!['InvalidStateError', 'UnknownError'].includes(error?.name)) throw error;
      this.#connection?.close();
      this.#connection = null;
      return this.#attempt(stores, mode, body, durability);
    }
  }

  async #attempt(stores, mode, body, durability) {
    if (!this.#connection) await this.#connect();
    const transaction = this.#connection.transaction(stores, mode, { durability });
    const done = new Promise((resolve, reject) => {
      transaction.oncomplete = resolve;
      transaction.onabort = () => reject(transaction.error
        ?? new DOMException('The transaction was ended.', 'AbortError'));
    });
    done.catch(() => {});
    let value;
    try {
      value = await body((name) => transaction.objectStore(name));
    } catch (error) {
      try { transaction.abort(); } catch { /* It has ended already. */ }
      throw error;
    }
    await done;
    return value;
  }

  close() { this.#connection?.close(); }
}
