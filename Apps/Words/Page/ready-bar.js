// The players who are ready for the next round, and one's own word on it.

import { make, say } from '/reunion/elements.js';
import { notify } from '/kit/notices.js';
import { lobbyWords, notLoaded, waitingLine } from './words.js';

/** `<ready-bar>`: give it `store`, and the button's `label`. */
export class ReadyBar extends HTMLElement {
  #line = make('p', { role: 'status' });
  #ready; #hurry;

  connectedCallback() {
    if (this.children.length) return;
    const button = (kind, text, hurries) => make(kind, {
      type: 'button', onclick: () => this.store.getReady(hurries).catch(() => notify(notLoaded)),
    }, text);
    this.#ready = button('button.primary', this.label, false);
    this.#hurry = button('button.quiet', lobbyWords.hurry, true);
    this.append(this.#line, make('.acts', {}, this.#ready, this.#hurry));
  }

  /** Shows it, and gives who sits there with `isReady`. */
  show(game) {
    const { store } = this;
    const next = store.nextOf(game);
    const seats = store.seatsOf(game).map((seat) => ({
      ...seat, isReady: seat.ready === next, isMine: seat.creator === store.device,
    }));
    const isReady = seats.some((seat) => seat.isMine && seat.isReady);
    const others = seats.filter((seat) => !seat.isReady && !seat.isMine).map(({ name }) => name);
    const count = seats.length + (game.hasBot ? 1 : 0);
    const readyCount = seats.filter((seat) => seat.isReady).length + (game.hasBot ? 1 : 0);
    say(this.#line, waitingLine({ isReady, others, count }));
    this.#ready.hidden = isReady;
    this.#hurry.hidden = !(isReady && others.length && readyCount > 1);
    return seats;
  }
}
customElements.define('ready-bar', ReadyBar);
