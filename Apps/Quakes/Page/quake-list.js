// The list of quakes, the newest first, as buttons: `partCount` at first, and more when asked for.

import { make, say } from '/reunion/elements.js';
import { fill } from './rows.js';
import { pageWords } from './words.js';

const partCount = 60;

/** `<quake-list>`: sends `choose` with a quake. */
export class QuakeList extends HTMLElement {
  #list = make('ol.rows', { ariaLabel: pageWords.newestFirst });
  #more = make('button.quiet.more', {
    type: 'button', hidden: true, onclick: () => this.#showMore(),
  });
  #empty = make('p.empty', { hidden: true });
  #items = new Map(); #count = partCount; #quakes = []; #unit; #chosenID = null;

  connectedCallback() {
    this.append(this.#list, this.#empty, this.#more);
  }

  /** Shows these quakes, given the oldest first. */
  show(quakes, unit, emptyText) {
    [this.#quakes, this.#unit] = [quakes, unit];
    const shown = quakes.slice(-this.#count).reverse();
    const ids = new Set(shown.map(({ id }) => id));
    for (const [id, item] of this.#items) {
      if (ids.has(id)) continue;
      item.remove();
      this.#items.delete(id);
    }
    shown.forEach((quake, index) => {
      const item = this.#item(quake.id);
      fill(item.firstChild, quake, unit);
      // What stands where it belongs is not touched: focus and scrolling stay as they are.
      if (this.#list.children[index] !== item) {
        this.#list.insertBefore(item, this.#list.children[index] ?? null);
      }
    });
    const left = quakes.length - shown.length;
    this.#more.hidden = !left;
    if (left) say(this.#more, pageWords.more(Math.min(left, partCount)));
    this.#empty.hidden = quakes.length > 0;
    say(this.#empty, emptyText);
  }

  /** Marks the quake that the map marks, and brings it into view where the list shows it. */
  choose(quake) {
    this.#mark(this.#chosenID, null);
    this.#chosenID = quake?.id ?? null;
    this.#mark(this.#chosenID, 'true');
    const item = this.#items.get(this.#chosenID);
    if (item && getComputedStyle(this).overflowY === 'auto') item.scrollIntoView({ block: 'nearest' });
  }

  /** Moves the focus to a quake's row, if it is there. */
  focusQuake(id) { this.#items.get(id)?.firstChild.focus(); }

  #mark(id, value) {
    const button = this.#items.get(id)?.firstChild;
    if (!button) return;
    if (value) button.setAttribute('aria-current', value);
    else button.removeAttribute('aria-current');
  }

  #item(id) {
    let item = this.#items.get(id);
    if (item) return item;
    const button = make('button.row', {
      type: 'button',
      onclick: () => this.dispatchEvent(new CustomEvent('choose', { detail: button.quake })),
    });
    item = make('li', {}, button);
    this.#items.set(id, item);
    if (id === this.#chosenID) button.setAttribute('aria-current', 'true');
    return item;
  }

  #showMore() {
    const last = this.#list.lastElementChild;
    this.#count += partCount;
    this.show(this.#quakes, this.#unit, '');
    (last?.nextElementSibling ?? last)?.firstChild.focus();
  }
}
customElements.define('quake-list', QuakeList);
