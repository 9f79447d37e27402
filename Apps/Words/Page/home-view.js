// Where one comes in: what one is called, the tables that are open, and a new one.

import { fill, make, say } from '/reunion/elements.js';
import { notify } from '/kit/notices.js';
import { radios } from '/kit/sheets.js';
import { gameLine, homeWords, listName } from './words.js';

const nameMemory = 'words-name';
const listMemory = 'words-list';

/** `<home-view>`: give it `store`. */
export class HomeView extends HTMLElement {
  #name = make('input', {
    value: localStorage.getItem(nameMemory) ?? '', maxLength: 24, autocomplete: 'given-name', dir: 'auto',
  });
  #problem = make('p.problem', { role: 'alert' });
  #lists = make('fieldset', { hidden: true });
  #games = make('ul.games');

  connectedCallback() {
    if (this.children.length) return;
    const open = (hasBot) => () => this.#go((name) => this.store.open({ name, hasBot, list: this.#list }));
    this.append(make('p.about', {}, homeWords.about),
      make('label.named', {}, homeWords.name, this.#name), this.#problem,
      make('h2', {}, homeWords.games), this.#games,
      make('h2', {}, homeWords.fresh), this.#lists,
      make('.acts', {},
        make('button.primary', { type: 'button', onclick: open(false) }, homeWords.open),
        make('button.quiet', { type: 'button', onclick: open(true) }, homeWords.bot)));
    this.#showLists();
  }

  get #list() { return this.#lists.querySelector(':checked')?.value ?? this.store.clock.lists[0] ?? ''; }

  /** Which lists there are is known once the server's time is. */
  async #showLists() {
    const { clock } = this.store;
    if (!clock.lists.length) await clock.measure().catch(() => {});
    if (clock.lists.length < 2) return;
    const chosen = localStorage.getItem(listMemory) ?? clock.lists[0];
    this.#lists.replaceWith(this.#lists = radios(homeWords.list, {
      name: 'list', values: clock.lists, chosen, labelOf: (list) => make('span', {}, listName(list)),
      choose: (list) => localStorage.setItem(listMemory, list),
    }));
  }

  async #go(act) {
    const name = this.#name.value.trim();
    say(this.#problem, name ? '' : homeWords.nameless);
    if (!name) return this.#name.focus();
    localStorage.setItem(nameMemory, name);
    return act(name).catch((error) => notify(error.message, { stays: true }));
  }

  show() {
    const { store } = this;
    const games = store.games.map((game) => ({ game, seats: store.seatsOf(game) }));
    const shown = games.map(({ game, seats }) => [game.id, seats.map(({ name }) => name)]);
    fill(this.#games, shown, () => (games.length ? games.map(({ game, seats }) => make('li', {},
      make('span.words', { dir: 'auto' }, gameLine(game, seats.map(({ name }) => name))),
      make('button.quiet', {
        type: 'button', disabled: store.isFull(game),
        onclick: () => this.#go(async (name) => await store.sit(game, name) || say(this.#problem, homeWords.full)),
      }, homeWords.join))) : [make('li.empty', {}, homeWords.none)]));
  }
}
customElements.define('home-view', HomeView);
