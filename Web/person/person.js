// The person of this browser: spaces of their own, and the devices that are theirs (the guide own-space.md).

import { ask } from '../conversation/ask.js';
import { backoff } from '../conversation/backoff.js';
import { Database, result } from '../replica/database.js';
import { hex, randomBytes } from '../core/flat.js';
import { Connection } from '../conversation/connection.js';

const encoder = new TextEncoder();
/** Answers that another attempt may change: nobody is known yet, too many ask, or the server has trouble. */
const passes = (status) => !status || [401, 429].includes(status) || (status >= 500 && status !== 507);

/** A connection of an own space, which is opened at the server before anything is said about it. */
class OwnConnection extends Connection {
  #enter; #isWanted = false; #isIn = false; #isAsking = false; #retry; #attempt = 0;

  constructor(replica, enter) {
    super(replica);
    this.#enter = enter;
    addEventListener('online', () => this.#go());
  }

  start() {
    this.#isWanted = true;
    if (this.state.value.phase === 'off' && !this.#isIn) this.state.set({ phase: 'connecting' });
    this.#go();
  }

  stop() {
    this.#isWanted = false;
    clearTimeout(this.#retry);
    super.stop();
  }

  /** Tells a server of the space again: one that took the other's place knows the person's devices alone. */
  isKnown() {
    return this.#enter().then(() => true, ({ status, standing }) => !standing && status !== 401 && passes(status));
  }

  async #go() {
    clearTimeout(this.#retry);
    if (!this.#isWanted || this.#isAsking) return;
    this.#isAsking = true;
    try {
      if (!this.#isIn) await this.#enter();
      this.#isIn = true;
      if (this.#isWanted) super.start();
    } catch (error) {
      if (this.#isWanted) this.#wait(error);
    } finally {
      this.#isAsking = false;
    }
  }

  #wait({ status, standing, message }) {
    // A device that was put out comes back by a new link alone, and what was refused stays refused.
    if (standing || !passes(status)) {
      this.onnotice(message);
      this.stop();
      return this.state.set({ phase: 'out' });
    }
    this.state.set({ phase: 'offline' });
    this.#retry = setTimeout(() => this.#go(), backoff(this.#attempt++, { most: this.pauseMillisecondsMax }));
    return undefined;
  }
}

/** The secret of a pairing link; throws for what is none of this server. */
function secretOf(link) {
  const url = URL.canParse(link) ? new URL(link) : null;
  const secret = url?.hash.startsWith('#pair=') && url.hash.slice('#pair='.length);
  if (!secret) throw new TypeError('That is no pairing link. Have your other device show one.');
  if (url.origin !== location.origin) {
    throw new TypeError(`That link is of another address: open ${url.origin} in this browser.`);
  }
  return secret;
}

export class Person {
  #database; #core;
  /** The names of own spaces that were asked for, by their ids. */
  #names = new Map();

  /** Opens what this browser knows of its person. */
  static async open({ core }) {
    const person = new Person();
    person.#core = core;
    person.#database = await Database.open('reunion-person');
    return person;
  }

  /**
   * The id of a space of the person's own, at once and without a server: the same at every call with this
   * name, and on each of the person's devices once they are paired. `session` opens it at the server.
   */
  async ownSpace(name = '') {
    const { person } = await this.#change(() => {});
    const space = this.#spaceOf(person, name);
    this.#names.set(space, name);
    return space;
  }

  #spaceOf(person, name) { return this.#hash(`reunion own space\0${person}\0${name}`).slice(0, 32); }

  /**
   * The spaces of this name that were the person's own in this browser before it was paired: what is in them is for
   * the app to take into the present one, until `forgetEarlier`.
   */
  async earlierSpaces(name = '') {
    const { earlier = [] } = await this.#change(() => {});
    return earlier.map((person) => this.#spaceOf(person, name));
  }

  /** What was in those spaces is in the present one, or is not wanted. */
  forgetEarlier() { return this.#change((kept) => { delete kept.earlier; }); }

  /** The connection of an own space's replica; `called` is the name of this device in the person's list. */
  connection(replica, { called } = {}) {
    return new OwnConnection(replica, async () => {
      const { person } = await this.#change(() => {});
      // By its name the server sees that it is this person's own.
      const name = this.#names.get(replica.space) ?? '';
      return ask('/own', { person, space: replica.space, name, called });
    });
  }

  /** The same, by its name until version 0.3. */
  session(replica, about) { return this.connection(replica, about); }

  /**
   * A link by which one more device becomes this person's, `{url, expires}`: for ten minutes and one device. It
   * takes the place of the one before. Whoever opens it has all that this person has.
   */
  async pairingLink({ called } = {}) {
    const { person } = await this.#change(() => {});
    const { url, expires } = await ask('/pairing-link', { person, called });
    return { url, expires: new Date(expires) };
  }

  /**
   * Makes this browser one of the person's whose other device shows a link. Gives `{device, spaces}`: the number
   * under which it writes, and the spaces in which it has a role now, own ones last.
   *
   * Where the answer got lost, call it again with the same link: it counts as once. `ownSpace` gives another
   * space afterwards; what was written in the one before stays in this browser, under the id that it had.
   */
  async pair(link, { called } = {}) {
    const secret = secretOf(link);
    const of = this.#hash(secret);
    // On the disk before the server hears of it.
    const { pairing: { key } } = await this.#change((kept) => {
      if (kept.pairing?.of !== of) kept.pairing = { of, key: hex(randomBytes(32)) };
    });
    const answer = await ask('/pair', { pair: secret, key, called });
    await this.#change((kept) => {
      if (kept.person !== answer.person) kept.earlier = [...kept.earlier ?? [], kept.person];
      kept.person = answer.person;
      delete kept.pairing;
    });
    const spaces = answer.spaces.sort((one, other) => Number(one.own ?? false) - Number(other.own ?? false));
    return { device: spaces[0]?.device ?? answer.device, spaces: spaces.map(({ space }) => space) };
  }

  /** The devices of this person: `{number, name, isReplica, isThisOne, since}` of each. */
  async ownDevices() {
    const { devices } = await ask('/person');
    return devices.map(({ device, name, replica, isThis, since }) => ({
      number: device, name, isReplica: replica, isThisOne: isThis, since: new Date(since),
    }));
  }

  /** Takes one of the person's devices away: it opens nothing any more at this server. What it holds it keeps. */
  async remove({ number }) { await ask(`/person/${number}`, undefined, 'DELETE'); }

  /** Forgets whose this browser is, for when somebody else uses it next. Its replicas stay. */
  forget() { return this.#database.run(['meta'], 'readwrite', (store) => { store('meta').delete('person'); }); }

  #hash(text) {
    const hasher = this.#core.hasher();
    hasher.update(encoder.encode(text));
    return hex(hasher.finish());
  }

  /** What is kept, after a change of it; a browser that knows nobody draws somebody new. */
  #change(body) {
    return this.#database.run(['meta'], 'readwrite', async (store) => {
      const kept = await result(store('meta').get('person')) ?? { person: hex(randomBytes(16)) };
      body(kept);
      store('meta').put(kept, 'person');
      return kept;
    });
  }
}

/**
 * Comes into a page as a person: by a link that joins or pairs, or as whom the server or this browser knows. What this
 * browser is, is kept under the name `memory`; `called` is what the person's other devices call it. Gives
 * `{person, member}`.
 */
export async function enterAsPerson({ core, link, memory }, called) {
  const person = await Person.open({ core });
  const known = JSON.parse(localStorage.getItem(memory));
  try {
    const member = link.has('pair') ? await paired(person, called)
      : await (link.has('join') ? ask('/join', { invite: link.get('join') }) : ask('/session'));
    localStorage.setItem(memory, JSON.stringify(member));
    return { person, member };
  } catch (error) {
    // What was opened here stays open, whatever the link or the server says.
    if (known && !link.has('pair')) return { person, member: known };
    throw error;
  }
}

async function paired(person, called) {
  const { device, spaces } = await person.pair(location.href, { called });
  return { device, space: spaces[0] };
}
