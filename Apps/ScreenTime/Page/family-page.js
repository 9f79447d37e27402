// The page: how things stand, and a card for everybody who is followed.

import { iconButton, make, say } from '/reunion/elements.js';
import { later } from '/kit/later.js';
import { noticeArea } from '/kit/notices.js';
import { StateLine } from '/kit/state-line.js';
import { menu } from './icons.js';
import './person-card.js';
import { notLoaded, pageWords, stateLine } from './words.js';

const tickMilliseconds = 5000;

/** `<family-page>`: give it `store` before it is connected. */
export class FamilyPage extends HTMLElement {
  #state = new StateLine(stateLine);
  #said = make('p');
  #follow = make('button.primary', { type: 'button', hidden: true, onclick: () => this.#openMenu() }, pageWords.follow);
  #empty = make('.empty', { hidden: true }, this.#said, this.#follow);
  #main = make('main'); #cards = new Map(); #isAt = 0;

  connectedCallback() {
    const { store } = this;
    this.append(
      make('header.top', {},
        make('.heading', {}, make('h1', {}, pageWords.heading), this.#state.element),
        store.mayDecide ? iconButton(menu, pageWords.menu, () => this.#openMenu()) : ''),
      this.#main, noticeArea());
    this.#main.append(this.#empty);
    store.subscribe(() => this.draw());
    setInterval(() => this.draw(), tickMilliseconds);
  }

  #openMenu() {
    return later(notLoaded, () => import('./menu-sheet.js'), ({ openMenu }) => openMenu(this.store));
  }

  draw() {
    const { people, standing, family } = this.store;
    if (standing.phase === 'online') this.#isAt = Date.now();
    this.#state.show({ ...standing, isAt: this.#isAt });
    for (const [id, card] of this.#cards) {
      if (people.some((person) => person.id === id)) continue;
      card.remove();
      this.#cards.delete(id);
    }
    for (const person of people) {
      if (!this.#cards.has(person.id)) {
        const card = Object.assign(make('person-card'), { person, page: this });
        this.#cards.set(person.id, card);
      }
    }
    const order = people.map(({ id }) => this.#cards.get(id));
    if (order.some((card, at) => this.#main.children[at + 1] !== card)) this.#main.append(...order);
    for (const card of order) card.draw(Date.now());
    const isWaiting = family && family.replica.records('followed').length > people.length;
    const isJoining = isWaiting || standing.phase === 'connecting';
    this.#empty.hidden = people.length > 0;
    say(this.#said, isJoining ? pageWords.joining : pageWords.empty);
    this.#follow.hidden = isJoining || !this.store.mayDecide;
  }
}
customElements.define('family-page', FamilyPage);
