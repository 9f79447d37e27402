// Browsers in a world of its own time: one event in, all of its effects out, then the clock moves.

import { readFileSync } from 'node:fs';
import { FlatReader, FlatWriter } from '../../Web/core/flat.js';
import { Chance } from './chance.mjs';
import { MemoryDisk } from './memory-database.mjs';
import { Realm } from './realm.mjs';
import { Schedule } from './schedule.mjs';

const page = readFileSync(new URL('page.js', import.meta.url), 'utf8');

/** One browser of a device: a disk, and tabs that share it. */
class Browser {
  disk = new MemoryDisk();
  tabs = new Set();
  /** How far its wall clock is from the world's, in milliseconds. */
  clockOffset = 0;
  /** Whether the server knows it; null where the server cannot be reached by HTTP. */
  isMember = true;
  files = {};
  /** The fragment of the link that its next page opens, and what its pages keep as text. */
  hash = '';
  kept = new Map();

  broadcast(from, topic, data) {
    for (const tab of this.tabs) {
      if (tab === from) continue;
      for (const channel of tab.channels) {
        if (channel.topic !== topic) continue;
        const copy = tab.clone(data);
        tab.post(() => channel.onmessage?.({ data: copy }));
      }
    }
  }

  answer(path, tab) {
    if (path.endsWith('.wasm')) return { url: path };
    const body = this.files[path] ?? (path === '/session' ? {} : null);
    if (!body || this.isMember === null) return null;
    return { ok: this.isMember, status: this.isMember ? 200 : 401, json: async () => tab.clone(body) };
  }
}

/** All browsers, and what connects them with the rest of the world. */
export class World {
  #browsers = new Map(); #tabs = new Map(); #links = new Map(); #lastLink = 0; #effects = [];

  /** - startedAt: milliseconds since 1970 at the world's beginning; blocks: whether pages get any. */
  constructor({ seed = 1, startedAt = 1_760_000_000_000, blocks = false } = {}) {
    this.hasBlocks = blocks;
    this.chance = new Chance(seed);
    this.schedule = new Schedule(this.chance.fork());
    this.startedAt = startedAt;
    this.schedule.afterTask = () => {
      for (const { disk } of this.#browsers.values()) disk.advance();
    };
  }

  /** Performs one event and gives `{now, next, tasks, effects}`; see README.md of this folder. */
  async handle(event) {
    const act = this.#acts[event.do];
    if (!act) throw new Error(`The world knows no “${event.do}”.`);
    if (event.at !== undefined) await this.schedule.advance(event.at);
    const before = this.schedule.count;
    const { dies } = event;
    const mayGoOn = () => {
      if (dies && this.schedule.count - before >= dies.after) this.#kill(dies.tab);
      return true;
    };
    const result = await act(event, mayGoOn);
    await this.schedule.settle(mayGoOn);
    const effects = this.#effects;
    this.#effects = [];
    const { now, next, count } = this.schedule;
    return { now, next, tasks: count - before, ...result && { result }, effects };
  }

  // What tabs do.

  tell(tab, what) { if (tab.isAlive) this.#effects.push({ tab: tab.name, ...what }); }

  connect(tab, socket, url) {
    const link = ++this.#lastLink;
    this.#links.set(link, { tab, socket });
    this.tell(tab, { connect: link, url });
    return link;
  }

  send(link, bytes) {
    const { tab } = this.#links.get(link);
    this.tell(tab, { send: link, bytes: Buffer.from(bytes).toString('base64') });
  }

  close(link) {
    const found = this.#links.get(link);
    if (!found || found.socket.readyState > 1) return;
    found.socket.readyState = 3;
    this.#links.delete(link);
    this.tell(found.tab, { close: link });
    found.tab.post(() => found.socket.onclose?.({}));
  }

  #asked = new Map(); #lastAsked = 0;

  /** A tab asks for a block, from a byte on; without blocks it is told so at once. */
  askForBlock(tab, range) {
    if (!this.hasBlocks) return Promise.resolve({ status: 204 });
    const number = ++this.#lastAsked;
    this.tell(tab, { asks: number, from: range ? Number(range.slice(6, -1)) : 0 });
    return new Promise((resolve) => this.#asked.set(number, { tab, resolve }));
  }

  /** Answers it: the link brings `most` of the bytes, and breaks. */
  #answer({ asks, status, bytes, tag, most }) {
    const { tab, resolve } = this.#asked.get(asks) ?? {};
    this.#asked.delete(asks);
    if (!tab?.isAlive) return;
    const parts = bytes ? [tab.clone(Uint8Array.from(Buffer.from(bytes, 'base64').subarray(0, most)))] : [];
    const read = async () => {
      if (parts.length) return { done: false, value: parts.shift() };
      throw new TypeError('The link is gone.');
    };
    const body = { getReader: () => ({ read, cancel: async () => {} }), cancel: async () => {} };
    tab.post(() => resolve({ status, headers: { get: () => tag }, body }));
  }

  // What happens to them.

  #browser(name) {
    if (!this.#browsers.has(name)) this.#browsers.set(name, new Browser());
    return this.#browsers.get(name);
  }

  #tab(name) {
    const tab = this.#tabs.get(name);
    if (!tab) throw new Error(`There is no tab “${name}”.`);
    return tab;
  }

  #kill(name) {
    const tab = this.#tabs.get(name);
    if (!tab) return;
    for (const [link, { tab: owner }] of this.#links) if (owner === tab) this.close(link);
    tab.isAlive = false;
    this.schedule.forget(tab);
    tab.browser.tabs.delete(tab);
    this.#tabs.delete(name);
    tab.browser.disk.forget(tab);
  }

  /** Follows a promise of a tab: its value, or its sentence, is an effect. */
  #follow(tab, promise, effect) {
    promise.then((value) => this.tell(tab, effect(value)),
      (error) => this.tell(tab, { ...effect(), failed: String(error?.message ?? error) }));
  }

  #enter({ tab: name, browser: of, files, hash, bug }) {
    if (this.#tabs.has(name)) throw new Error(`There is a tab “${name}” already.`);
    const browser = this.#browser(of);
    Object.assign(browser.files, files);
    if (hash !== undefined) browser.hash = hash;
    const tab = new Realm({ world: this, browser, name, bug });
    this.#tabs.set(name, tab);
    browser.tabs.add(tab);
    return tab;
  }

  #acts = {
    open: (event) => {
      const tab = this.#enter(event);
      const opening = tab.run(page).then(async ({ open }) => {
        tab.page = await open(tab.clone(event), (what) => this.tell(tab, what));
      });
      opening.catch((error) => this.tell(tab, { failed: String(error?.message ?? error) }));
    },
    // A program of one's own in a new tab, or in one that is there.
    run: (event) => {
      const tab = this.#tabs.get(event.tab) ?? this.#enter(event);
      this.#follow(tab, tab.run(event.source), (exports) => ({ ran: exports?.result ?? null }));
    },
    write: ({ tab: name, id, list }) => {
      const tab = this.#tab(name);
      const writing = (async () => tab.page.write(tab.clone(list)))();
      this.#follow(tab, writing, (value) => ({ written: id, ...value && { value: [...value] } }));
    },
    renew: ({ tab: name }) => {
      const tab = this.#tab(name);
      this.#follow(tab, tab.page.replica.renewSite(), () => ({ renewed: true }));
    },
    opened: ({ link }) => this.#onLink(link, (socket) => {
      socket.readyState = 1;
      socket.onopen?.({});
    }),
    received: ({ link, bytes }) => this.#onLink(link, (socket, tab) => {
      const data = tab.clone(Uint8Array.from(Buffer.from(bytes, 'base64'))).buffer;
      socket.onmessage?.({ data });
    }),
    closed: ({ link }) => {
      this.#onLink(link, (socket) => {
        socket.readyState = 3;
        socket.onclose?.({});
      });
      this.#links.delete(link);
    },
    advance: ({ to }, mayGoOn) => this.schedule.advance(to, mayGoOn),
    happen: ({ tab, event, isHidden, about }) => {
      if (isHidden !== undefined) this.#tab(tab).isHidden = isHidden;
      this.#tab(tab).happen(event, about);
    },
    browser: ({ browser, clockOffset, isMember, isFull, isAway, losesWord }) => {
      const found = this.#browser(browser);
      if (clockOffset !== undefined) found.clockOffset = clockOffset;
      if (isMember !== undefined) found.isMember = isMember;
      if (isFull !== undefined) found.disk.isFull = isFull;
      if (isAway !== undefined) found.disk.isAway = isAway;
      if (losesWord !== undefined) found.disk.losesWord = losesWord;
    },
    // Several events before any of their effects: what tabs do at one moment.
    together: async ({ events }, mayGoOn) => {
      for (const event of events) await this.#acts[event.do](event, mayGoOn);
    },
    // So many tasks run; within `together`, what comes after it comes in the middle.
    tasks: ({ count }) => {
      const until = this.schedule.count + count;
      return this.schedule.settle(() => this.schedule.count < until);
    },
    answered: (event) => this.#answer(event),
    kill: ({ tab }) => this.#kill(tab),
    // The window is closed: the page may say goodbye.
    leave: async ({ tab }, mayGoOn) => {
      this.#tab(tab).happen('pagehide', { persisted: false });
      await this.schedule.settle(mayGoOn);
      this.#kill(tab);
    },
    powerCut: ({ browser }) => {
      const { tabs, disk } = this.#browser(browser);
      for (const { name } of [...tabs]) this.#kill(name);
      disk.advance();
      disk.cutPower();
    },
    look: ({ tab, ...about }) => this.#tab(tab).page.look(about),
    stored: ({ browser, space, isFlat }) =>
      stored(this.#browser(browser).disk.database(`reunion-${space}`), isFlat),
    // What a browser had on its disk is copied to another, or to itself at a later time.
    copy: ({ browser, as }) => { this.#browser(browser).disk.copyTo(this.#browser(as).disk); },
  };

  #onLink(link, work) {
    const found = this.#links.get(link);
    if (found) found.tab.post(() => work(found.socket, found.tab));
  }
}

/** The flat form of rows: a count, then of each the entity, the id, whether it is alive, the cells. */
function flatRows(rows) {
  const writer = new FlatWriter(4096).u32(rows.length);
  for (const { key, value } of rows) writer.u32(parseInt(key, 10)).id(key.slice(-32)).bytes(value);
  return Buffer.from(writer.finish()).toString('base64');
}

/** What a database holds of a space: the meta, and every record's cells in the order of their keys. */
function stored(stores, isFlat) {
  const meta = stores.get('meta')?.rows.get('"replica"')?.value;
  const numbers = (map) => [...map ?? []].map(([site, seq]) => [site, String(seq)]).sort();
  const rows = [...stores.get('records')?.rows.values() ?? []];
  const records = isFlat ? flatRows(rows) : rows.map(({ key, value }) => ({
    entity: parseInt(key, 10), id: key.slice(-32), alive: value[0] === 1,
    cells: new FlatReader(value.subarray(1)).cells().map(
      ({ field, merge, kind, site, seq, stamp, replaced, bytes }) => ({
        field, merge, kind, site, seq: String(seq), stamp: String(stamp), replaced: String(replaced),
        bytes: Buffer.from(bytes).toString('hex'),
      })),
  }));
  if (!isFlat) {
    records.sort((one, other) => one.entity - other.entity || (one.id < other.id ? -1 : 1));
  }
  return {
    site: meta?.site ?? null, seq: String(meta?.seq ?? 0), revision: meta?.revision ?? 0,
    vector: numbers(meta?.vector), acknowledged: numbers(meta?.acked), records,
  };
}
