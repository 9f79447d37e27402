// What waits at an old page is taken over: the side of the new address.
//
// Any page of the web can open this one and send it messages. So nothing is said to anyone who does
// not know the secret of the link that opened it, and nothing is taken before its person agreed,
// from this window of this origin, with a ticket that is good once.

import { hex, randomBytes } from '../core/flat.js';
import { countOf, word } from './handoff.js';

/** What may be taken over from one page: where it stands, and what it says next. */
class Receiving {
  #hears; #ask; #take; #answer;
  #phase = 'waiting'; #origin = null; #ticket = null;

  /** `answer(message, origin)` is said to the page that opened this one. */
  constructor({ hears, ask, take, answer }) {
    [this.#hears, this.#ask, this.#take, this.#answer] = [hears, ask, take, answer];
  }

  /** A message of the page that opened this one; another's never gets here. */
  async receive(data, origin) {
    if (this.#phase === 'waiting') await this.#offered(data, origin);
    else if (this.#phase === 'taking' && origin === this.#origin && data.ticket === this.#ticket) {
      await this.#given(data);
    }
  }

  fail() {
    if (this.#phase === 'taking') this.#end({ step: 'failed' });
  }

  #end(message) {
    this.#phase = 'over';
    this.#answer(message, this.#origin);
  }

  async #offered(data, origin) {
    const { step, secret, space, changes } = data;
    // A page without an origin (`null`) gets no further than this: it cannot be answered.
    if (step !== 'offer' || secret !== this.#hears.secret) return;
    this.#origin = origin;
    if (space !== this.#hears.space) return this.#end({ step: 'other' });
    this.#phase = 'asking';
    this.#answer({ step: 'asking' }, origin);
    const files = Number(data[countOf(this.#hears.entity)]);
    const isWanted = await this.#ask({ origin, files, changes: Number(changes) });
    if (!isWanted) return this.#end({ step: 'declined' });
    this.#phase = 'taking';
    this.#ticket = hex(randomBytes(16));
    this.#answer({ step: 'take', ticket: this.#ticket }, origin);
  }

  async #given(data) {
    if (data.step === 'writes') await this.#take.writes(data.writes);
    else if (data.step === this.#hears.entity) await this.#take.file(data);
    else if (data.step === 'end') this.#end({ step: 'done', left: this.#take.left });
  }
}

/**
 * The new page's side: hears the page that opened this one where that knows `secret`, the fragment of
 * the link that opened it, and asks its person with `ask({origin, files, changes})`. Takes once it
 * has `caughtUp` with the server.
 */
export function receiveHandoff({ replica, uploads, secret, ask, caughtUp }) {
  const from = window.opener;
  const take = {
    left: 0,
    async writes(writes) {
      await caughtUp;
      this.left += writes.length - await takeWrites(replica, writes);
    },
    file: ({ row, body }) => uploads.adopt(row, body),
  };
  const receiving = new Receiving({
    hears: { secret, space: replica.space, entity: uploads.entity }, ask, take,
    answer: (message, origin) => from.postMessage({ word, ...message }, origin),
  });
  // One after the other, but for those that come while the person is asked.
  let turn = Promise.resolve();
  addEventListener('message', ({ source, origin, data }) => {
    if (source !== from || data?.word !== word) return;
    const receive = () => receiving.receive(data, origin).catch((error) => {
      console.warn('What waits elsewhere was not taken over:', error);
      receiving.fail();
    });
    if (data.ticket) turn = turn.then(receive);
    else receive();
  });
}

/** Writes what waited elsewhere of one record: one that exists here is only edited. True where it found its place. */
function takeWrite(replica, t, { entity, id, alive, creates, values, parts }) {
  const record = replica.get(entity, id);
  if (creates && alive && !record) t.create(entity, values, id);
  else if (record?.alive && !alive) t.delete(record);
  else if (record && alive) t.set(record, values);
  if (alive && parts?.length && (record || creates)) t.take?.({ entity, id }, parts);
  return record || creates;
}

/** Writes what waited elsewhere as this device's own; gives how much of it found its place. */
function takeWrites(replica, writes) {
  return replica.transaction((t) => writes.filter((write) => {
    try {
      return takeWrite(replica, t, write);
    } catch (error) {
      // What cannot be written here costs itself.
      console.warn('A change was not taken over:', error);
      return false;
    }
  }).length);
}
