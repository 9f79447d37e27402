// One tab: a realm of its own, with the globals that a browser gives a page, and the library in it.
//
// The modules of Web/ run as they are. A page's surroundings are its globals: the tab's are virtual.

import { readFileSync } from 'node:fs';
import vm from 'node:vm';
import { inflateSync } from 'node:zlib';
import { withBug } from './bugs.mjs';
import { KeyRange, MemoryFactory } from './memory-database.mjs';

const library = new URL('../../Web/', import.meta.url);
const sources = new Map();
const cores = new Map();

/** The compiled module of a file's URL. */
function compiledCore(url) {
  const name = url.slice(url.lastIndexOf('/') + 1);
  if (!cores.has(name)) {
    const built = process.env.REUNION_WEB ?? new URL('../../.build/web/', import.meta.url).pathname;
    cores.set(name, new WebAssembly.Module(readFileSync(`${built}/reunion/${name}`)));
  }
  return cores.get(name);
}

// Values cross between realms as copies that are at home where they arrive, as structured clones are.
const prelude = `(outside) => {
  const clone = (value) => {
    if (typeof value !== 'object' || value === null) return value;
    const kind = Object.prototype.toString.call(value).slice(8, -1);
    if (kind === 'Array') return Array.from(value, clone);
    if (kind === 'Map') return new Map(Array.from(value, ([key, each]) => [key, clone(each)]));
    if (kind === 'Uint8Array') return Uint8Array.from(value);
    if (kind === 'ArrayBuffer') return Uint8Array.from(new outside.Bytes(value)).buffer;
    if (kind !== 'Object') throw new TypeError(kind + ' cannot be cloned here.');
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, clone(each)]));
  };
  Object.assign(globalThis, outside.globals);
  Date.now = outside.now;
  Math.random = outside.random;
  const { Instance } = WebAssembly;
  globalThis.WebAssembly = Object.freeze({
    instantiateStreaming: async (response, imports) =>
      ({ instance: new Instance(outside.compiled((await response).url), imports) }),
  });
  return clone;
}`;

/** A tab of a browser: `browser` gives it a disk and other tabs, `world` time, sockets and chance. */
export class Realm {
  isAlive = true; isHidden = false;
  #context; #modules = new Map(); #heard = new Map();

  constructor({ world, browser, name, bug }) {
    Object.assign(this, { world, browser, name, bug });
    this.chance = world.chance.fork();
    this.#context = vm.createContext({});
    const enter = vm.runInContext(prelude, this.#context);
    this.clone = enter({
      globals: this.#globals(), Bytes: Uint8Array,
      compiled: compiledCore,
      now: () => Math.floor(world.startedAt + world.schedule.now + browser.clockOffset),
      random: () => this.chance.unit(),
    });
  }

  #globals() {
    const { world, browser } = this;
    const { schedule } = world;
    const begin = (repeats) => (work, after) => schedule.begin(this, work, after, repeats);
    const end = (timer) => schedule.end(timer);
    const tab = this;
    return {
      console: { log() {}, warn: (...said) => world.tell(this, { warned: said.map(String).join(' ') }) },
      crypto: { getRandomValues: (bytes) => this.chance.fill(bytes) },
      performance: { now: () => schedule.now },
      setTimeout: begin(false), setInterval: begin(true), clearTimeout: end, clearInterval: end,
      queueMicrotask, AbortController, TextEncoder, TextDecoder, DOMException, URL, IDBKeyRange: KeyRange,
      indexedDB: new MemoryFactory(browser.disk, this),
      location: { origin: 'http://world', pathname: '/', hash: browser.hash, reload() {} },
      history: { replaceState: () => { browser.hash = ''; } },
      localStorage: {
        getItem: (name) => browser.kept.get(name) ?? null,
        setItem: (name, text) => { browser.kept.set(name, text); },
      },
      document: { get hidden() { return tab.isHidden; } },
      addEventListener: (event, listener) => {
        this.#heard.set(event, [...this.#heard.get(event) ?? [], listener]);
      },
      removeEventListener: (event, listener) => {
        this.#heard.set(event, (this.#heard.get(event) ?? []).filter((each) => each !== listener));
      },
      // A browser inflates elsewhere; here it is done at once.
      Blob: class {
        constructor([bytes]) { this.stream = () => ({ pipeThrough: () => inflateSync(bytes) }); }
      },
      DecompressionStream: class {},
      Response: class {
        constructor(bytes) { this.arrayBuffer = async () => tab.clone(new Uint8Array(bytes)).buffer; }
      },
      fetch: (path, about) => (String(path).startsWith('/block') ? world.askForBlock(this, about?.headers?.Range)
        : this.#fetch(path)),
      BroadcastChannel: class {
        constructor(topic) {
          this.topic = topic;
          tab.channels.push(this);
        }
        postMessage(data) { browser.broadcast(tab, this.topic, data); }
      },
      WebSocket: class {
        static OPEN = 1;
        readyState = 0;
        constructor(url) { this.link = world.connect(tab, this, String(url)); }
        send(bytes) { if (this.readyState === 1) world.send(this.link, bytes); }
        close() { world.close(this.link); }
      },
    };
  }

  #fetch(path) {
    return new Promise((resolve, reject) => this.post(() => {
      const answer = this.browser.answer(String(path), this);
      if (answer) resolve(answer);
      else reject(new TypeError('The server cannot be reached.'));
    }));
  }

  channels = [];

  /** A task of this tab; none where it is gone. */
  post(work) { if (this.isAlive) this.world.schedule.post(this, work); }

  /** Something happens to the window, such as `online`. */
  happen(event, about = {}) {
    for (const listener of this.#heard.get(event) ?? []) this.post(() => listener(about));
  }

  /** Runs a module's source in this tab; its exports. It may import from `/reunion/`. */
  async run(source, name = 'page.js') {
    const module = this.#module(source, `${library}${name}`);
    await module.link((specifier, from) => this.#load(specifier, from));
    await module.evaluate();
    return module.namespace;
  }

  /** A module of the library, by its file's name. */
  async library(name) {
    const module = this.#load(`./${name}`, { identifier: String(library) });
    if (module.status === 'unlinked') {
      await module.link((specifier, from) => this.#load(specifier, from));
    }
    if (module.status === 'linked') await module.evaluate();
    return module.namespace;
  }

  #module(source, identifier) {
    return new vm.SourceTextModule(source, {
      context: this.#context, identifier,
      initializeImportMeta: (meta) => { meta.url = identifier; },
      importModuleDynamically: async (specifier, from) => {
        const module = this.#load(specifier, from);
        if (module.status === 'unlinked') {
          await module.link((next, parent) => this.#load(next, parent));
        }
        if (module.status === 'linked') await module.evaluate();
        return module;
      },
    });
  }

  #load(specifier, from) {
    const url = specifier.startsWith('/reunion/')
      ? new URL(specifier.slice('/reunion/'.length), library) : new URL(specifier, from.identifier);
    if (!this.#modules.has(url.href)) {
      if (!sources.has(url.href)) sources.set(url.href, readFileSync(url, 'utf8'));
      const file = url.href.slice(library.href.length);
      const source = withBug(this.bug, file, sources.get(url.href));
      this.#modules.set(url.href, this.#module(source, url.href));
    }
    return this.#modules.get(url.href);
  }
}
