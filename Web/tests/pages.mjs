// What a test in node needs for the modules of apps' pages: the library at its address, and a browser's memory.

import { register } from 'node:module';

const library = new URL('..', import.meta.url).href;
register(`data:text/javascript,${encodeURIComponent(`export const resolve = (name, context, next) =>
  next(name.startsWith('/reunion/') ? '${library}' + name.slice(9) : name, context);`)}`);

/** A `localStorage` that takes so many characters. */
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
