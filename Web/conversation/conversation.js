// A session's decisions, which the core makes: events in, effects out. ConversationCodes.swift says what goes
// with each.

import { FlatReader, FlatWriter } from '../core/flat.js';
import { effects, events } from './codes.js';

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
   *   `later(milliseconds)`, `takeAnew()`, `close({code, isTheirs, sentence})`.
   */
  constructor(core, shell) {
    this.#core = core.converse();
    this.#shell = shell;
  }

  opened(space, site, seq, isLeaf = true) {
    this.#tell(event(events.opened).id(space).id(site).u8(isLeaf ? 1 : 0).u64(seq));
  }
  received(bytes) { this.#tell(event(events.received, bytes.length + 1).bytes(bytes)); }
  lookedUp(position, vector) { this.#tell(event(events.lookedUp).sized(position).vector(vector)); }
  /** Own changes above `ownSeq` are issued anew where this side went back (`isBack`). */
  resumed(cursor, seq, isBack, ownSeq = all) {
    this.#tell(event(events.resumed).u8(isBack ? 1 : 0).u64(cursor).u64(ownSeq).u64(seq));
  }
  committed() { this.#tell(event(events.committed)); }
  /** All that is to be sent: `{entity, id, cells}` of records, and the entries of the vector. */
  windowRead(records, cursor, position, raised) {
    const writer = event(events.windowRead, 1024).u32(records.length);
    for (const { entity, id, cells } of records) writer.u32(entity).id(id).u8(1).cells(cells);
    this.#tell(writer.u64(cursor).u8(1).sized(position).vector(raised));
  }
  applied(cursor) { this.#tell(event(events.applied).u64(cursor)); }
  foundForked() { this.#tell(event(events.foundForked)); }
  renewed() { this.#tell(event(events.renewed)); }
  /** Every five seconds. */
  beat() { this.#tell(event(events.beat)); }
  /** Asks at once whether the other side is there. */
  probed() { this.#tell(event(events.probed)); }

  /** Has `stage` take a part of a block. */
  part(bytes) { this.#tell(event(events.part, bytes.length + 1).bytes(bytes)); }

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
      case effects.send: shell.send(reader.sized()); break;
      case effects.lookUp: shell.lookUp(reader.id()); break;
      case effects.resume: shell.resume(reader.sized()); break;
      case effects.readWindow: {
        const [after, vectorAfter, ownSeq] = [reader.u64(), reader.u64(), reader.u64()];
        shell.readWindow({ after, vectorAfter, ownSeq, held: reader.vector() });
        break;
      }
      case effects.stage:
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
      case effects.apply:
        shell.apply({
          cursor: reader.u64(), position: reader.sized().slice(), vector: reader.vector(),
        });
        break;
      case effects.acknowledged: shell.acknowledged(reader.vector()); break;
      case effects.renew: shell.renew(reader.u64()); break;
      case effects.have: shell.have(reader.list(() => reader.id(32))); break;
      case effects.later: shell.later(Number(reader.u64())); break;
      case effects.takeAnew: shell.takeAnew(); break;
      default:
        shell.close({
          code: reader.u16(), isTheirs: reader.u8() === 1, sentence: text.decode(reader.sized()),
        });
    }
  }
}
