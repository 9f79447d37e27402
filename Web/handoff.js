// What a page still holds when its server is gone: handed over to a page of the album's new
// address, by postMessage between the two windows. This side must be there without a server; the
// other is loaded where one opened the page.

/** What its messages are known by. */
export const word = 'reunion-handoff';

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
