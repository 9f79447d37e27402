// What a page still holds when its server is gone: handed over to a page of its new
// address, by postMessage between the two windows. This side must be there without a server; the
// other is loaded where a link that opened one was good.

import { isRegister, merges } from '../core/flat.js';

/** What its messages are known by. */
export const word = 'reunion-handoff';

const againMilliseconds = 500;

/** The name under which an offer says how many files wait. */
export const countOf = (entity) => `${entity}s`;

/** The secret of a link: its fragment, which no server is sent. */
export const secretOf = (link) => new URL(link).hash.slice(1);

/**
 * Waiting changes as names and values, for another browser: `{entity, id, alive, creates, values, parts}` of each
 * record.
 */
function waitingWrites(replica) {
  const { model } = replica;
  return replica.changesBeyond().flatMap(({ entity: number, id, cells }) => {
    const entity = model.nameOf(number);
    const record = entity && replica.get(entity, id);
    if (!record) return [];
    const { names } = model.entity(entity);
    const known = cells.filter(({ field, merge }) => isRegister(merge) && names.has(field));
    return [{
      entity, id, alive: record.alive, creates: cells.some(({ merge }) => merge === merges.creation),
      values: Object.fromEntries(known.map(({ field }) => [names.get(field), record[names.get(field)]])),
      parts: model.parts?.waiting(cells),
    }];
  });
}

/** The old page's side: opens the new link and offers what waits here. */
export class Handoff {
  #link; #replica; #uploads; #window; #hear; #again; #changed; #isTaken = false;

  /**
   * `changed({phase, left})`: `opening`, `offered`, `done`, `declined`, `failed`, `other`, `blocked`,
   * `closed`.
   *
   * Throws where the link is none, or has no secret.
   */
  constructor({ link, replica, uploads, changed }) {
    if (!secretOf(link)) throw new TypeError('The link has no secret.');
    this.#link = new URL(link);
    this.#replica = replica;
    this.#uploads = uploads;
    this.#changed = changed;
    this.#hear = ({ source, origin, data }) => {
      if (source === this.#window && origin === this.#link.origin && data?.word === word) this.#heard(data);
    };
    addEventListener('message', this.#hear);
    this.#window = open(this.#link.href);
    if (!this.#window) return void this.#end('blocked');
    changed({ phase: 'opening' });
    // The page there says nothing before its person does, so nobody tells when it is ready.
    this.#again = setInterval(() => (this.#window.closed ? this.#end('closed') : this.#offer()),
      againMilliseconds);
  }

  #say(message) {
    this.#window.postMessage({ word, ...message }, this.#link.origin);
  }

  #offer() {
    const { entity, state } = this.#uploads;
    this.#say({
      step: 'offer', secret: secretOf(this.#link), space: this.#replica.space,
      [countOf(entity)]: state.value.files.size, changes: waitingWrites(this.#replica).length,
    });
  }

  #heard({ step, ticket, left }) {
    if (step === 'asking') {
      clearInterval(this.#again);
      this.#changed({ phase: 'offered' });
    } else if (step === 'take' && !this.#isTaken) {
      this.#isTaken = true;
      this.#give(ticket).catch(() => this.#end('failed'));
    } else if (['done', 'declined', 'failed', 'other'].includes(step)) {
      this.#end(step, left);
    }
  }

  async #give(ticket) {
    const { rows, bytes } = await this.#uploads.waiting();
    this.#say({ step: 'writes', ticket, writes: waitingWrites(this.#replica) });
    for (const row of rows) {
      const { location, ...kept } = row;
      this.#say({ step: this.#uploads.entity, ticket, row: kept, body: await bytes(row) });
    }
    this.#say({ step: 'end', ticket });
  }

  #end(phase, left) {
    clearInterval(this.#again);
    removeEventListener('message', this.#hear);
    this.#changed({ phase, left });
  }
}
