// The connection to the server, which comes again for ever: a session over each WebSocket, as a leaf
// (docs/protocol.md §2).

import { ask, isMember } from './ask.js';
import { backoff } from './backoff.js';
import { State } from '../replica/state.js';

const silentMilliseconds = 15_000;
const byes = { notAllowed: 3, renewed: 4, storageFailed: 5 };
/** Loaded once the page is shown. */
let Session;

export class Connection {
  /**
   * `{phase, isBlocked}`: `off`, `connecting`, `online` (caught up), `offline`, or `out` (not a member); and whether
   * the server answers, while something keeps the page from staying connected to it.
   */
  state = new State({ phase: 'off', isBlocked: false });
  /** Called with sentences for the person, and with refused records. */
  onnotice = () => {};
  onrefused = () => {};
  /** Called with the hashes of blobs that have arrived at the server. */
  onhave = () => {};
  /** Called when the server answers, before anything is pushed to it. */
  onmet = () => {};
  /** Whether what is committed here may go now; call `push` when it may again. */
  mayPush = () => true;
  /** What devices show each other, once somebody wants it. */
  presence = null;
  /** Where what was written is, once somebody wants it. */
  standing = null;
  /** The longest pause between two tries to reach the server. */
  pauseMillisecondsMax = 30_000;

  #replica; #url;
  #socket; #session; #unopened = 0; #attempt = 0; #retry; #isWanted = false;
  /** After how many milliseconds the server wants this page back. */
  #later = 0;

  constructor(replica) {
    this.#replica = replica;
    this.#url = `${location.origin.replace('http', 'ws')}/sync?space=${replica.space}`;
    replica.onCommit(() => this.push());
    addEventListener('online', () => this.#wake());
    addEventListener('offline', () => this.#lose());
    addEventListener('visibilitychange', () => {
      if (document.hidden) return;
      replica.refresh().catch(() => {});
      this.#wake();
    });
  }

  /** Begins to connect, and keeps at it until `stop`. */
  start() {
    this.#isWanted = true;
    this.#connect();
  }

  /** Ends the connection. */
  stop() {
    this.#isWanted = false;
    this.#lose();
    this.state.set({ phase: 'off' });
  }

  /** Asks whether the server still knows this browser; false only where it says no. */
  isKnown() { return isMember(); }

  /** Whether the server answers. */
  get isMet() { return Boolean(this.#session?.isMet); }

  /** Sends what this device shows. Returns false if the link is too slow for it just now. */
  show(bytes) { return this.#session?.show(bytes) ?? true; }

  /** Sends what this browser committed meanwhile. */
  push() { this.#session?.push(); }

  async #connect() {
    clearTimeout(this.#retry);
    if (this.#socket || !this.#isWanted) return;
    if (this.state.value.phase === 'off') this.state.set({ phase: 'connecting' });
    if (!Session) {
      try {
        const loaded = await import('./session.js');
        await loaded.load(this.#replica);
        ({ Session } = loaded);
      } catch (error) {
        console.warn(error);
        return this.#lose();
      }
      if (this.#socket || !this.#isWanted) return;
    }
    const socket = new WebSocket(this.#url);
    socket.binaryType = 'arraybuffer';
    this.#socket = socket;
    const watch = setTimeout(() => this.#lose(), silentMilliseconds);
    socket.onopen = () => {
      clearTimeout(watch);
      this.#unopened = 0;
      this.#session = new Session(this.#replica, socket, {
        ready: () => {
          this.#attempt = 0;
          this.state.set({ phase: 'online', isBlocked: false });
        },
        met: () => this.onmet(),
        heard: () => this.#taps('began'),
        shown: (tap, bytes) => this[tap]?.heard(bytes),
        mayPush: () => this.mayPush(),
        refused: (refusals) => this.onrefused(refusals),
        have: (hashes) => this.onhave(hashes),
        later: (milliseconds) => { this.#later = milliseconds; },
        ended: (ending) => this.#part(ending),
        failed: () => this.#lose(),
      });
      this.#session.begin();
    };
    socket.onclose = () => {
      clearTimeout(watch);
      if (this.#socket === socket) this.#lose();
    };
  }

  #taps(what) { for (const tap of [this.presence, this.standing]) tap?.[what](); }

  /** Gives the socket up at once, whatever state it is in, and comes again later. */
  #lose() {
    const socket = this.#socket;
    if (socket) {
      this.#socket = null;
      if (!this.#session) this.#unopened += 1;
      this.#session?.end();
      this.#session = null;
      this.#taps('ended');
      socket.onclose = socket.onmessage = socket.onopen = null;
      socket.close();
    }
    if (!this.#isWanted) return;
    this.state.set({ phase: 'offline' });
    clearTimeout(this.#retry);
    // Now and then: the server may have been away, and another may have come in its place.
    if (this.#attempt % 3 === 2) this.isKnown().then((is) => is || this.#leave());
    if (this.#unopened > 2) ask('/session').then(() => this.#unopened && this.state.set({ isBlocked: true }), () => {});
    const pause = backoff(this.#attempt++, { most: this.pauseMillisecondsMax });
    this.#retry = setTimeout(() => this.#connect(), Math.max(pause, this.#later * (1 + Math.random())));
    this.#later = 0;
  }

  #leave() {
    this.stop();
    this.state.set({ phase: 'out' });
  }

  #wake() {
    if (this.#session) this.#session.probe();
    else if (this.#isWanted && !this.#socket) this.#connect();
  }

  #part({ code, sentence }) {
    if (code === byes.notAllowed) return this.#leave();
    if (code === byes.storageFailed || code === byes.renewed) this.onnotice(sentence);
    if (code === byes.renewed) this.#attempt = 0;
    return this.#lose();
  }
}
