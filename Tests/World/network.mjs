// Browsers, a relay, and the links between them: what tests in node are written with.

import { Chance } from './chance.mjs';
import { Browsers } from './client.mjs';
import { Relay, flatOf } from './relay.mjs';

export const space = '5a'.repeat(16);
export const model = {
  entities: [
    { number: 3, name: 'photo', fields: [
      { number: 3, name: 'caption', kind: 4 }, { number: 4, name: 'width', kind: 2 }] },
    { number: 4, name: 'heart', fields: [{ number: 3, name: 'photo', kind: 8 }] },
    { number: 5, name: 'note', fields: [{ number: 1, name: 'text', kind: 4 }] },
  ],
};

/** The event of a tab that opens. */
export const opening = (tab, browser, about = {}) => ({
  do: 'open', tab, browser, space, model,
  device: Buffer.from(browser.padEnd(8, '-').slice(0, 8)).toString('hex'), ...about,
});

/** The event of one user action. */
export const writing = (tab, ...list) => ({ do: 'write', tab, id: tab, list });

/** A world for a test; `end()` ends its process. */
export class Network {
  effects = [];
  #links = new Map(); #waiting = []; #relayIsUp = true;

  constructor(seed = 1, { latency = () => 5, browsers = new Browsers(seed), bug = process.env.REUNION_BUG } = {}) {
    Object.assign(this, { browsers, bug });
    this.chance = new Chance(seed ^ 0x5eed);
    this.latency = latency;
    this.relay = new Relay({
      space, site: 'ee'.repeat(16),
      deliver: (link, bytes) => this.#later(link, 'received', Buffer.from(bytes).toString('base64')),
      close: (link) => this.#later(link, 'closed'),
    });
  }

  end() { this.browsers.end(); }

  /** One event, with all that follows from it at once. */
  async tell(event) {
    const { effects, result } = await this.browsers.tell(event);
    for (const effect of effects) {
      this.effects.push({ ...effect, at: this.browsers.now });
      if (effect.connect) this.#connect(effect);
      if (effect.send && this.#links.has(effect.send)) this.#later(effect.send, 'sent', effect.bytes);
      if (effect.close) this.#cut(effect.close);
    }
    return result ?? effects;
  }

  open(tab, browser) { return this.tell(opening(tab, browser, { bug: this.bug })); }
  write(tab, ...list) { return this.tell(writing(tab, ...list)); }
  together(...events) { return this.tell({ do: 'together', events }); }
  look(tab) { return this.tell({ do: 'look', tab }); }
  stored(browser) { return this.tell({ do: 'stored', browser, space }); }

  /** Whether links can be made; those that are there are cut where not. */
  async reach(isUp) {
    this.#relayIsUp = isUp;
    if (!isUp) for (const link of [...this.#links.keys()]) await this.cut(link);
  }
  async cut(link) {
    this.#cut(link);
    await this.tell({ do: 'closed', link });
  }
  get links() { return [...this.#links.keys()]; }

  #connect({ connect: link }) {
    this.#links.set(link, { last: 0 });
    this.#later(link, this.#relayIsUp ? 'opened' : 'closed');
  }
  #cut(link) {
    this.#links.delete(link);
    this.#waiting = this.#waiting.filter((each) => each.link !== link);
    this.relay.closed(link);
  }

  /** In order on each link. */
  #later(link, what, bytes) {
    const state = this.#links.get(link);
    if (!state) return;
    state.last = Math.max(state.last, this.browsers.now + this.latency());
    this.#waiting.push({ at: state.last, link, what, bytes });
  }

  /** Lets time pass: messages arrive and timers run, each at its moment. */
  async pass(milliseconds) {
    const until = this.browsers.now + milliseconds;
    for (;;) {
      const first = this.#waiting.reduce(
        (found, each) => (!found || each.at < found.at ? each : found), null);
      const to = Math.min(first?.at ?? until, this.browsers.next ?? until);
      if (to > until) break;
      if (to > this.browsers.now) await this.tell({ do: 'advance', to });
      else if (first?.at <= to) {
        this.#waiting.splice(this.#waiting.indexOf(first), 1);
        await this.#arrive(first);
      } else break;
    }
    await this.tell({ do: 'advance', to: until });
  }

  async #arrive({ link, what, bytes }) {
    if (what === 'sent') {
      this.relay.received(link, Uint8Array.from(Buffer.from(bytes, 'base64')));
      return;
    }
    if (what === 'opened') this.relay.opened(link);
    if (what === 'closed') this.#cut(link);
    await this.tell({ do: what, link, bytes });
  }

  /** What a browser keeps, in the form of `relay.content`. */
  async content(browser) {
    const { records } = await this.stored(browser);
    return records.map(({ entity, id, cells }) => ({ entity, id, cells: [...flatOf(cells)] }));
  }
}
