// The digits, and what else one does to a cell.

import { icon, make, say } from '/reunion/elements.js';
import * as icons from './icons.js';
import { digits } from './rules.js';
import { keyLabel, keyWords } from './words.js';

/** `<sudoku-keys>`: tells `act` with `{name, digit}`. */
export class SudokuKeys extends HTMLElement {
  #acts = {};
  #digits = digits.map((digit) => {
    const left = make('small');
    const button = make('button.digit', { type: 'button', onclick: () => this.#tell('digit', digit) },
      make('span', {}, String(digit)), left);
    return { button, left };
  });

  connectedCallback() {
    if (this.children.length) return;
    const act = (name, path) => {
      this.#acts[name] = make('button.act', { type: 'button', onclick: () => this.#tell(name) },
        icon(path), make('span', {}, keyWords[name]));
      return this.#acts[name];
    };
    this.append(
      make('.acts', { role: 'group', ariaLabel: keyWords.acts },
        act('undo', icons.undo), act('redo', icons.redo), act('notes', icons.pencil), act('hint', icons.bulb)),
      make('.digits', { role: 'group', ariaLabel: keyWords.digits },
        ...this.#digits.map(({ button }) => button), act('erase', icons.erase)));
  }

  /** `left` says how many cells of each digit are missing. */
  show({ left, notes, canUndo, canRedo, isOver, canHint }) {
    this.#digits.forEach(({ button, left: shown }, index) => {
      say(shown, left[index] > 0 ? String(left[index]) : '');
      button.setAttribute('aria-label', keyLabel(index + 1, left[index], notes));
      button.classList.toggle('done', left[index] <= 0);
    });
    this.classList.toggle('noting', notes);
    this.#acts.notes.setAttribute('aria-pressed', notes);
    const can = { undo: canUndo, redo: canRedo, erase: !isOver, notes: !isOver, hint: canHint && !isOver };
    // Still there for who is on it by keyboard.
    for (const [name, is] of Object.entries(can)) this.#acts[name].setAttribute('aria-disabled', !is);
  }

  #tell(name, digit) {
    if (this.#acts[name]?.getAttribute('aria-disabled') === 'true') return;
    this.dispatchEvent(new CustomEvent('act', { detail: { name, digit } }));
  }
}
customElements.define('sudoku-keys', SudokuKeys);
