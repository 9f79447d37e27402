// At a table: the game that this browser plays, in the one grid of all or in a race. It is loaded when somebody
// goes there, or once the page rests.

import { make } from '/reunion/elements.js';
import { notify } from '/kit/notices.js';
import '/kit/players.js';
import { Fingers } from './fingers.js';
import { valuesOf } from './rules.js';
import { gameMemory } from './store.js';
import { TableStore } from './table.js';
import { playerLine, playerWords, tableWords } from './words.js';

export class Together {
  #page; #strip; #fingers; #id = null;

  /** Opens the table of a page, which shows who plays in a `<players-strip>`. */
  static async open(page, strip) { return new Together(page, strip, await TableStore.open(page.store)); }

  constructor(page, strip, table) {
    this.#page = page;
    this.#strip = strip;
    this.table = table;
    const button = (name, onclick) => make('button.quiet', { type: 'button', onclick }, playerWords[name]);
    strip.append(make('.acts', {}, button('invite', () => page.inviteSheet(this.#id)),
      button('leave', () => page.leave())));
    table.connection.onrefused = page.store.connection.onrefused;
    table.subscribe(() => this.#id && this.#follow());
    this.#fingers = new Fingers(table.connection, () => table.changed());
  }

  get game() { return this.#id && this.table.game(this.#id); }

  /** What is played, and where it is kept; null where that is the book's. */
  get place() {
    const { game } = this;
    if (!game) return null;
    if (!game.isRace) return { puzzle: game, source: this.table };
    const { store } = this.#page;
    const puzzle = store.puzzles.find(({ race }) => race === game.id);
    return puzzle ? { puzzle, source: store } : null;
  }

  /** Seconds that one is at a race; null where all solve one grid. */
  get seconds() { return this.game.isRace ? this.table.secondsOf(this.game) : null; }

  /** Opens the puzzle that is shown as a game. */
  async openGame(isRace) {
    const { givens, grade } = this.#page.puzzle;
    return this.table.game(await this.table.open({ values: valuesOf(givens), grade, isRace }));
  }

  /** Plays at a game at which this device has a seat. */
  async play(game) {
    const { givens, grade, isRace, id } = game;
    localStorage.setItem(gameMemory, id);
    if (isRace) await this.#page.store.add({ values: valuesOf(givens), grade, source: 'race', race: id });
    this.#id = id;
    this.#page.update();
    this.#page.focusBoard();
  }

  /** Goes back to a game, if one still has a seat there; resolves with whether it is so. */
  async rejoin(id) {
    const game = this.table.game(id);
    const isIn = Boolean(game && this.table.seatAt(game));
    if (isIn) await this.play(game);
    return isIn;
  }

  /** No game is played any more. */
  leave() {
    localStorage.removeItem(gameMemory);
    this.#id = null;
  }

  #follow() {
    // Two took the last seat at once.
    if (this.game && !this.table.seatAt(this.game)) {
      notify(tableWords.full, { stays: true });
      this.#page.leave();
    } else this.#page.update();
  }

  /** The game in whose one grid all see each other's fingers; null in a race. */
  get #grid() { return this.game?.isRace ? null : this.game; }

  /** The colours of the others' fingers, by their cells. */
  get fingers() { return this.#grid ? this.#fingers.at(this.#grid, this.table.seatsOf(this.#grid)) : new Map(); }

  /** Marks who entered the chosen cell, and shows the others which it is. */
  mark({ cells, choice }) {
    this.#fingers.point(this.#grid, choice.value.place);
    if (this.game) this.#strip.mark(cells[choice.value.place].player);
  }

  /** Shows who is at the game and how far, and tells the others how far one is oneself. */
  show(play) {
    const { game, table } = this;
    this.#strip.hidden = !game;
    if (!game) return;
    const of = game.isRace ? valuesOf(game.givens).filter((value) => !value).length : 0;
    if (of && play.rightCount !== null) {
      table.report(game, play.rightCount, play.isSolved)?.catch((error) => notify(error.message, { stays: true }));
    }
    const counts = table.countsOf(game);
    this.#strip.show(table.seatsOf(game).map(({ id, name, color, filled, seconds, creator }) => {
      const count = of ? filled : counts.get(creator) ?? 0;
      return {
        id, color, count, of, name: creator === table.device ? playerWords.mine : name,
        about: playerLine({ count, of, seconds }),
      };
    }));
  }
}
