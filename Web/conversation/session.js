// An open socket and the conversation over it: loaded once the page is shown.

import { takeBlock } from './block.js';
import { Conversation } from './conversation.js';
import { startCore } from '../core/core.js';
import { readerEntity } from '../writing/update-need.js';

const beatMilliseconds = 5000;
/** Messages of which the conversation makes nothing, by their types. */
const taps = { 17: 'standing', 20: 'presence' };
/** So much waits in a socket that what is shown waits for it. */
const slowBytes = 64 * 1024;
const nowhere = new Uint8Array(0);
let core;
const loading = new WeakMap();

/** Loads what leads conversations, and takes a block into a copy that holds nothing; one at a time. */
export function load(replica) {
  if (!loading.has(replica)) loading.set(replica, begin(replica).finally(() => loading.delete(replica)));
  return loading.get(replica);
}

async function begin(replica) {
  const end = new AbortController();
  const ask = (headers) => fetch(`/block?space=${replica.space}`, { headers, signal: end.signal });
  const asked = replica.hasSynced ? null : ask();
  asked?.catch(() => {});
  try {
    core ??= await startCore(fetch(new URL('../conversation.wasm', import.meta.url)));
    // Whatever becomes of it, the session brings what is missing.
    if (asked) await takeBlock(replica, core, asked, ask).catch(() => {});
  } finally {
    end.abort();
  }
}

/** One open socket: performs what the conversation over it decides. */
export class Session {
  #replica; #socket; #tell; #conversation; #site; #server; #stage = null; #reading = null; #beat;
  #isMet = false; #isOver = false;
  /** Up to which of its own changes this side has sent all, whatever the other side claims to hold. */
  #sent = null;
  /** Whether it is known here what the server holds of this device: it may be less than it once said. */
  #isSettled = false;
  /** Whether the server is another than it was, and what it has is still to come. */
  #isAnother = false;
  /** The pushes are taken one after the other. */
  #taken = Promise.resolve();
  /** Whether the next push is all that there is, and what it does not bring may have been deleted. */
  #isAnew = false;
  /** Whether the other side hears what this device shows. */
  #isHeard = false;

  constructor(replica, socket, tell) {
    this.#replica = replica;
    this.#socket = socket;
    this.#tell = tell;
    this.#conversation = new Conversation(core, this);
  }

  get isMet() { return this.#isMet; }

  begin() {
    const { space, site, seq } = this.#replica;
    this.#site = site;
    this.#socket.onmessage = ({ data }) => this.#do(() => this.#take(new Uint8Array(data)));
    this.#beat = setInterval(() => this.#do(() => this.#conversation.beat()), beatMilliseconds);
    this.#conversation.opened(space, site, seq);
  }

  end() {
    this.#isOver = true;
    clearInterval(this.#beat);
    this.#conversation.end();
    this.#replica.settle();
  }

  /** Asks whether the other side is there: an open socket can be dead. */
  probe() { this.#conversation.probed(); }

  /** Sends what was committed here; a replica that writes as a new site comes again as that, asked to or not. */
  push() {
    this.#do(() => {
      if (this.#replica.site !== this.#site) this.#conversation.renewed();
      else if (this.#reading) this.#readOn();
      else this.#conversation.committed();
    });
  }

  /** Sends what this device shows. Returns false if the link is too slow for it just now. */
  show(bytes) {
    if (this.#socket.bufferedAmount > slowBytes) return false;
    this.#socket.send(bytes);
    return true;
  }

  #take(bytes) {
    this.#conversation.received(bytes);
    const tap = taps[bytes[1]];
    if (tap && this.#isHeard && !this.#isOver) this.#tell.shown(tap, bytes);
  }

  // The effects of the conversation.

  send(bytes) { this.#socket.send(bytes); }

  lookUp(server) {
    const replica = this.#replica;
    this.#server = server;
    this.#isAnother = replica.isRenewed(server);
    // Where the server asks what is held, all that was sent before went for nothing.
    this.#sent = null;
    this.#isHeard = false;
    const position = replica.positionOf(server);
    // Some of what came could not be read: something may have been deleted since.
    if (replica.hasSynced && !position.length && !this.#isAnother) this.#isAnew = true;
    this.#conversation.lookedUp(this.#isAnew ? nowhere : position,
      this.#isAnother || this.#isAnew ? new Map() : replica.vector);
  }

  takeAnew() { this.#isAnew = true; }

  resume(position) {
    const { seq, acked } = this.#replica;
    this.#conversation.resumed(0n, seq, this.#replica.isBehind(position), acked);
  }

  readWindow(reading) {
    this.#reading = reading;
    if (!this.#isHeard) {
      this.#isHeard = true;
      this.#tell.heard();
    }
    if (this.#isMet) return this.#readOn();
    this.#isMet = true;
    this.#tell.met();
    this.#after(this.#replica.acknowledge(reading.held, true), () => {
      this.#isSettled = true;
      this.#readOn();
    });
  }

  /** Answers what was asked for, once it is known what the server lacks, and this browser may push. */
  #readOn() {
    const [replica, reading] = [this.#replica, this.#reading];
    if (!reading || !this.#isSettled || this.#isAnother || this.#isAnew || !this.#tell.mayPush()) return;
    this.#reading = null;
    const beyond = new Map(reading.held).set(this.#site, this.#sent ?? replica.acked);
    this.#sent = replica.seq;
    this.#conversation.windowRead(replica.changesBeyond(beyond), replica.seq, replica.position,
      replica.own(replica.vector));
  }

  stage(part) {
    this.#stage ??= this.#replica.stage();
    this.#stage.add(part);
  }

  apply({ cursor, position, vector }) {
    const [replica, stage] = [this.#replica, this.#stage ?? this.#replica.stage()];
    this.#stage = null;
    // What all that there is does not bring may have been deleted.
    stage.isAnew = this.#isAnew;
    if (vector.get(replica.site) > replica.seq) this.#conversation.foundForked();
    else {
      const [isAnother, server] = [this.#isAnother, this.#server];
      // Loaded before its turn comes, so that nothing that is written here waits for it.
      const needsRule = isAnother || stage.isAnew || stage.back.size;
      this.#taken = this.#taken.then(() => needsRule && import('../replica/anew.js'))
        .then((rule) => replica.applyPush(stage, { position, vector, server }, isAnother, rule || null));
      this.#after(this.#taken.then(async ({ kept, dropped = [] }) => {
        await kept;
        stage.refusals.push(...dropped);
      }), () => {
        this.#conversation.applied(cursor);
        this.#isAnother = this.#isAnew = false;
        this.#readOn();
        this.#tell.ready();
        // That a guest's word of what readers need does not count is nobody's loss.
        const refusals = stage.refusals.filter(({ entity }) => entity !== readerEntity);
        if (refusals.length) this.#tell.refused(refusals);
      });
    }
  }

  acknowledged(vector) { this.#after(this.#replica.acknowledge(vector)); }
  renew() { this.#after(this.#replica.renewSite()); }
  have(hashes) { this.#tell.have(hashes); }
  later(milliseconds) { this.#tell.later(milliseconds); }
  close(ending) { this.#tell.ended(ending); }

  #after(promise, then = () => {}) {
    promise.then(() => this.#isOver || then()).catch((error) => this.#fail(error));
  }

  #do(work) {
    try {
      work();
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error) {
    console.warn('The session ended:', error);
    if (!this.#isOver) this.#tell.failed();
  }
}
