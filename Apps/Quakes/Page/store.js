// What the page shows, in one place: derived from the replica and the session.

import { State } from '/reunion/state.js';
import { usualUnit } from './words.js';

const memory = 'quakes-choices';

/** Views read from it and hear of changes once a commit. */
export class QuakeStore {
  /** Living quakes that are strong enough, the oldest first, as the map draws them. */
  quakes = [];
  /** `{unit, least}`: 'km' or 'mi'; the least magnitude that is shown, or null. */
  choices = new State({ unit: usualUnit, least: null });
  /** Called with quakes that have come since this page was whole. */
  onnew = () => {};

  #all = new Map(); #listeners = new Set(); #isQueued = false; #isStale = true; #isWhole = false;

  constructor({ replica, session }) {
    Object.assign(this, { replica, session });
    this.#keep(replica.records('quake'));
    replica.subscribe('quake', (records) => this.#keep(records));
    replica.subscribe('feed', () => this.changed());
    try {
      const { unit, least } = JSON.parse(localStorage.getItem(memory)) ?? {};
      if (unit) this.choices.set({ unit, least });
    } catch {
      // What was kept is of no use.
    }
    this.choices.subscribe((choices) => {
      localStorage.setItem(memory, JSON.stringify(choices));
      this.#isStale = true;
      this.changed();
    });
    session.state.subscribe(() => this.changed());
  }

  #keep(records) {
    const news = [];
    for (const quake of records) {
      if (!quake.alive) this.#all.delete(quake.id);
      else {
        if (!this.#all.has(quake.id)) news.push(quake);
        this.#all.set(quake.id, quake);
      }
    }
    this.#isStale = true;
    if (this.#isWhole && news.length) this.onnew(news);
    this.changed();
  }

  /** Calls the listener now and after each change, once for all that came together. */
  subscribe(listener) {
    this.#listeners.add(listener);
    listener();
  }

  changed() {
    if (this.#isQueued) return;
    this.#isQueued = true;
    queueMicrotask(() => {
      this.#isQueued = false;
      if (this.#isStale) this.#sort();
      for (const listener of this.#listeners) listener();
      // What the server had before is no news: this page has it from its first push on.
      this.#isWhole ||= this.session.state.value.phase === 'online';
    });
  }

  #sort() {
    this.#isStale = false;
    const { least } = this.choices.value;
    const strong = [...this.#all.values()].filter(({ magnitude }) =>
      least === null || magnitude >= least);
    this.quakes = strong.sort((one, other) => one.at - other.at || (one.id < other.id ? -1 : 1));
  }

  quake(id) { return this.#all.get(id); }
  get count() { return this.#all.size; }
  get unit() { return this.choices.value.unit; }
  get feed() { return this.replica.get('feed', this.replica.space); }

  /** How things stand, for `stateOf`. */
  get standing() {
    const { problem, checkedAt } = this.feed ?? {};
    return { phase: this.session.state.value.phase, problem, checkedAt };
  }
}
