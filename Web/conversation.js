// A session's decisions, which the core makes: events in, effects out (FlatConversation.swift).

import { FlatReader, FlatWriter } from './flat.js';

const text = new TextDecoder();
const event = (type, capacity) => new FlatWriter(capacity).u8(type);
const all = 2n ** 64n - 1n;

/** What the two sides say to each other. Its state is all in the core. */
export class Conversation {
  #core; #shell; #effects = [];

  /**
   * - core: what `startCore` gives of conversation.wasm.
   * - shell: performs the effects: `send(bytes)`, `lookUp(site)`, `resume(position)`,
   *   `readWindow({after, vectorAfter, ownSeq, held})`, `stage({stamp, records, refusals})`,
   *   `apply({cursor, position, vector})`, `acknowledged(vector)`, `renew(ownSeq)`, `have(hashes)`,
   *   `close({code, isTheirs, sentence})`.
   */
  constructor(core, shell) {
    this.#core = core.converse();
    this.#shell = shell;
  }

  opened(space, site, seq, isLeaf = true) {
    this.#tell(event(1).id(space).id(site).u8(isLeaf ? 1 : 0).u64(seq));
  }
  received(bytes) { this.#tell(event(2, bytes.length + 1).bytes(bytes)); }
  lookedUp(position, vector) { this.#tell(event(3).sized(position).vector(vector)); }
  /** Own changes above `ownSeq` are issued anew where this side went back (`isBack`). */
  resumed(cursor, seq, isBack, ownSeq = all) {
    this.#tell(event(4).u8(isBack ? 1 : 0).u64(cursor).u64(ownSeq).u64(seq));
  }
  committed() { this.#tell(event(5)); }
  /** All that is to be sent: `{entity, id, cells}` of records, and the entries of the vector. */
  windowRead(records, cursor, position, raised) {
    const writer = event(6, 1024).u32(records.length);
    for (const { entity, id, cells } of records) writer.u32(entity).id(id).u8(1).cells(cells);
    this.#tell(writer.u64(cursor).u8(1).sized(position).vector(raised));
  }
  applied(cursor) { this.#tell(event(7).u64(cursor)); }
  foundForked() { this.#tell(event(8)); }
  renewed() { this.#tell(event(9)); }
  /** Every five seconds. */
  beat() { this.#tell(event(11)); }
  /** Asks at once whether the other side is there. */
  probed() { this.#tell(event(12)); }

  /** Frees it; what is told later changes nothing. */
  end() {
    this.#core?.end();
    this.#core = null;
    this.#effects = [];
  }

  /** What an effect tells in its turn is performed after the effects that are there. */
  #tell(writer) {
    if (!this.#core) return;
    this.#effects.push(new FlatReader(this.#core.perform(writer.finish())));
    if (this.#effects.length > 1) return;
    for (; this.#effects.length; this.#effects.shift()) {
      for (const reader = this.#effects[0]; reader.remaining && this.#core;) this.#perform(reader);
    }
  }

  #perform(reader) {
    const shell = this.#shell;
    switch (reader.u8()) {
      case 1: shell.send(reader.sized()); break;
      case 2: shell.lookUp(reader.id()); break;
      case 3: shell.resume(reader.sized()); break;
      case 4: {
        const [after, vectorAfter, ownSeq] = [reader.u64(), reader.u64(), reader.u64()];
        shell.readWindow({ after, vectorAfter, ownSeq, held: reader.vector() });
        break;
      }
      case 5:
        shell.stage({
          stamp: reader.u64(),
          records: reader.list(() => ({ entity: reader.u32(), id: reader.id(), row: reader.row() })),
          refusals: reader.list(
            () => ({
              entity: reader.u32(), id: reader.id(), sent: reader.vector(),
              sentence: text.decode(reader.sized()),
            })),
        });
        break;
      case 6:
        shell.apply({
          cursor: reader.u64(), position: reader.sized().slice(), vector: reader.vector(),
        });
        break;
      case 7: shell.acknowledged(reader.vector()); break;
      case 8: shell.renew(reader.u64()); break;
      case 9: shell.have(reader.list(() => reader.id(32))); break;
      default:
        shell.close({
          code: reader.u16(), isTheirs: reader.u8() === 1, sentence: text.decode(reader.sized()),
        });
    }
  }
}
