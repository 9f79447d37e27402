// What histories of several browsers have in common: what happens to any browser, and what must hold of all.

import { isDeepStrictEqual } from 'node:util';
import { Chance } from './chance.mjs';
import { Network, opening } from './network.mjs';

export const names = ['ada', 'ben', 'cy'];

/** Why a history is none that may happen: a sentence. */
export class Violation extends Error {}

/** Browsers in a network, and what is drawn from a seed to happen to them. */
export class BrowserHistory {
  network; chance;
  /** The browser of each open tab. */
  tabs = new Map();
  /** How much has happened: names are told apart by it. */
  count = 0;
  /** When the copy of each browser was made. */
  copies = new Map();
  /** What happened, in events, for a replay by eye. */
  log = [];
  #isUp = true; #about; #clockOffsets;

  /** - model: what the tabs open, in place of the network's; clockOffsets: how far a clock may be off. */
  constructor(seed, browsers, bug, { clockOffsets, ...about }) {
    this.chance = new Chance(seed);
    const latency = new Chance(seed ^ 0x77);
    this.network = new Network(seed, { browsers, bug, latency: () => latency.below(80) });
    this.#about = { bug: this.network.bug, ...about };
    this.#clockOffsets = clockOffsets;
  }

  /** Does `steps` of the acts, looks after each, and settles. */
  async run(steps, acts) {
    for (const name of names) await this.open(name);
    for (let step = 0; step < steps; step += 1) {
      const act = this.chance.one(acts);
      this.log.push(act.name.replace('bound ', ''));
      await act();
      this.check();
      await this.network.pass(this.chance.below(this.chance.one([20, 200, 4000])));
      this.check();
      await this.see?.();
    }
  }

  async open(name) {
    const tab = `${name}${++this.count}`;
    this.tabs.set(tab, name);
    await this.network.tell(opening(tab, name, this.#about));
    return tab;
  }
  async tab() {
    const open = [...this.tabs.keys()];
    return open.length ? this.chance.one(open) : this.open(this.chance.one(names));
  }

  // What happens.

  async gone(tab, how = 'kill') {
    this.tabs.delete(tab);
    await this.network.tell({ do: how, tab }).catch(() => {});
  }
  async kill() { await this.gone(await this.tab()); }
  async powerCut() {
    const browser = this.chance.one(names);
    for (const [tab, of] of this.tabs) if (of === browser) this.tabs.delete(tab);
    await this.network.tell({ do: 'powerCut', browser });
  }
  async cut() {
    const { links } = this.network;
    if (links.length) await this.network.cut(this.chance.one(links));
  }
  async reach() {
    this.#isUp = !this.#isUp;
    await this.network.reach(this.#isUp);
  }
  async clock() {
    const clockOffset = this.chance.one(this.#clockOffsets);
    await this.network.tell({ do: 'browser', browser: this.chance.one(names), clockOffset });
  }
  /** A browser's profile is copied, as a backup of a phone does. */
  async copy() {
    const browser = this.chance.one(names);
    this.copies.set(browser, this.count++);
    await this.network.tell({ do: 'copy', browser, as: `${browser}, earlier` });
  }
  /** A browser goes back to what it was. Gives its name and a new tab, or nothing if it has no copy. */
  async goBack(forget) {
    const browser = this.chance.one([...this.copies.keys(), null]);
    if (!browser) return null;
    for (const [tab, of] of [...this.tabs]) if (of === browser) await this.gone(tab);
    await this.network.tell({ do: 'copy', browser: `${browser}, earlier`, as: browser });
    forget(browser, this.copies.get(browser));
    return this.open(browser);
  }

  // What must hold.

  check() {
    const { effects } = this.network;
    for (const effect of effects) {
      const wrong = effect.warned ?? effect.failed;
      if (wrong) throw new Violation(`${effect.tab}: ${wrong}`);
      this.hear?.(effect);
    }
    effects.length = 0;
  }

  /** Opens all browsers, sets their clocks right, and lets time pass until nothing is left to do. */
  async settle() {
    await this.network.reach(true);
    for (const browser of names) {
      await this.network.tell({ do: 'browser', browser, clockOffset: 0 });
      if (![...this.tabs.values()].includes(browser)) await this.open(browser);
    }
  }

  /** All hold and show the same; gives what they show, by id. */
  async agree() {
    await this.network.pass(120_000);
    this.check();
    const expected = this.network.relay.content;
    for (const browser of names) {
      if (!isDeepStrictEqual(await this.network.content(browser), expected)) {
        throw new Violation(`${browser} differs from the relay at the end`);
      }
    }
    let first;
    for (const tab of this.tabs.keys()) {
      const { waiting, phase, records } = await this.network.look(tab);
      if (waiting || phase !== 'online') throw new Violation(`${tab} says ${phase}, ${waiting} waiting`);
      const shown = new Map(records.map((record) => [record.id, record]));
      first ??= shown;
      if (!isDeepStrictEqual(shown, first)) throw new Violation(`${tab} shows something else than the first tab`);
    }
    return first;
  }
}
