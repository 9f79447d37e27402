// A page with uploads in node: a browser's database in memory, and a server that takes files.

import { KeyRange, MemoryDisk, MemoryFactory } from '../../Tests/World/memory-database.mjs';
import { core } from './core.mjs';

const space = 'ab'.repeat(16);
const device = 'ad'.repeat(8);
const json = { 'Content-Type': 'application/json' };
/** Time goes twenty times as fast. */
const haste = 20;

let disk;
const { setTimeout: after } = globalThis;
const turn = () => new Promise(setImmediate);

/** One browser: what its pages keep, and what its server has and says. */
export class Browser {
  /** Whether the server answers; the uses and hashes that it took, in their order; what it says of a file. */
  isOnline = false; taken = []; says = {}; refusal = null;
  #uploads = new Map(); #isOver = false;

  constructor() {
    disk = new MemoryDisk();
    const browser = this;
    const channels = new Map();
    Object.assign(globalThis, {
      indexedDB: new MemoryFactory(disk, { post: (task) => setImmediate(task), clone: structuredClone }),
      IDBKeyRange: KeyRange,
      addEventListener() {}, removeEventListener() {},
      setTimeout: (act, milliseconds = 0) => after(act, milliseconds / haste),
      BroadcastChannel: class {
        constructor(topic) { channels.set(topic, [...channels.get(topic) ?? [], this]); this.topic = topic; }
        postMessage(data) {
          const others = channels.get(this.topic).filter((each) => each !== this);
          for (const other of others) setImmediate(() => other.onmessage({ data }));
        }
      },
      XMLHttpRequest: class {
        upload = {}; #headers = {};
        open(method, url) { Object.assign(this, { method, url }); }
        setRequestHeader(name, value) { this.#headers[name] = value; }
        getResponseHeader(name) { return this.given[name] ?? null; }
        abort() { this.onabort?.(); }
        send(body) {
          setImmediate(() => {
            if (!browser.isOnline) return this.onerror();
            const { status, headers, said = {} } = browser.#answer(this.method, this.url, this.#headers, body);
            Object.assign(this, { status, given: { ...json, ...headers }, responseText: JSON.stringify(said) });
            return this.onload();
          });
        }
      },
    });
    const beat = () => {
      disk.advance();
      if (!this.#isOver) setImmediate(beat);
    };
    beat();
  }

  #answer(method, url, headers, body) {
    if (method === 'POST') {
      const digest = atob(headers['Repr-Digest'].slice(9, -1));
      const hash = [...digest].map((each) => each.charCodeAt(0).toString(16).padStart(2, '0')).join('');
      const location = `/uploads/${this.#uploads.size}`;
      this.#uploads.set(location, { use: new URL(url, 'http://here').searchParams.get('use'), hash });
      return { status: 201, headers: { Location: location, 'Upload-Offset': '0' } };
    }
    const { use, hash } = this.#uploads.get(url);
    if (this.refusal && use === 'original') return this.refusal;
    this.taken.push({ use, hash, size: body.size });
    return { status: 200, headers: { 'Upload-Complete': '?1' }, said: { hash, bytes: body.size, ...this.says } };
  }

  /** Opens a page of an app that says this of its files: `{replica, uploads, notices}`. */
  async open(model, app) {
    const [{ Replica }, { Uploads }, { Model }] = await Promise.all(
      ['replica/replica', 'uploads/uploads', 'replica/model'].map((name) => import(`../${name}.js`)));
    const replica = await Replica.open({ space, device, model: new Model(model), core });
    const uploads = new Uploads({ replica, url: '/uploads', ...app });
    const notices = [];
    uploads.onnotice = ({ code, name, sentence }) => notices.push([code, name, sentence]);
    uploads.isOnline = () => this.isOnline;
    replica.onCommit(({ rows }) => rows && uploads.reload());
    uploads.isActive = true;
    await uploads.open();
    return { replica, uploads, notices };
  }

  /** The server answers from now on. */
  meet({ uploads }) {
    this.isOnline = true;
    uploads.wake();
  }

  /** What the browser keeps of files: its rows. */
  rows({ replica }) {
    return replica.database.run(['uploads'], 'readonly', (store) => new Promise((resolve) => {
      store('uploads').getAll().onsuccess = ({ target }) => resolve(target.result);
    }));
  }

  /** Puts rows there as another page left them, with the bytes of those that have some. */
  leave({ replica }, rows) {
    return replica.database.run(['uploads', 'chunks'], 'readwrite', (store) => {
      for (const { body, ...row } of rows) {
        store('uploads').put(row);
        if (body) store('chunks').put(new TextEncoder().encode(body).buffer, [row.file, 0]);
      }
    });
  }

  end() { this.#isOver = true; }
}

/** Waits until something holds: a count of turns would be over sooner on a faster machine. */
export async function until(check, what) {
  for (const end = performance.now() + 60_000; performance.now() < end; await turn()) {
    if (await check()) return;
  }
  throw new Error(`It never comes: ${what}`);
}

/** A file that somebody chose, dated as a camera's. */
export const fileOf = (name, text, type = 'text/plain') =>
  new File([text], name, { type, lastModified: 1_700_000_000_000 });

/** The hash of a text. */
export function hashOf(text) {
  const hasher = core.hasher();
  hasher.update(new TextEncoder().encode(text));
  return Buffer.from(hasher.finish()).toString('hex');
}
