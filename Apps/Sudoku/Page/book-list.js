// The puzzles of the book, each with a small picture of how far it is.

import { arrange, draw, iconButton, make, say } from '/reunion/elements.js';
import * as icons from './icons.js';
import { valuesOf } from './rules.js';
import { aboutLine, bookWords } from './words.js';

const squares = (has) => Array.from({ length: 81 }, (_, place) =>
  (has(place) ? `M${(place % 9) * 2.5 + 1} ${Math.floor(place / 9) * 2.5 + 1}h2v2h-2z` : '')).join('');

/** `<book-list>`: tells `open` with an id, and `remove` with a puzzle. */
export class BookList extends HTMLElement {
  #rows = new Map();
  #list = make('ul.rows');
  #empty = make('p.empty', {}, bookWords.empty);

  connectedCallback() { if (!this.children.length) this.append(this.#empty, this.#list); }

  show(current) {
    const { store } = this;
    const { puzzles } = store;
    this.#empty.hidden = puzzles.length > 0;
    const rows = puzzles.map((puzzle) => this.#row(puzzle, puzzle.id === current));
    for (const id of this.#rows.keys()) if (!store.puzzle(id)) this.#rows.delete(id);
    arrange(this.#list, rows);
  }

  #row(puzzle, isCurrent) {
    const { store } = this;
    const cells = store.cellsOf(puzzle);
    const key = cells.map(({ value }) => value).join('');
    let row = this.#rows.get(puzzle.id);
    if (!row) {
      const [name, about] = [make('b'), make('span.about')];
      const open = make('button.row', {
        type: 'button', onclick: () => this.dispatchEvent(new CustomEvent('open', { detail: puzzle.id })),
      }, make('span.words', {}, name, about));
      const remove = iconButton(icons.trash, '', () =>
        this.dispatchEvent(new CustomEvent('remove', { detail: store.puzzle(puzzle.id) })), '.plain');
      row = Object.assign(make('li', {}, open, remove), { open, remove, name, about });
      this.#rows.set(puzzle.id, row);
    }
    if (row.key !== key) {
      row.key = key;
      row.picture?.remove();
      const printed = valuesOf(puzzle.givens);
      row.picture = draw('thumb', ['path', { d: squares((place) => printed[place]), class: 'given' }],
        ['path', { d: squares((place) => !printed[place] && cells[place].value) }]);
      row.open.prepend(row.picture);
    }
    const left = cells.filter(({ value }) => !value).length;
    say(row.name, bookWords.name(puzzle));
    say(row.about, aboutLine({
      left, seconds: store.secondsOf(puzzle), isSolved: Boolean(puzzle.solvedAt),
    }));
    row.classList.toggle('solved', Boolean(puzzle.solvedAt));
    if (isCurrent) row.open.setAttribute('aria-current', 'true');
    else row.open.removeAttribute('aria-current');
    const label = bookWords.remove(`${row.name.textContent}, ${row.about.textContent}`);
    if (row.remove.title !== label) {
      row.remove.title = label;
      row.remove.setAttribute('aria-label', label);
    }
    return row;
  }
}
customElements.define('book-list', BookList);
