// A relay of one space in memory: the core's conversation over a map of records, for tests of browsers
// without a server. It trusts everybody, and can be brought back to an earlier state.

import { readFileSync } from 'node:fs';
import { Conversation } from '../../Web/conversation/conversation.js';
import { Core } from '../../Web/core/calls.js';
import { startCore } from '../../Web/core/core.js';
import { FlatReader, FlatWriter, merges, noCells } from '../../Web/core/flat.js';

const built = process.env.REUNION_WEB ?? new URL('../../.build/web/', import.meta.url).pathname;
const start = (path) => startCore(new Uint8Array(readFileSync(`${built}/${path}`)));
export const whole = new Core(await start('reunion/core.wasm'));
const conversations = await start('reunion/conversation.wasm');

/** Whether a record was deleted and is alive: to a leaf it goes whole (docs/protocol.md 2.8). */
const cameBack = (cells) => new FlatReader(cells).cells().some(({ merge }) => merge === merges.deletion)
  && whole.merge(noCells, cells).row[0] === 1;
const positionOf = (arrival) => new FlatWriter().u64(arrival).finish();

/** `deliver(link, bytes)` sends to a browser; `close(link)` ends its link. */
export class Relay {
  records = new Map();
  vector = new Map();
  space; site; arrival = 0n; positions = new Map();
  #sessions = new Map(); #deliver; #close;

  constructor({ space, site, deliver, close }) {
    Object.assign(this, { space, site });
    [this.#deliver, this.#close] = [deliver, close];
  }

  /** Its whole content, in the form of what a browser keeps. */
  get content() {
    return [...this.records.values()].map(({ entity, id, cells }) => ({ entity, id, cells: [...cells] }))
      .sort((one, other) => one.entity - other.entity || (one.id < other.id ? -1 : 1));
  }

  opened(link) {
    const session = new RelaySession(this, {
      send: (bytes) => this.#deliver(link, bytes),
      close: () => {
        this.closed(link);
        this.#close(link);
      },
    });
    this.#sessions.set(link, session);
    session.conversation.opened(this.space, this.site, 0n, false);
  }

  closed(link) {
    this.#sessions.get(link)?.conversation.end();
    this.#sessions.delete(link);
  }

  received(link, bytes) { this.#sessions.get(link)?.conversation.received(bytes); }

  /** Merges the records of a push, in one go, and tells every session. */
  apply(records, vector) {
    for (const { entity, id, row } of records) {
      const key = `${entity}/${id}`;
      const { changed, row: merged } = whole.merge(
        this.records.get(key)?.cells ?? noCells, row.subarray(1));
      if (changed || !this.records.has(key)) {
        this.records.set(key, { entity, id, cells: merged.slice(1), arrival: ++this.arrival });
      }
    }
    this.vector = whole.mergeVectors(this.vector, vector);
    // A vector that rose without a record is told too.
    this.arrival += 1n;
    for (const { conversation } of [...this.#sessions.values()]) conversation.committed();
  }
}

/** One link's side of the relay: performs what the conversation decides. */
class RelaySession {
  #relay; #link; #peer; #staged = [];

  constructor(relay, link) {
    [this.#relay, this.#link] = [relay, link];
    this.conversation = new Conversation(conversations, this);
  }

  send(bytes) { this.#link.send(bytes); }
  close() { this.#link.close(); }
  lookUp(peer) {
    this.#peer = peer;
    this.conversation.lookedUp(this.#told(peer), this.#relay.vector);
  }
  /** What a site told, or the last of its device's sites that told anything. */
  #told(peer) {
    const { positions } = this.#relay;
    const ofDevice = [...positions].filter(([site]) => site.startsWith(peer.slice(0, 16)));
    return positions.get(peer) ?? ofDevice.at(-1)?.[1] ?? new Uint8Array(0);
  }
  resume(position) {
    this.conversation.resumed(position.length ? new FlatReader(position).u64() : 0n, 0n, false);
  }
  readWindow({ after, held }) {
    const { records, arrival, vector } = this.#relay;
    const lacking = [...records.values()].filter((record) => record.arrival > after)
      .map(({ entity, id, cells }) => ({
        entity, id,
        cells: new FlatReader(cells).cells()
          .filter(({ site, seq }) => cameBack(cells) || !(seq <= held.get(site))),
      })).filter(({ cells }) => cells.length);
    this.conversation.windowRead(lacking, arrival, positionOf(arrival), vector);
  }
  stage({ records }) { this.#staged.push(...records); }
  apply({ cursor, position, vector }) {
    const staged = this.#staged;
    this.#staged = [];
    this.#relay.positions.set(this.#peer, position);
    this.#relay.apply(staged, vector);
    this.conversation.applied(cursor);
  }
  acknowledged() {}
  have() {}
  renew() { throw new Error('The relay is said to be rolled back.'); }
}

/** Flat cells of what `stored` tells of a record. */
export const flatOf = (cells) => new FlatWriter().cells(cells.map((cell) => ({
  ...cell, seq: BigInt(cell.seq), stamp: BigInt(cell.stamp), replaced: BigInt(cell.replaced),
  bytes: Uint8Array.from(Buffer.from(cell.bytes, 'hex')),
}))).finish();
