// A large space in one file, which a newcomer takes before a socket is there (docs/protocol.md §6).

import { Conversation } from './conversation.js';
import { FlatReader, hex } from '../core/flat.js';

const headBytes = 56;
const inflatedBytesMax = 4 * 1024 * 1024;
const silentMilliseconds = 15_000;
const triesMost = 4;

/** The bytes of an answer as they come. Where the link breaks, they go on from there. */
class Source {
  #ask; #answer; #reader; #tag; #came = 0; #held = []; #heldCount = 0; #tries = 1;

  constructor(ask, answer) {
    this.#ask = ask;
    this.#tag = answer.headers.get('ETag');
    this.#take(answer);
  }

  #take(answer) {
    this.#answer = answer;
    this.#reader = answer.body.getReader();
  }

  /** The next `count` bytes. */
  async bytes(count) {
    while (this.#heldCount < count) await this.#more();
    const bytes = new Uint8Array(count);
    for (let at = 0; at < count;) {
      const part = this.#held[0].subarray(0, count - at);
      bytes.set(part, at);
      at += part.length;
      if (part.length === this.#held[0].length) this.#held.shift();
      else this.#held[0] = this.#held[0].subarray(part.length);
    }
    this.#heldCount -= count;
    return bytes;
  }

  async #more() {
    try {
      const { done, value } = await within(silentMilliseconds, this.#reader.read());
      if (done) throw new Error('The block ended too early.');
      this.#held.push(value);
      this.#heldCount += value.length;
      this.#came += value.length;
    } catch (error) {
      this.end();
      if (this.#tries++ === triesMost || !this.#tag) throw error;
      const rest = { Range: `bytes=${this.#came}-`, 'If-Range': this.#tag };
      const answer = await within(silentMilliseconds, this.#ask(rest));
      // Another block has taken its place: the session brings everything.
      if (answer.status !== 206) throw error;
      this.#take(answer);
    }
  }

  end() { this.#reader.cancel().catch(() => {}); }
}

/** What is promised, if it comes in time. */
function within(milliseconds, promise) {
  let timer;
  const late = new Promise((resolve, reject) => {
    timer = setTimeout(() => reject(new Error('The block does not come.')), milliseconds);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

async function inflated(source) {
  const head = new FlatReader(await source.bytes(8));
  const [deflatedCount, count] = [head.u32(), head.u32()];
  if (count > inflatedBytesMax || deflatedCount > inflatedBytesMax) throw new RangeError('A part is too large.');
  const stream = new Blob([await source.bytes(deflatedCount)]).stream()
    .pipeThrough(new DecompressionStream('deflate'));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  if (bytes.length !== count) throw new RangeError('A part does not have its bytes.');
  return bytes;
}

/**
 * Takes a block into a copy that holds nothing of a server's yet. `asked` promises the answer of the first request,
 * and `ask(headers)` makes another. All of it is shown at once, or none where it is damaged or breaks off: then the
 * session brings all.
 */
export async function takeBlock(replica, core, asked, ask) {
  const answer = await within(silentMilliseconds, asked);
  if (answer?.status !== 200) return;
  const source = new Source(ask, answer);
  const stage = replica.stage();
  const conversation = new Conversation(core, { stage: (part) => stage.add({ ...part, isWhole: true }) });
  try {
    const bytes = await source.bytes(headBytes);
    const head = new FlatReader(bytes);
    // Another version, or another space's: there is nothing for us in it.
    if (head.u32() !== 0x52424c4b || head.u32() !== 0x01010000 || head.id() !== replica.space) return;
    const server = head.id();
    head.u64();
    for (let parts = head.u32(); parts > 0; parts--) conversation.part(await inflated(source));
    const end = new FlatReader(await inflated(source));
    // The head has no checksum of its own.
    if (hex(end.bytes(headBytes)) !== hex(bytes)) throw new RangeError('The head of a block is damaged.');
    const [position, vector] = [end.sized().slice(), end.vector()];
    // What this device wrote before comes whole by the session alone.
    if (replica.hasSynced || replica.own(vector).size) return;
    // The session goes on from what is on the disk.
    await (await replica.applyPush(stage, { position, vector, server })).kept;
  } finally {
    conversation.end();
    source.end();
  }
}
