// How things stand between this device and the server: of a page's store, and as a line of the page.

import { make, say } from '/reunion/elements.js';

const briefMilliseconds = 300;

/** How several connections stand: as the worst of them. */
export const worst = (phases) =>
  ['out', 'off', 'offline', 'connecting'].find((each) => phases.includes(each)) ?? 'online';

/** `{phase, records}`: how connections stand, and how many records of their replicas are not sent. */
export const standingOf = (connections, replicas) => ({
  phase: worst(connections.map(({ state }) => state.value.phase)),
  records: replicas.reduce((sum, { waiting }) => sum + waiting.value.records, 0),
});

/** The line, whose `element` a page shows. */
export class StateLine {
  #text = make('span'); #sentenceOf; #standing; #telling = 0;
  element = make('p.state', { role: 'status' }, this.#text);

  /** `sentenceOf(standing)` says how things stand. */
  constructor(sentenceOf) { this.#sentenceOf = sentenceOf; }

  /** Shows `{phase, records}`, and what else the sentence needs. */
  show(standing) {
    this.#standing = standing;
    // A change that the server takes in a blink is no news.
    if (standing.phase !== 'online' || !standing.records) this.#tell();
    else this.#telling ||= setTimeout(() => this.#tell(), briefMilliseconds);
  }

  #tell() {
    clearTimeout(this.#telling);
    this.#telling = 0;
    const { phase, records } = this.#standing;
    say(this.#text, this.#sentenceOf(this.#standing));
    this.element.dataset.phase = phase !== 'online' ? 'offline' : records ? 'sending' : 'safe';
  }
}
