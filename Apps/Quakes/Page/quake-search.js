// The search: a field, and while it is focused an overlay of matches that fills exactly what is
// visible between the field and the on-screen keyboard.

import { icon, make, say } from '/reunion/elements.js';
import * as icons from './icons.js';
import { matcher } from './match.js';
import { fill } from './rows.js';
import { matchLine, searchWords } from './words.js';

const shownMax = 50;

/**
 * The rectangle between the bottom edge of a field and the end of the visual viewport, in the
 * coordinates of `position: fixed`: those of the layout viewport, of which the visual viewport shows a
 * part while a keyboard is up or the page is enlarged.
 */
export function rectangleBelow(fieldBottom, { offsetLeft, offsetTop, width, height }) {
  const bottom = offsetTop + height;
  const top = Math.min(Math.max(fieldBottom, offsetTop), bottom);
  return { left: offsetLeft, top, width, height: bottom - top };
}

/** `<quake-search>`: give it `store`; sends `choose` with a quake. */
export class QuakeSearch extends HTMLElement {
  #input = make('input', {
    type: 'search', id: 'search', role: 'combobox', autocomplete: 'off', spellcheck: false,
    placeholder: searchWords.search, ariaLabel: searchWords.search, ariaExpanded: 'false',
    ariaControls: 'matches', ariaAutocomplete: 'list', enterKeyHint: 'search',
    onfocus: () => this.#open(), onclick: () => this.#open(),
    oninput: () => { this.#open(); this.#find(); },
  });
  #cancel = make('button.plain.cancel', {
    type: 'button', hidden: true, onclick: () => this.#close(),
  }, searchWords.cancel);
  #field = make('.field', { role: 'search' }, icon(icons.search), this.#input, this.#cancel);
  #line = make('p', { role: 'status' });
  #more = make('button.quiet', { type: 'button', hidden: true }, searchWords.showAll);
  #list = make('ul.rows', { id: 'matches', role: 'listbox', ariaLabel: searchWords.matches });
  #overlay = make('.matches', {
    hidden: true,
    onpointerdown: (event) => event.preventDefault(),
    onclick: (event) => this.#tap(event),
  }, make('.hint', {}, this.#line, this.#more), this.#list);
  #active = -1; #found = []; #follow = () => this.#place();

  connectedCallback() {
    this.append(this.#field, this.#overlay);
    this.addEventListener('keydown', (event) => this.#key(event));
    this.addEventListener('focusout', ({ relatedTarget }) => {
      // With the whole window gone it waits; it comes back with the window.
      if (document.hasFocus() && !this.contains(relatedTarget)) this.#close();
    });
    this.store.subscribe(() => { if (this.isOpen) this.#find(); });
  }

  get isOpen() { return !this.#overlay.hidden; }

  #open() {
    if (this.isOpen) return;
    this.classList.add('open');
    this.#overlay.hidden = this.#cancel.hidden = false;
    this.#input.setAttribute('aria-expanded', 'true');
    // The field at the top leaves the matches the most room.
    this.scrollIntoView({ block: 'start' });
    for (const name of ['resize', 'scroll']) {
      visualViewport.addEventListener(name, this.#follow);
      addEventListener(name, this.#follow, { passive: true, capture: true });
    }
    this.#place();
    this.#find();
  }

  /** Ends the search, leaves the field empty, and takes the on-screen keyboard away. */
  #close({ keepsFocus = false } = {}) {
    if (!this.isOpen) return;
    this.classList.remove('open');
    this.#overlay.hidden = this.#cancel.hidden = true;
    this.#input.setAttribute('aria-expanded', 'false');
    this.#input.removeAttribute('aria-activedescendant');
    for (const name of ['resize', 'scroll']) {
      visualViewport.removeEventListener(name, this.#follow);
      removeEventListener(name, this.#follow, { capture: true });
    }
    this.#input.value = '';
    this.#list.replaceChildren();
    if (keepsFocus) this.#input.focus();
    else this.#input.blur();
  }

  #place() {
    const { bottom } = this.#input.getBoundingClientRect();
    const { left, top, width, height } = rectangleBelow(bottom, visualViewport);
    Object.assign(this.#overlay.style, {
      left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${height}px`,
    });
  }

  #find() {
    const search = this.#input.value.trim();
    const isMatch = matcher(search);
    this.#found = [];
    let [count, hidden] = [0, 0];
    const { all, unit, choices } = this.store;
    for (let at = all.length - 1; search && at >= 0; at--) {
      if (!isMatch(all[at])) continue;
      if (!this.store.isStrong(all[at])) hidden++;
      else if (++count <= shownMax) this.#found.push(all[at]);
    }
    say(this.#line, search
      ? matchLine(count, this.#found.length, hidden, choices.value.least) : searchWords.hint);
    this.#more.hidden = !hidden;
    const items = [...this.#list.children];
    this.#found.forEach((quake, index) => {
      const item = items[index] ?? make('li.row', { role: 'option', id: `match-${index}` });
      fill(item, quake, unit);
      if (!items[index]) this.#list.append(item);
    });
    for (const item of items.slice(this.#found.length)) item.remove();
    this.#mark(Math.min(this.#active, this.#found.length - 1));
  }

  #mark(index) {
    this.#active = index;
    [...this.#list.children].forEach((item, at) => {
      item.setAttribute('aria-selected', at === index ? 'true' : 'false');
    });
    const item = this.#list.children[index];
    if (item) this.#input.setAttribute('aria-activedescendant', item.id);
    else this.#input.removeAttribute('aria-activedescendant');
    item?.scrollIntoView({ block: 'nearest' });
  }

  #key(event) {
    const last = this.#found.length - 1;
    if (!this.isOpen) return;
    if (event.key === 'Escape') this.#close({ keepsFocus: event.target === this.#input });
    else if (event.target !== this.#input) return;
    else if (event.key === 'ArrowDown') this.#mark(this.#active >= last ? 0 : this.#active + 1);
    else if (event.key === 'ArrowUp') this.#mark(this.#active <= 0 ? last : this.#active - 1);
    else if (event.key === 'Enter') this.#choose(this.#found[Math.max(this.#active, 0)]);
    else return;
    event.preventDefault();
  }

  #tap({ target }) {
    const item = target.closest('[role=option]');
    if (item) this.#choose(item.quake);
    else if (target === this.#more) this.store.choices.set({ least: null });
    else this.#close();
  }

  #choose(quake) {
    if (!quake) return;
    this.#close();
    this.dispatchEvent(new CustomEvent('choose', { detail: quake }));
  }
}
customElements.define('quake-search', QuakeSearch);
