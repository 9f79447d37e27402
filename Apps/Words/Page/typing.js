// Shows who types just now. Nobody keeps it.

import { Presence } from '/reunion/presence/presence.js';

const restMilliseconds = 1500;

/** What the devices of a group show each other of it. */
export class Typing {
  #presence; #rest;

  constructor(connection, changed) {
    this.#presence = new Presence(connection);
    this.#presence.others.subscribe(changed);
  }

  /** The devices that type in a round. */
  in({ id }) {
    const { devices } = this.#presence.others.value;
    return new Set([...devices].filter(([, values]) => values.get('types') === id).map(([device]) => device));
  }

  /** Shows that one types in a round, for a moment. */
  type({ id }) {
    clearTimeout(this.#rest);
    this.#presence.show('types', id);
    this.#rest = setTimeout(() => this.stop(), restMilliseconds);
  }

  stop() {
    clearTimeout(this.#rest);
    this.#presence.show('types', null);
  }
}
