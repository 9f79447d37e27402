// The grid: 81 cells that say what they hold, and show what a hint says.

import { make, say } from '/reunion/elements.js';
import { bitOf, boxOf, columnOf, digits, digitsOf, isIn, places, rowOf, see } from './rules.js';
import { boardWords, cellLabel } from './words.js';

const setOrRemove = (element, attribute, isSet) => (isSet ? element.setAttribute(attribute, 'true')
  : element.removeAttribute(attribute));
const steps = { ArrowUp: -9, ArrowDown: 9, ArrowLeft: -1, ArrowRight: 1 };

/** `<sudoku-board>`: tells `choose` with a place. */
export class SudokuBoard extends HTMLElement {
  #cells = places.map((place) => {
    const value = make('span.value');
    const notes = make('span.notes', {}, ...digits.map(() => make('i')));
    const cell = make('.cell', { role: 'gridcell', tabIndex: -1 }, value, notes);
    cell.dataset.place = place;
    return { cell, value, notes: [...notes.children] };
  });
  #place = 0; #shown = [];

  connectedCallback() {
    if (this.children.length) return;
    this.setAttribute('role', 'grid');
    this.setAttribute('aria-label', boardWords.label);
    // A Sudoku is read from left to right, whatever runs around it.
    this.dir = 'ltr';
    for (let row = 0; row < 9; row++) {
      this.append(make('.row', { role: 'row' },
        ...this.#cells.slice(row * 9, row * 9 + 9).map(({ cell }) => cell)));
    }
    this.addEventListener('pointerdown', (event) => {
      const cell = event.target.closest('.cell');
      if (cell) this.#choose(Number(cell.dataset.place));
    });
    this.addEventListener('focusin', ({ target }) => {
      const place = Number(target.dataset.place);
      if (place !== this.#place) this.#choose(place);
    });
    this.addEventListener('keydown', (event) => this.press(event));
  }

  /** Puts the focus on a cell. */
  focusCell(place = this.#place) { this.#cells[place].cell.focus({ preventScroll: true }); }

  /**
   * Shows the cells, and the chosen one; `wrong` is a set of places, which do not fit or are in doubt, and `fingers`
   * has the colours of others' fingers by place.
   */
  show({ cells, place, wrong, hint, peers, fingers, isDoubt = false }) {
    this.#place = place;
    const same = cells[place]?.value;
    cells.forEach((each, at) => {
      const { cell, value, notes } = this.#cells[at];
      const isHinted = hint?.houses.some((house) => isIn(at, house));
      const state = [
        each.isGiven && 'given', each.value ? 'filled' : '', at === place && 'chosen',
        peers && see(at, place) && 'peer', same && each.value === same && at !== place && 'same',
        wrong.has(at) && 'wrong', isHinted && 'house', hint?.mistakes.includes(at) && 'mistaken',
        hint?.placed?.[0] === at && 'placed',
      ].filter(Boolean).join(' ');
      if (cell.state !== state) {
        cell.className = `cell ${state}`;
        cell.state = state;
        cell.tabIndex = at === place ? 0 : -1;
        cell.setAttribute('aria-selected', at === place);
        setOrRemove(cell, 'aria-invalid', wrong.has(at) && !isDoubt);
        setOrRemove(cell, 'aria-readonly', each.isGiven);
      }
      this.#point(this.#cells[at], fingers?.get(at));
      if (cell.dataset.player !== String(each.player ?? '')) cell.dataset.player = each.player ?? '';
      const isPlaced = hint?.placed?.[0] === at;
      say(value, each.value ? String(each.value) : isPlaced ? String(hint.placed[1]) : '');
      const mark = (list) => (list ?? []).reduce((mask, [where, digit]) =>
        (where === at ? mask | bitOf(digit) : mask), 0);
      const [shown, removed] = each.value || isPlaced ? [0, 0] : [mark(hint?.shown), mark(hint?.removed)];
      const before = this.#shown[at] ?? 0;
      const now = (each.value || isPlaced ? 0 : each.notes | shown | removed) | shown << 9 | removed << 18;
      if (before !== now) {
        this.#shown[at] = now;
        digits.forEach((digit, index) => {
          say(notes[index], now & bitOf(digit) ? String(digit) : '');
          notes[index].className = removed & bitOf(digit) ? 'out' : shown & bitOf(digit) ? 'why' : '';
        });
      }
      const label = cellLabel({
        row: rowOf(at) + 1, column: columnOf(at) + 1, box: boxOf(at) + 1, value: each.value,
        notes: digitsOf(each.notes), isGiven: each.isGiven, by: each.by,
        flaw: wrong.has(at) && (isDoubt ? boardWords.doubtful : boardWords.wrong),
      });
      if (cell.label !== label) {
        cell.label = label;
        cell.setAttribute('aria-label', label);
      }
    });
  }

  /** Shows a finger in a cell by its colour; undefined for none. */
  #point(parts, color) {
    if (parts.finger?.dataset.player === String(color)) return;
    parts.finger?.remove();
    parts.finger = color === undefined ? null : make('i.finger', { ariaHidden: true });
    if (!parts.finger) return;
    parts.finger.dataset.player = color;
    parts.cell.append(parts.finger);
  }

  #choose(place) { this.dispatchEvent(new CustomEvent('choose', { detail: place })); }

  /** Moves by an arrow, Home or End. */
  press(event) {
    const { key } = event;
    const step = steps[key];
    const to = this.#place + (step ?? 0);
    if (step) {
      const stays = Math.abs(step) === 9 ? to >= 0 && to < 81 : rowOf(to) === rowOf(this.#place) && to >= 0;
      event.preventDefault();
      if (stays) this.#go(to);
    } else if (key === 'Home' || key === 'End') {
      event.preventDefault();
      const last = key === 'End' ? 8 : 0;
      this.#go(event.ctrlKey ? last * 10 : rowOf(this.#place) * 9 + last);
    }
  }

  #go(place) {
    this.#choose(place);
    this.focusCell(place);
  }
}
customElements.define('sudoku-board', SudokuBoard);
