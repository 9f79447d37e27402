// What stands between a page and its server: a proxy's limit, the filter of a network, a page to sign in at.

const firstPauses = [2000, 8000];
const minute = 60_000;
const pauseMost = 30 * minute;
const tooLarge = 413;

/** Equal answers that will come again, and when one file may try once more: all others wait behind it. */
export class Wall {
  /** The status of the answers, and how many came. */
  status; count = 0;
  /** The moment before which nothing behind it is sent. */
  until = 0;
  /** The size from which on files are behind it. */
  #size = 0;

  constructor(status) { this.status = status; }

  /** Whether it stands: three answers in a row were equal. */
  get stands() { return this.count > firstPauses.length; }

  /** One more answer to a file of a size; gives how long to wait, in milliseconds. */
  meet(size, now, random = Math.random) {
    // Of a limit only what is as large is behind it.
    if (this.status === tooLarge) this.#size = Math.min(this.#size || size, size);
    const pause = firstPauses[this.count++]
      ?? Math.min(pauseMost, 2 ** (this.count - firstPauses.length) * minute) * (1 + random() / 4);
    if (this.stands) this.until = now + pause;
    return pause;
  }

  /** Whether a file of a size is behind it. */
  holds(size) { return size >= this.#size; }
}
