// The core's functions with JavaScript values on both sides.

import { functions, startCore } from './core.js';
import { FlatReader, FlatWriter } from './flat.js';

/** Starts the core from a URL, or from bytes. */
export async function openCore(source) {
  return new Core(await startCore(source instanceof Uint8Array ? source : fetch(source)));
}

/** Merge, stamps and hashes of ReunionCore. */
export class Core {
  #core;
  constructor(core) { this.#core = core; }

  /** Calls a function by its name: what it gives, to be read. */
  call(name, writer) {
    return new FlatReader(this.#core.call(functions[name], writer.finish()));
  }

  /** A SHA-256 over bytes that come in pieces: `update(bytes)`, `finish()`. */
  hasher() { return this.#core.hasher(); }

  /** Merges flat cells into flat cells: `{changed, row}`, the row "alive" and the cells. */
  merge(cells, incoming) {
    const writer = new FlatWriter(cells.length + incoming.length);
    const reader = this.call('merge', writer.bytes(cells).bytes(incoming));
    const changed = reader.u8() === 1;
    return { changed, row: reader.row() };
  }

  /** The stamp of a transaction made now, after the site's change `seq`: `{stamp, last}`. */
  nextStamp(last, replaced, seq) {
    const input = new FlatWriter().u64(Date.now()).u64(last).u64(replaced).u64(seq);
    const reader = this.call('nextStamp', input);
    return { stamp: reader.u64(), last: reader.u64() };
  }

  /** The last stamp after following one that was received. */
  observeStamp(last, received) {
    const input = new FlatWriter().u64(Date.now()).u64(last).u64(received);
    return this.call('observeStamp', input).u64();
  }

  /** Both vectors' higher entries. */
  mergeVectors(one, other) {
    return this.call('mergeVectors', new FlatWriter().vector(one).vector(other)).vector();
  }

  /** The bytes of a delete that saw these flat cells. */
  deletion(cells) { return this.#core.call(functions.deletion, cells); }

  /**
   * How an upright picture of that size shows, with its longer side at most `longEdge`, or as large
   * as it is: `{width, height, turns, source: {x, y, width, height}}`. Take the source's pixels, scale
   * them, and turn them clockwise `turns` times. `edit` holds the bytes of an edit (the guide images.md).
   */
  plan(width, height, longEdge = 0, edit = new Uint8Array(0)) {
    const input = new FlatWriter().u8(1).u32(width).u32(height).u32(longEdge).bytes(edit);
    const reader = this.call('plan', input);
    const source = {
      x: reader.u32(), y: reader.u32(), width: reader.u32(), height: reader.u32(),
    };
    const turns = [1, 6, 3, 8].indexOf(reader.u8());
    return { source, turns, width: reader.u32(), height: reader.u32() };
  }

}

