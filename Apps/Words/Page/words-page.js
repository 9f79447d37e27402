// The page: where one is at the moment, from the tables that are open to the end of a round.

import { iconButton, make } from '/reunion/elements.js';
import { later, loadAtRest } from '/kit/later.js';
import { noticeArea } from '/kit/notices.js';
import '/kit/players.js';
import { StateLine } from '/kit/state-line.js';
import './home-view.js';
import * as icons from './icons.js';
import './lobby-view.js';
import './play-view.js';
import { notLoaded, pageWords, stateLine } from './words.js';

const history = () => import('./history-sheet.js');
const results = () => import('./result-view.js');
const typing = () => import('./typing.js');

/** `<words-page>`: give it `store` before it is connected. */
export class WordsPage extends HTMLElement {
  #state = new StateLine(stateLine);
  #leave = make('button.quiet', { type: 'button', hidden: true, onclick: () => this.store.leave() }, pageWords.leave);
  #main = make('main');
  #view;

  connectedCallback() {
    const { store } = this;
    this.append(make('header.top', {},
      make('.heading', {}, make('h1', {}, pageWords.heading), this.#state.element),
      make('.acts', {}, this.#leave, iconButton(icons.history, pageWords.history,
        () => later(notLoaded, history, ({ openHistory }) => openHistory(store))))),
    this.#main, noticeArea());
    store.subscribe(() => this.update());
    loadAtRest([history, results, () => typing().then(({ Typing }) => {
      store.typing = new Typing(store.connection, () => store.changed());
    })]);
  }

  update() {
    const { store } = this;
    const { game, standing } = store;
    const round = game && store.roundOf(game);
    const name = !game ? 'home-view' : !round ? 'lobby-view' : round.isOver ? 'result-view' : 'play-view';
    // Nobody has played a round when a page comes for the first time.
    if (!customElements.get(name)) later(notLoaded, results, () => this.update());
    else if (this.#view?.localName !== name || (name === 'play-view' && this.#view.round.id !== round.id)) {
      this.#view = Object.assign(make(name), { store, round });
      this.#main.replaceChildren(this.#view);
      this.#view.begin?.();
    }
    this.#leave.hidden = !game;
    if (this.#view?.localName === name) this.#view.show({ game, round });
    this.#state.show(standing);
  }
}
customElements.define('words-page', WordsPage);
