// The core's functions with JavaScript values on both sides.

import { functions, startCore } from './core.js';
import { FlatReader, FlatWriter } from '../flat.js';

const types = {
  hello: 1, pull: 2, changes: 3, pushEnd: 4, acknowledge: 5, refused: 6, ping: 7, pong: 8,
  have: 12, bye: 13,
};
const text = new TextDecoder();

/** Starts the core from a URL, or from bytes. */
export async function openCore(source) {
  return new Core(await startCore(source instanceof Uint8Array ? source : fetch(source)));
}

/** Merge, stamps, wire codec and hashes of ReunionCore. */
export class Core {
  #core;
  constructor(core) { this.#core = core; }

  #call(name, writer) {
    return new FlatReader(this.#core.call(functions[name], writer.finish()));
  }

  /** A SHA-256 over bytes that come in pieces: `update(bytes)`, `finish()`. */
  hasher() { return this.#core.hasher(); }

  /** Merges flat cells into flat cells: `{changed, row}`, the row "alive" and the cells. */
  merge(cells, incoming) {
    const writer = new FlatWriter(cells.length + incoming.length);
    const reader = this.#call('merge', writer.bytes(cells).bytes(incoming));
    const changed = reader.u8() === 1;
    return { changed, row: rowOf(reader) };
  }

  /** The stamp of a transaction made now: `{stamp, last}`. */
  nextStamp(last, replaced) {
    const input = new FlatWriter().u64(Date.now()).u64(last).u64(replaced);
    const reader = this.#call('nextStamp', input);
    return { stamp: reader.u64(), last: reader.u64() };
  }

  /** The last stamp after following one that was received. */
  observeStamp(last, received) {
    const input = new FlatWriter().u64(Date.now()).u64(last).u64(received);
    return this.#call('observeStamp', input).u64();
  }

  /** Both vectors' higher entries. */
  mergeVectors(one, other) {
    return this.#call('mergeVectors', new FlatWriter().vector(one).vector(other)).vector();
  }

  /** The bytes of a delete that saw these flat cells. */
  deletion(cells) { return this.#core.call(functions.deletion, cells); }

  /**
   * How an upright picture of that size shows, with its longer side at most `longEdge`, or as large
   * as it is: `{width, height, turns, source: {x, y, width, height}}`. Take the source's pixels, scale
   * them, and turn them clockwise so many times. `edit` holds the bytes of an edit (docs/images.md).
   */
  plan(width, height, longEdge = 0, edit = new Uint8Array(0)) {
    const input = new FlatWriter().u8(1).u32(width).u32(height).u32(longEdge).bytes(edit);
    const reader = this.#call('plan', input);
    const source = {
      x: reader.u32(), y: reader.u32(), width: reader.u32(), height: reader.u32(),
    };
    const turns = [1, 6, 3, 8].indexOf(reader.u8());
    return { source, turns, width: reader.u32(), height: reader.u32() };
  }

  /** Wire bytes of a message: `{type, …}` with the parts that docs/protocol.md names. */
  encode(message) {
    const writer = new FlatWriter(1024).u8(types[message.type]);
    switch (message.type) {
      case 'hello':
        writer.id(message.space).id(message.site).u8(1).u64(message.seq);
        break;
      case 'pull':
      case 'pushEnd':
        writer.u64(message.cursor).vector(message.vector);
        break;
      case 'changes':
        writer.u64(0).u32(message.records.length);
        for (const { entity, id, cells } of message.records) {
          writer.u32(entity).id(id).u8(1).cells(cells);
        }
        break;
      case 'acknowledge': writer.u64(message.cursor); break;
      case 'bye': {
        const sentence = new TextEncoder().encode(message.sentence);
        writer.u16(message.code).u32(sentence.length).bytes(sentence);
        break;
      }
      default: writer.u32(message.number);
    }
    return this.#core.call(functions.encode, writer.finish());
  }

  /** The message of wire bytes; throws for anything that no replica would send. */
  decode(wire) {
    const reader = new FlatReader(this.#core.call(functions.decode, wire));
    const type = reader.u8();
    switch (type) {
      case types.hello:
        return {
          type: 'hello', space: reader.id(), site: reader.id(), leaf: reader.u8() === 1,
          seq: reader.u64(),
        };
      case types.pull: return { type: 'pull', cursor: reader.u64(), vector: reader.vector() };
      case types.changes:
        return { type: 'changes', stamp: reader.u64(), records: recordsOf(reader) };
      case types.pushEnd: return { type: 'pushEnd', cursor: reader.u64(), vector: reader.vector() };
      case types.acknowledge: return { type: 'acknowledge', cursor: reader.u64() };
      case types.refused: return { type: 'refused', records: recordsOf(reader) };
      case types.ping: return { type: 'ping', number: reader.u32() };
      case types.pong: return { type: 'pong', number: reader.u32() };
      case types.have:
        return { type: 'have', hashes: Array.from({ length: reader.u32() }, () => reader.id(32)) };
      case types.bye:
        return {
          type: 'bye', code: reader.u16(), sentence: text.decode(reader.bytes(reader.u32())),
        };
      default: return { type: 'unknown', number: type };
    }
  }
}

/** A row that the reader stands at, and moves over: a byte for "alive", then flat cells. */
function rowOf(reader) {
  const start = reader.at++;
  for (let count = reader.u32(); count > 0; count--) reader.skip();
  return reader.source.subarray(start, reader.at);
}

const recordsOf = (reader) => Array.from({ length: reader.u32() },
  () => ({ entity: reader.u32(), id: reader.id(), row: rowOf(reader) }));
