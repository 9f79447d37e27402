// What a page still holds when its server is gone: handed over to a page of the album's new
// address, by postMessage between the two windows.

const word = 'reunion-handoff';
const first = 30_000;

/** The old page's side: opens the new link and offers what waits here. */
export class Handoff {
  #link; #replica; #uploads; #window; #hear;

  /** `changed({phase, left})`: `opening`, `offered`, `done`, `declined`, `other`, `closed`. */
  constructor({ link, replica, uploads, changed }) {
    this.#link = new URL(link);
    this.#replica = replica;
    this.#uploads = uploads;
    this.#hear = ({ source, origin, data }) => {
      if (source !== this.#window || origin !== this.#link.origin || data?.word !== word) return;
      if (data.step === 'ready') this.#offer(data, changed);
      if (data.step === 'take') this.#give();
      if (data.step === 'done' || data.step === 'declined') {
        removeEventListener('message', this.#hear);
        changed({ phase: data.step, left: data.left });
      }
    };
    addEventListener('message', this.#hear);
    this.#window = open(this.#link.href);
    changed({ phase: this.#window ? 'opening' : 'closed' });
  }

  #say(message) {
    this.#window.postMessage({ word, ...message }, this.#link.origin);
  }

  #offer({ space }, changed) {
    if (space !== this.#replica.space) {
      this.#say({ step: 'other' });
      return changed({ phase: 'other' });
    }
    this.#say({
      step: 'offer', space, photos: this.#uploads.state.value.photos.size,
      changes: this.#replica.waitingWrites().length,
    });
    return changed({ phase: 'offered' });
  }

  async #give() {
    const { rows, bytes } = await this.#uploads.waiting();
    this.#say({ step: 'writes', writes: this.#replica.waitingWrites() });
    for (const row of rows) {
      const { location, ...kept } = row;
      this.#say({ step: 'photo', row: kept, body: await bytes(row) });
    }
    this.#say({ step: 'end' });
  }
}

/**
 * The new page's side: says that it is ready to the page that opened it, and asks its person with
 * `ask({origin, photos, changes})` before it takes anything, once it has `caughtUp` with the
 * server. Resolves with how much was taken, null where nobody offers.
 */
export function receiveHandoff({ replica, uploads, ask, caughtUp }) {
  const from = window.opener;
  if (!from) return Promise.resolve(null);
  return new Promise((resolve, reject) => {
    let origin;
    let [taken, left] = [0, 0];
    let turn = Promise.resolve();
    const finish = (value) => {
      removeEventListener('message', hear);
      resolve(value);
    };
    const say = (message) => from.postMessage({ word, ...message }, origin);
    const perform = async (data) => {
      if (data.step === 'offer' && data.space === replica.space) {
        if (!data.photos && !data.changes) return finish(null);
        if (await ask({ origin, photos: data.photos, changes: data.changes })) {
          say({ step: 'take' });
        } else {
          say({ step: 'declined' });
          finish(null);
        }
      } else if (data.step === 'writes') {
        await caughtUp;
        const count = await takeWrites(replica, data.writes);
        taken += count;
        left += data.writes.length - count;
      } else if (data.step === 'photo') {
        await uploads.adopt(data.row, data.body);
        if (data.row.use === 'original') taken += 1;
      } else if (data.step === 'end') {
        say({ step: 'done', taken, left });
        finish(taken);
      } else if (data.step === 'other') {
        finish(null);
      }
      return undefined;
    };
    const hear = (event) => {
      if (event.source !== from || event.data?.word !== word) return;
      origin ??= event.origin;
      if (event.origin !== origin) return;
      turn = turn.then(() => perform(event.data)).catch(reject);
    };
    addEventListener('message', hear);
    from.postMessage({ word, step: 'ready', space: replica.space }, '*');
    setTimeout(() => origin ?? finish(null), first);
  });
}

/**
 * Writes what waited elsewhere as this device's own; records that exist here are only edited.
 * Gives how many found their place.
 */
function takeWrites(replica, writes) {
  return replica.transaction((t) => writes.filter(({ entity, id, alive, creates, values }) => {
    const record = replica.get(entity, id);
    if (creates && alive && !record) t.create(entity, values, id);
    else if (record?.alive && !alive) t.delete(record);
    else if (record && alive) t.set(record, values);
    return record || creates;
  }).length);
}
