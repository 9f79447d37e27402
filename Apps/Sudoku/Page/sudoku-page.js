// The page: the puzzle in play, its keys, what is said of it, and the book.

import { icon, iconButton, make, say } from '/reunion/elements.js';
import { later, loadAtRest } from '/kit/later.js';
import { noticeArea, notify } from '/kit/notices.js';
import { StateLine } from '/kit/state-line.js';
import './book-list.js';
import { hintFor, makePuzzle, readPuzzle } from './brain.js';
import { History } from './history.js';
import * as icons from './icons.js';
import { Play } from './play.js';
import { preferences } from './preferences.js';
import { clashesOf, digits, places, valuesOf } from './rules.js';
import { gameMemory } from './store.js';
import './sudoku-board.js';
import './sudoku-keys.js';
import { Timer } from './timer.js';
import { aboutLine, doneLine, notLoaded, pageWords, stateLine, togetherLine } from './words.js';

const none = new Set();
// What is loaded when it is asked for, or once the page rests.
const parts = {
  fresh: () => import('./new-sheet.js'), menu: () => import('./menu-sheet.js'), table: () => import('./table-sheet.js'),
  together: () => import('./together.js'),
};

/** `<sudoku-page>`: give it `store` before it is connected. */
export class SudokuPage extends HTMLElement {
  #state = new StateLine(stateLine);
  #about = make('p.about');
  #board = make('sudoku-board');
  #said = make('p', { role: 'status' });
  #saidActs = make('span.acts');
  #hint = null; #play;
  #keys = make('sudoku-keys');
  #list = make('book-list');
  #players = make('players-strip', { hidden: true });
  #table = null; #coming = null;

  connectedCallback() {
    const { store } = this;
    this.timer = new Timer(store, () => this.#tellAbout());
    this.#list.store = store;
    this.append(
      make('header.top', {},
        make('.heading', {}, make('h1', {}, pageWords.heading), this.#state.element),
        make('.acts', {},
          make('button.quiet', { type: 'button', onclick: () => this.newSheet() },
            icon(icons.add), make('span', {}, pageWords.fresh)),
          iconButton(icons.menu, pageWords.menu, () => this.menuSheet()))),
      make('main', {},
        make('section.play', { ariaLabel: pageWords.puzzle }, this.#players, this.#about, this.#board),
        make('.said', {}, this.#said, this.#saidActs),
        this.#keys,
        make('section.book', { ariaLabel: pageWords.book }, make('h2', {}, pageWords.book), this.#list)),
      noticeArea());
    this.#board.addEventListener('choose', ({ detail }) => this.#play.choice.set({ place: detail }));
    this.#keys.addEventListener('act', ({ detail: { name, digit } }) => this.act(name, digit));
    this.#list.addEventListener('open', ({ detail }) => this.open(detail));
    this.#list.addEventListener('remove', ({ detail }) => this.#remove(detail));
    document.addEventListener('keydown', (event) => this.#press(event));
    preferences.subscribe(() => this.#play && this.update());
    store.subscribe(() => this.update());
    if (store.brought) this.#bring(store.brought);
    else if (store.invited) this.tableSheet(store.invited);
    else if (localStorage.getItem(gameMemory)) this.#rejoin(localStorage.getItem(gameMemory));
    loadAtRest([() => this.#prove(), ...Object.values(parts)]);
  }

  newSheet() { later(notLoaded, parts.fresh, ({ openNew }) => openNew(this)); }
  menuSheet() { later(notLoaded, parts.menu, ({ openMenu }) => openMenu(this)); }
  inviteSheet(game) { later(notLoaded, parts.menu, ({ openInvite }) => openInvite({ game })); }

  /** The games of the table, first of all the one that this person was invited to. */
  tableSheet(invited) {
    later(notLoaded, () => Promise.all([parts.table(), this.#gather()]),
      ([{ openTable }, table]) => openTable(this, table, invited));
  }

  /** Where several play: loaded when somebody goes there; where that fails, the next one tries again. */
  #gather() {
    this.#coming ??= parts.together().then(({ Together }) => Together.open(this, this.#players))
      .then((table) => (this.#table = table), (error) => {
        this.#coming = null;
        throw error;
      });
    return this.#coming;
  }

  /** Goes back to a game at which this browser was; resolves with whether it could. */
  #rejoin(game) { return later(notLoaded, () => this.#gather(), (table) => table.rejoin(game)); }

  /** The game that is played, if any. */
  get game() { return this.#table?.game ?? null; }
  get puzzle() { return this.#play.puzzle; }

  /** Opens a puzzle of the book: that of a race, in the race. */
  async open(id) {
    const { race } = this.store.puzzle(id) ?? {};
    if (race && await this.#rejoin(race)) return;
    this.store.choose(id);
    this.leave();
  }

  /** Goes from the table to the book. */
  leave() {
    if (this.#table) this.#table.leave();
    else localStorage.removeItem(gameMemory);
    this.update();
    this.focusBoard();
  }

  focusBoard() { this.#board.focusCell(); }

  /** Makes a new puzzle of a grade, and opens it. */
  async make(grade) {
    try {
      const { values } = await makePuzzle(grade);
      this.open(await this.store.add({ values, grade, source: 'made' }));
    } catch ({ message }) {
      notify(message);
    }
  }

  /** Opens the puzzle of a text or a link; rejects with a sentence where it is none. */
  async take(text, source) {
    const { values, grade } = await readPuzzle(text);
    this.open(await this.store.add({ values, grade, source }));
  }

  #bring(link) { this.take(link, 'brought').catch(({ message }) => notify(message, { stays: true })); }

  update() {
    const { store } = this;
    const { puzzle, source } = this.#table?.place ?? { puzzle: store.current, source: store };
    if (this.#play?.puzzle.id !== puzzle.id) {
      this.#play = new Play(source, puzzle, preferences);
      this.#hint = null;
      this.#play.choice.subscribe(() => this.#draw());
    }
    this.#play.puzzle = puzzle;
    this.#state.show(source.standing);
    this.timer.follow(this.#play.isSolved || source !== store ? null : puzzle);
    this.#list.show(puzzle.id);
    this.#table?.show(this.#play);
    this.#draw();
    if (this.game?.isRace) this.#prove();
  }

  #prove() {
    const play = this.#play;
    return play.prove().then((isNew) => isNew && play === this.#play && this.update());
  }

  #draw() {
    const play = this.#play;
    const { cells, values, isSolved } = play;
    const { place, notes } = play.choice.value;
    this.#board.show({
      cells, place, hint: this.#hint, wrong: this.#wrong(values), peers: preferences.value.peers && !isSolved,
      fingers: this.#table?.fingers,
    });
    this.#board.classList.toggle('solved', isSolved);
    this.#keys.show({
      left: digits.map((digit) => 9 - values.filter((value) => value === digit).length),
      notes, canUndo: play.canUndo && !isSolved, canRedo: play.canRedo && !isSolved, isOver: isSolved,
      canHint: !this.game?.isRace,
    });
    this.#tellAbout();
    this.#table?.mark(play);
    if (isSolved) this.#tellSolved();
    else if (!this.#hint) this.#tell('');
  }

  /** How long one is at the puzzle; null where that is not counted. */
  get #seconds() {
    const { puzzle } = this.#play;
    return this.game ? this.#table.seconds : this.timer.secondsOf(puzzle);
  }

  #tellAbout() {
    const { puzzle: { grade }, values, isSolved } = this.#play;
    say(this.#about, aboutLine({
      grade, left: values.filter((value) => !value).length, seconds: this.#seconds, isSolved,
    }));
  }

  /** The cells that are marked, as the person wants it. */
  #wrong(values) {
    const { mistakes } = preferences.value;
    if (mistakes === 'never') return none;
    const { solution } = this.#play;
    const isToProve = mistakes === 'solution' && !this.game?.isRace;
    if (isToProve && !solution) this.#prove();
    return isToProve && solution
      ? new Set(places.filter((place) => values[place] && values[place] !== solution[place])) : clashesOf(values);
  }

  /** A sentence under the board, with what can be done about it. */
  #tell(sentence, ...acts) {
    say(this.#said, sentence);
    this.#saidActs.replaceChildren(...acts.map(([label, act], index) => make(
      index ? 'button.quiet' : 'button.primary', { type: 'button', onclick: act }, label)));
    this.#said.parentElement.hidden = !sentence;
  }

  #tellSolved() {
    const { puzzle } = this.#play;
    if (this.store.puzzle(puzzle.id) && !puzzle.solvedAt) {
      this.timer.keep();
      this.store.noteSolved(puzzle);
      this.#hint = null;
    }
    const line = this.#seconds === null ? togetherLine : doneLine(this.#seconds);
    if (this.#said.textContent !== line) {
      this.#play.forget();
      this.#tell(line, [pageWords.another, () => this.make(puzzle.grade || 1)]);
    }
  }

  /** Does what a key or a button says. */
  act(name, digit) {
    const play = this.#play;
    const { place, notes } = play.choice.value;
    if (name === 'notes') return play.choice.set({ notes: !notes });
    if (name === 'hint') return this.game?.isRace ? null : this.#askHint();
    if (play.isSolved) return null;
    const isMade = {
      digit: () => play.enter(place, digit), note: () => play.enter(place, digit, true),
      erase: () => play.erase(place), undo: () => play.undo(), redo: () => play.redo(),
      fill: () => play.fillNotes(), clear: () => play.clear(),
    }[name]();
    if (!isMade) return null;
    this.#hint = null;
    this.#draw();
    return isMade.catch((error) => notify(error.message, { stays: true })).then(() => this.#draw());
  }

  async #askHint() {
    const play = this.#play;
    try {
      const hint = await hintFor(valuesOf(play.puzzle.givens), play.values, play.struck);
      if (play !== this.#play) return;
      this.#hint = hint;
      const [place] = hint.placed ?? hint.removed[0] ?? [hint.mistakes[0]];
      if (place !== undefined) play.choice.set({ place });
      this.#draw();
      this.#tell(hint.sentence, [pageWords.doIt, () => this.#follow(hint)], [pageWords.close, () => this.#close()]);
    } catch ({ message }) {
      notify(message);
    }
  }

  /** Does what a hint says. */
  #follow(hint) {
    const play = this.#play;
    this.#close();
    if (hint.placed) play.enter(...hint.placed, false);
    else if (hint.mistakes.length) for (const place of hint.mistakes) play.erase(place);
    else play.strike(hint.removed);
    this.#board.focusCell();
  }

  #close() {
    this.#hint = null;
    this.#draw();
    this.#board.focusCell();
  }

  #press(event) {
    const { key, code, ctrlKey, metaKey, altKey, shiftKey, target } = event;
    if (altKey || event.defaultPrevented || /^(INPUT|TEXTAREA)$/.test(target.tagName)
      || document.querySelector('dialog[open]')) return;
    if (!this.#board.contains(target)) this.#board.press(event);
    if (event.defaultPrevented) return;
    const digit = Number(/^(?:Digit|Numpad)([1-9])$/.exec(code)?.[1] ?? (/^[1-9]$/.test(key) ? key : 0));
    const name = ctrlKey || metaKey
      ? { z: shiftKey ? 'redo' : 'undo', y: 'redo' }[key.toLowerCase()]
      : digit ? (shiftKey ? 'note' : 'digit')
        : { Backspace: 'erase', Delete: 'erase', 0: 'erase', n: 'notes', h: 'hint', a: 'fill' }[key];
    if (!name) return;
    event.preventDefault();
    this.act(name, digit);
  }

  async #remove(puzzle) {
    const restore = await this.store.remove(puzzle);
    new History(puzzle.id).forget();
    notify(pageWords.removed, { label: pageWords.undo, act: restore });
  }
}
customElements.define('sudoku-page', SudokuPage);
