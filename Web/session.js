// The conversation with the server over a WebSocket, as a leaf (docs/protocol.md §2).

import { isMember } from './ask.js';
import { backoff } from './backoff.js';
import { State } from './state.js';

const quietMilliseconds = 10_000;
const silentMilliseconds = 15_000;
const byes = { notAllowed: 3, forked: 4, storageFailed: 5 };
const messageChangesBytes = 12 * 1024;

export class Session {
  /** `{phase}`: `off`, `connecting`, `online` (caught up), `offline`, or `out` (not a member). */
  state = new State({ phase: 'off' });
  /** Called with sentences for the person, and with refused records. */
  onnotice = () => {};
  onrefused = () => {};
  /** Called with the hashes of blobs that have arrived at the server. */
  onhave = () => {};
  /** Called when the server answers, before anything is pushed to it. */
  onmet = () => {};
  /** Whether what is committed here may go now; call `push` when it may again. */
  mayPush = () => true;

  #replica; #url;
  #socket; #link; #attempt = 0; #retry; #isWanted = false;

  constructor(replica) {
    this.#replica = replica;
    this.#url = `${location.origin.replace('http', 'ws')}/sync?space=${replica.space}`;
    addEventListener('online', () => this.#wake());
    addEventListener('offline', () => this.#lose());
    addEventListener('visibilitychange', () => document.hidden || this.#wake());
  }

  /** Begins to connect, and keeps at it until `stop`. */
  start() {
    this.#isWanted = true;
    this.#connect();
  }

  /** Ends the session. */
  stop() {
    this.#isWanted = false;
    this.#lose();
    this.state.set({ phase: 'off' });
  }

  /** Whether the server answers. */
  get isMet() { return Boolean(this.#link?.isMet); }

  /** Sends what this browser committed meanwhile. */
  push() { this.#link?.push(); }

  #connect() {
    clearTimeout(this.#retry);
    if (this.#socket || !this.#isWanted) return;
    if (this.state.value.phase === 'off') this.state.set({ phase: 'connecting' });
    const socket = new WebSocket(this.#url);
    socket.binaryType = 'arraybuffer';
    this.#socket = socket;
    const link = new Link(this.#replica, socket, {
      ready: () => {
        this.#attempt = 0;
        this.state.set({ phase: 'online' });
      },
      met: () => this.onmet(),
      mayPush: () => this.mayPush(),
      refused: (refusals) => this.onrefused(refusals),
      have: (hashes) => this.onhave(hashes),
      bye: (message) => this.#part(message),
      failed: () => this.#lose(),
    });
    const watch = setTimeout(() => this.#lose(), silentMilliseconds);
    socket.onopen = () => {
      clearTimeout(watch);
      this.#link = link;
      link.begin();
    };
    socket.onclose = () => {
      clearTimeout(watch);
      if (this.#socket === socket) this.#lose();
    };
  }

  /** Gives the socket up at once, whatever state it is in, and comes again later. */
  #lose() {
    const socket = this.#socket;
    if (socket) {
      this.#socket = null;
      this.#link?.end();
      this.#link = null;
      socket.onclose = socket.onmessage = socket.onopen = null;
      socket.close();
    }
    if (!this.#isWanted) return;
    this.state.set({ phase: 'offline' });
    clearTimeout(this.#retry);
    if (this.#attempt === 2) isMember().then((is) => is || this.#leave());
    this.#retry = setTimeout(() => this.#connect(), backoff(this.#attempt++));
  }

  #leave() {
    this.stop();
    this.state.set({ phase: 'out' });
  }

  #wake() {
    if (this.#link) this.#link.probe();
    else if (this.#isWanted && !this.#socket) this.#connect();
  }

  async #part({ code, sentence }) {
    if (code === byes.notAllowed) return this.#leave();
    if (code === byes.storageFailed) this.onnotice(sentence);
    if (code === byes.forked) {
      await this.#replica.renewSite();
      this.#attempt = 0;
    }
    return this.#lose();
  }
}

/** One open socket: what was said on it, and what is still to be said. */
class Link {
  #replica; #socket; #tell;
  #server = null; #theirs = null; #stage = null; #pushes = []; #cursor = 0n;
  #turn = Promise.resolve(); #heard = performance.now(); #watch; #isOver = false;

  constructor(replica, socket, tell) {
    this.#replica = replica;
    this.#socket = socket;
    this.#tell = tell;
  }

  get isMet() { return this.#theirs !== null; }

  begin() {
    const { space, site, seq } = this.#replica;
    this.#socket.onmessage = ({ data }) => this.#receive(new Uint8Array(data));
    this.#send({ type: 'hello', space, site, seq });
    this.#heard = performance.now();
    this.#watch = setInterval(() => this.#listen(), 1000);
  }

  end() {
    this.#isOver = true;
    clearInterval(this.#watch);
  }

  /** Asks whether the other side is there: an open socket can be dead. */
  probe() {
    this.#send({ type: 'ping', number: 1 });
    this.#heard = Math.min(this.#heard, performance.now() - quietMilliseconds);
  }

  /** Sends all own changes that the other side's vector does not cover, in one push. */
  push() {
    if (!this.#theirs || this.#isOver || !this.#tell.mayPush()) return;
    const { device } = this.#replica;
    const records = this.#replica.changesBeyond(this.#theirs);
    const vector = new Map([...this.#replica.vector].filter(([site]) => site.startsWith(device)));
    const isNew = [...vector].some(([site, seq]) => !(seq <= this.#theirs.get(site)));
    if (!isNew) return;
    let part = [];
    let bytes = 0;
    for (const record of records) {
      const size = record.cells.reduce((sum, cell) => sum + cell.bytes.length + 60, 20);
      if (part.length && bytes + size > messageChangesBytes) {
        this.#send({ type: 'changes', records: part });
        [part, bytes] = [[], 0];
      }
      part.push(record);
      bytes += size;
    }
    if (part.length) this.#send({ type: 'changes', records: part });
    this.#cursor += 1n;
    this.#send({ type: 'pushEnd', cursor: this.#cursor, vector });
    this.#pushes.push({ cursor: this.#cursor, vector });
    this.#theirs = vector;
  }

  #send(message) {
    if (this.#socket.readyState === WebSocket.OPEN) {
      this.#socket.send(this.#replica.core.encode(message));
    }
  }

  #listen() {
    const silence = performance.now() - this.#heard;
    if (silence > silentMilliseconds) this.#tell.failed();
    else if (silence > quietMilliseconds) this.#send({ type: 'ping', number: 1 });
  }

  #receive(bytes) {
    this.#heard = performance.now();
    this.#turn = this.#turn
      .then(() => (this.#isOver ? undefined : this.#perform(this.#replica.core.decode(bytes))))
      .catch((error) => this.#fail(error));
  }

  #fail(error) {
    console.warn('The session ended:', error);
    if (!this.#isOver) this.#tell.failed();
  }

  async #perform(message) {
    const replica = this.#replica;
    switch (message.type) {
      case 'hello':
        if (message.space !== replica.space) throw new Error('The server speaks of another space.');
        if (replica.vector.get(message.site) > message.seq) {
          this.#send({ type: 'bye', code: byes.forked, sentence: 'This store was restored.' });
          throw new Error('The server was restored from a copy.');
        }
        this.#server = message.site;
        this.#send({
          type: 'pull', cursor: replica.cursorOf(message.site), vector: replica.vector,
        });
        break;
      case 'pull':
        this.#theirs = message.vector;
        this.#tell.met();
        await replica.acknowledge(message.vector);
        this.push();
        break;
      case 'changes':
        this.#stage ??= replica.stage();
        this.#stage.add(message);
        break;
      case 'pushEnd': {
        const stage = this.#stage ?? replica.stage();
        this.#stage = null;
        const { kept } = await replica.applyPush(stage, {
          cursor: message.cursor, vector: message.vector, server: this.#server,
        });
        kept.then(() => {
          if (this.#isOver) return;
          this.#send({ type: 'acknowledge', cursor: message.cursor });
          this.#tell.ready();
        }).catch((error) => this.#fail(error));
        break;
      }
      case 'acknowledge': {
        const done = this.#pushes.find(({ cursor }) => cursor === message.cursor);
        this.#pushes = this.#pushes.filter(({ cursor }) => cursor > message.cursor);
        if (done) await replica.acknowledge(done.vector);
        break;
      }
      case 'refused':
        await replica.applyRefusals(message.records, this.#pushes[0]?.vector ?? new Map());
        this.#tell.refused(message.records);
        break;
      case 'ping': this.#send({ type: 'pong', number: message.number }); break;
      case 'have': this.#tell.have(message.hashes); break;
      case 'bye': await this.#tell.bye(message); break;
      default:
    }
  }
}
