// The server's time. This device's clock may be wrong by hours: what it lacks is measured, and counts on from there
// by the time that has passed, which no setting of the clock changes.

import { ask } from '/reunion/conversation/ask.js';

const tries = 4;

export class ServerClock {
  /** The lists of words that the server has. */
  lists = [];
  #base = null;

  constructor() {
    this.measure().catch(() => {});
    const again = () => document.hidden || this.measure().catch(() => {});
    addEventListener('visibilitychange', again);
    addEventListener('online', again);
  }

  /** Asks the server a few times; the quickest answer is the most exact. Rejects if no answer comes. */
  async measure() {
    let best = null;
    for (let count = 0; count < tries; count += 1) {
      const began = performance.now();
      const { now, lists } = await ask('/clock');
      const [ended, took] = [performance.now(), performance.now() - began];
      if (!best || took < best.took) best = { took, server: now + took / 2, at: ended };
      this.lists = lists;
    }
    this.#base = best;
  }

  /** The server's time in milliseconds; what was agreed with this device's clock stands in until it is measured. */
  now(agreed = 0) {
    return this.#base ? this.#base.server + performance.now() - this.#base.at : Date.now() + agreed;
  }

  /** What this device's clock lacks to the server's, in milliseconds. */
  get offset() { return Math.round(this.now() - Date.now()); }
}
