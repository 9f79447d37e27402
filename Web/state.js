/** A value that others watch: `value`, `set(part)`, `subscribe(listener)`. */
export class State {
  #listeners = new Set();
  constructor(value) { this.value = Object.freeze(value); }

  /** Replaces some of the parts; listeners hear of it where one is now another. */
  set(parts) {
    if (Object.keys(parts).every((name) => this.value[name] === parts[name])) return;
    this.value = Object.freeze({ ...this.value, ...parts });
    for (const listener of this.#listeners) listener(this.value);
  }

  /** Calls the listener now and after each change; returns the function that ends it. */
  subscribe(listener) {
    this.#listeners.add(listener);
    listener(this.value);
    return () => this.#listeners.delete(listener);
  }
}
