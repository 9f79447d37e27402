// How long somebody is at a puzzle: while the page is seen and something was done of late.

const beatMilliseconds = 1000;
const idleMilliseconds = 120_000;
const keptEvery = 20;

export class Timer {
  #puzzle = null; #unkept = 0; #lastAct = Date.now(); #lastAt;

  /** Counts for `store`, and calls `told()` with each second. */
  constructor(store, told) {
    this.store = store;
    this.told = told;
    setInterval(() => this.#beat(), beatMilliseconds);
    for (const act of ['pointerdown', 'keydown']) {
      addEventListener(act, () => { this.#lastAct = Date.now(); }, { capture: true, passive: true });
    }
    addEventListener('visibilitychange', () => document.hidden && this.keep());
    addEventListener('pagehide', () => this.keep());
  }

  /** Counts for this puzzle from now on; null for none. */
  follow(puzzle) {
    if (puzzle?.id === this.#puzzle?.id) return;
    this.keep();
    this.#puzzle = puzzle;
  }

  secondsOf(puzzle) { return this.store.secondsOf(puzzle) + (puzzle.id === this.#puzzle?.id ? this.#unkept : 0); }

  /** Writes down what was counted. */
  keep() {
    const seconds = this.#unkept;
    this.#unkept = 0;
    return seconds && this.#puzzle ? this.store.sit(this.#puzzle, seconds, this.#lastAt) : null;
  }

  #beat() {
    if (!this.#puzzle || document.hidden || Date.now() - this.#lastAct > idleMilliseconds) return;
    this.#unkept += 1;
    this.#lastAt = Date.now();
    if (this.#unkept >= keptEvery) this.keep();
    this.told();
  }
}
