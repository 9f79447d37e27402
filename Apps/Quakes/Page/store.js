// What the page shows, in one place: derived from the replica and the connection.

import { Changes, State } from '/reunion/replica/state.js';
import { updateNeed } from '/reunion/writing/update-need.js';
import { usualUnit } from './words.js';

const memory = 'quakes-choices';

/** Views read from it and hear of changes once a commit. */
export class QuakeStore extends Changes {
  /** Living quakes, the oldest first. */
  all = [];
  /** Those of them that are strong enough, as the map draws them. */
  quakes = [];
  /** `{unit, least}`: 'km' or 'mi'; the least magnitude that is shown, or null. */
  choices = new State({ unit: usualUnit, least: null });
  /** Called with quakes that have come since this page was whole. */
  onnew = () => {};

  #byID = new Map(); #isStale = true; #isWhole = false; #need;

  constructor({ replica, connection }) {
    super();
    Object.assign(this, { replica, connection });
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
    connection.state.subscribe(() => this.changed());
    this.#need = updateNeed(replica, replica.model);
    this.#need.subscribe(() => this.changed());
  }

  #keep(records) {
    const news = [];
    for (const quake of records) {
      if (!quake.alive) this.#byID.delete(quake.id);
      else {
        if (!this.#byID.has(quake.id)) news.push(quake);
        this.#byID.set(quake.id, quake);
      }
    }
    this.#isStale = true;
    if (this.#isWhole && news.length) this.onnew(news);
    this.changed();
  }

  settle() {
    // What the server had before is no news: this page has it from its first push on.
    this.#isWhole ||= this.connection.state.value.phase === 'online';
    if (!this.#isStale) return;
    this.#isStale = false;
    this.all = [...this.#byID.values()].sort((one, other) =>
      one.at - other.at || (one.id < other.id ? -1 : 1));
    this.quakes = this.all.filter((quake) => this.isStrong(quake));
  }

  /** Whether a quake is as strong as its reader wants them. */
  isStrong({ magnitude }) {
    const { least } = this.choices.value;
    return least === null || magnitude >= least;
  }

  quake(id) { return this.#byID.get(id); }
  get count() { return this.#byID.size; }
  get unit() { return this.choices.value.unit; }
  get feed() { return this.replica.get('feed', this.replica.space); }

  /** How things stand, for `stateOf`. */
  get standing() {
    const { problem, checkedAt } = this.feed ?? {};
    const { isNeeded: isOld } = this.#need.value;
    return { phase: this.connection.state.value.phase, isOld, problem, checkedAt };
  }
}
