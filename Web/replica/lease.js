// One tab of a browser speaks with the server and sends the files; the others follow.
// `navigator.locks` does not exist on plain HTTP: a row in IndexedDB and a question to the
// other tabs take its place.

import { result } from './database.js';
import { hex, randomBytes } from '../core/flat.js';

const holdMilliseconds = 8000;

class Lease {
  #replica; #changed; #about; #isHeld = false; #id = hex(randomBytes(8)); #asked = 0;

  /**
   * Calls `changed(isHeld)` whenever this tab gains or loses the lease; `about()` is what a tab that
   * asks is told beside it.
   */
  constructor(replica, changed, about) {
    this.#replica = replica;
    this.#about = about;
    this.#changed = changed;
    this.#try();
    setInterval(() => this.#try(), holdMilliseconds / 4);
    addEventListener('visibilitychange', () => document.hidden || this.#ask());
    addEventListener('pagehide', () => this.#leave());
    addEventListener('pageshow', () => this.#try());
  }

  get isHeld() { return this.#isHeld; }

  /** Hears what other tabs say. */
  hear({ lease, tab }) {
    if (tab === this.#id) return;
    if (lease === 'who' && this.#isHeld) {
      if (document.hidden) this.#release();
      else this.#replica.tell({ lease: 'held', tab: this.#id, ...this.#about() });
    }
    if (lease === 'held') this.#asked = 0;
    if (lease === 'free') this.#try();
  }

  #ask() {
    if (this.#isHeld || this.#asked) return;
    this.#asked = 1;
    this.#replica.tell({ lease: 'who', tab: this.#id });
    setTimeout(() => {
      if (this.#asked) this.#try(true);
      this.#asked = 0;
    }, 400);
  }

  async #try(isUnanswered = false) {
    const isMine = await this.#write(async (store) => {
      const [held, now] = [await result(store('meta').get('lease')), Date.now()];
      const isFree = !held || held.tab === this.#id || held.until < now || isUnanswered;
      if (isFree) store('meta').put({ tab: this.#id, until: now + holdMilliseconds }, 'lease');
      return isFree;
    }).catch(() => this.#isHeld);
    if (!isMine) this.#ask();
    this.#set(isMine);
  }

  async #release() {
    this.#set(false);
    await this.#write(async (store) => {
      const held = await result(store('meta').get('lease'));
      if (held?.tab === this.#id) store('meta').delete('lease');
    }).catch(() => {}); // On a full disk the row stays until it is over.
    this.#replica.tell({ lease: 'free', tab: this.#id });
  }

  /** As the page goes: without looking, so that it ends without the page. */
  #leave() {
    if (!this.#isHeld) return;
    this.#set(false);
    this.#write((store) => { store('meta').delete('lease'); })
      .then(() => this.#replica.tell({ lease: 'free', tab: this.#id }), () => {});
  }

  #write(body) { return this.#replica.database.run(['meta'], 'readwrite', body, 'relaxed'); }

  #set(isHeld) {
    if (this.#isHeld === isHeld) return;
    this.#isHeld = isHeld;
    this.#changed(isHeld);
  }
}

/** Runs a connection in one tab at a time; the others show how it stands. `changed(isHeld)` hears of it. */
export function runInOneTab(replica, connection, changed = () => {}) {
  const lease = new Lease(replica, (isHeld) => {
    if (isHeld) connection.start();
    else connection.stop();
    changed(isHeld);
  }, () => ({ phase: connection.state.value.phase }));
  replica.onmessage = (message) => {
    if (message.lease) lease.hear(message);
    if (message.phase && !lease.isHeld) connection.state.set({ phase: message.phase });
  };
  connection.state.subscribe(({ phase }) => { if (lease.isHeld) replica.tell({ phase }); });
}
