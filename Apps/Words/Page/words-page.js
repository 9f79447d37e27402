// The page: where one is at the moment, from the tables that are open to the end of a round.

import { iconButton, make, say } from '/reunion/elements.js';
import { noticeArea, notify } from '/reunion/notices.js';
import '/reunion/players.js';
import './home-view.js';
import * as icons from './icons.js';
import './lobby-view.js';
import './play-view.js';
import './result-view.js';
import { notLoaded, pageWords, stateLine } from './words.js';

const briefMilliseconds = 300;

/** `<words-page>`: give it `store` before it is connected. */
export class WordsPage extends HTMLElement {
  #line = make('span');
  #state = make('p.state', { role: 'status' }, this.#line);
  #leave = make('button.quiet', { type: 'button', hidden: true, onclick: () => this.store.leave() }, pageWords.leave);
  #main = make('main');
  #view; #telling = 0;

  connectedCallback() {
    const { store } = this;
    this.append(make('header.top', {},
      make('.heading', {}, make('h1', {}, pageWords.heading), this.#state),
      make('.acts', {}, this.#leave, iconButton(icons.history, pageWords.history, () => this.#history()))),
    this.#main, noticeArea());
    store.subscribe(() => this.update());
  }

  async #history() {
    try {
      (await import('./history-sheet.js')).openHistory(this.store);
    } catch (error) {
      console.warn(error);
      notify(notLoaded);
    }
  }

  update() {
    const { store } = this;
    const { game, standing } = store;
    const round = game && store.roundOf(game);
    const name = !game ? 'home-view' : !round ? 'lobby-view' : round.isOver ? 'result-view' : 'play-view';
    if (this.#view?.localName !== name || (name === 'play-view' && this.#view.round.id !== round.id)) {
      this.#view = Object.assign(make(name), { store, round });
      this.#main.replaceChildren(this.#view);
      this.#view.begin?.();
    }
    this.#leave.hidden = !game;
    this.#view.show({ game, round });
    if (standing.phase !== 'online' || !standing.records) this.#tellState();
    else this.#telling ||= setTimeout(() => this.#tellState(), briefMilliseconds);
  }

  #tellState() {
    clearTimeout(this.#telling);
    this.#telling = 0;
    const { standing } = this.store;
    say(this.#line, stateLine(standing));
    this.#state.dataset.phase = standing.phase !== 'online' ? 'offline' : standing.records ? 'sending' : 'safe';
  }
}
customElements.define('words-page', WordsPage);
