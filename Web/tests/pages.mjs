// What a test in node needs for the modules of apps' pages: the library at its address, a browser's memory, and
// replicas of a few records.

import { register } from 'node:module';
import { State } from '../replica/state.js';

const library = new URL('..', import.meta.url).href;
const kit = new URL('../../Apps/Shared/Page/', import.meta.url).href;
register(`data:text/javascript,${encodeURIComponent(`export const resolve = (name, context, next) =>
  next(name.replace(/^\\/reunion\\//, '${library}').replace(/^\\/kit\\//, '${kit}'), context);`)}`);

/** A `localStorage` that takes `most` characters. */
export class Memory {
  #kept = new Map(); #most;
  constructor(most = Infinity) { this.#most = most; }
  getItem(name) { return this.#kept.get(name) ?? null; }
  removeItem(name) { this.#kept.delete(name); }
  setItem(name, value) {
    if (value.length > this.#most) throw new Error('The quota is exceeded.');
    this.#kept.set(name, value);
  }
}

/** A replica of these records; what is written goes into `written`, once `kept` is resolved. */
export const replicaOf = (records, kept = Promise.resolve(), written = []) => ({
  records: (entity) => records.filter((each) => each.entity === entity),
  get: (entity, id) => records.find((each) => each.entity === entity && each.id === id),
  subscribe() {}, waiting: new State({ records: 0 }), written,
  async transaction(body) {
    const writes = [];
    body({
      create: (entity, values, id) => writes.push(['create', entity, values, id]),
      set: ({ entity, id }, values) => writes.push(['set', entity, values, id]),
    });
    await kept;
    written.push(...writes);
  },
});
