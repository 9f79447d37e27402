// What others watch: a value, and a store of what is derived from many.

class Watched {
  #listeners = new Set();

  /** Calls the listener now and after each change; returns the function that ends it. */
  subscribe(listener) {
    this.#listeners.add(listener);
    listener(this.value);
    return () => this.#listeners.delete(listener);
  }

  tell() { for (const listener of this.#listeners) listener(this.value); }
}

/** A value that others watch: `value`, `set(part)`, `subscribe(listener)`. */
export class State extends Watched {
  constructor(value) {
    super();
    this.value = Object.freeze(value);
  }

  /** Replaces some of the parts; listeners hear of it where one is now another. */
  set(parts) {
    if (Object.keys(parts).every((name) => this.value[name] === parts[name])) return;
    this.value = Object.freeze({ ...this.value, ...parts });
    this.tell();
  }
}

/** The base of a page's store: its listeners hear once of all changes that come together. */
export class Changes extends Watched {
  #isQueued = false;

  /** Something changed: what is derived is settled, and the listeners hear, once this turn is over. */
  changed() {
    if (this.#isQueued) return;
    this.#isQueued = true;
    queueMicrotask(() => {
      this.#isQueued = false;
      this.settle();
      this.tell();
    });
  }

  /** Brings what is derived up to date. */
  settle() {}
}
