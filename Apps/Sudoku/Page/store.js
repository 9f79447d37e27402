// A person's book: puzzles with what was entered, and how long it took, derived from the replica.

import { newRecordID } from '/reunion/replica/model.js';
import { standingOf } from '/kit/state-line.js';
import { Changes } from '/reunion/replica/state.js';
import { cellID, grouped } from './records.js';
import { places, textOf, valuesOf } from './rules.js';
import { starter } from './starters.js';

const memory = 'sudoku-current';
/** Where this browser remembers the game of the table at which it is. */
export const gameMemory = 'sudoku-game';
const untouched = { value: 0, notes: 0 };

const about = ({ givens, grade, source, race }) => ({ givens, grade, source, race });

/** Views read from it and hear of changes once a commit. */
export class BookStore extends Changes {
  /** Living puzzles, those that were played last first. */
  puzzles = [];
  #cells; #sittings; #isStale = true; #chosen = sessionStorage.getItem(memory);
  #draft = { id: newRecordID(), givens: starter(), grade: 1, source: 'made', race: null };

  constructor({ replica, connection, person, member, called, brought, invited }) {
    super();
    Object.assign(this, { replica, connection, person, member, called, brought, invited });
    const changed = () => { this.#isStale = true; this.changed(); };
    this.#cells = grouped(replica, 'cell', 'puzzle', changed, ({ place }) => place);
    this.#sittings = grouped(replica, 'sitting', 'puzzle', changed);
    replica.subscribe('puzzle', changed);
    connection.state.subscribe(() => this.changed());
    replica.waiting.subscribe(() => this.changed());
    this.settle();
  }

  settle() {
    if (!this.#isStale) return;
    this.#isStale = false;
    const lastOf = new Map();
    const last = (puzzle) => {
      if (!lastOf.has(puzzle.id)) {
        const times = [...this.#sittings(puzzle.id).values()].map(({ lastAt }) => lastAt ?? 0);
        lastOf.set(puzzle.id, Math.max(puzzle.addedAt ?? 0, ...times));
      }
      return lastOf.get(puzzle.id);
    };
    this.puzzles = this.replica.records('puzzle').filter(({ givens }) => givens?.length === 81)
      .sort((one, other) => last(other) - last(one) || (one.id < other.id ? 1 : -1));
  }

  puzzle(id) {
    const found = id && this.replica.get('puzzle', id);
    return found?.alive && found.givens?.length === 81 ? found : null;
  }

  /**
   * The puzzle that is open in this tab: what was chosen in it, or what was played last anywhere. In an
   * empty book it is one that begins with its first move.
   */
  get current() {
    return this.puzzle(this.#chosen) ?? this.puzzles.find(({ solvedAt, race }) => !solvedAt && !race) ?? this.#draft;
  }

  /** Opens a puzzle in this tab; it is the one that was played last from now on. */
  choose(id) {
    this.#remember(id);
    this.changed();
    return this.sit({ id }, 0);
  }

  #remember(id) {
    if (this.#chosen !== id) sessionStorage.setItem(memory, id);
    this.#chosen = id;
  }

  /** The 81 cells: `{value, notes, isGiven, by}` of each. */
  cellsOf({ id, givens }) {
    const entered = this.#cells(id);
    const printed = valuesOf(givens);
    return places.map((place) => {
      if (printed[place]) return { value: printed[place], notes: 0, isGiven: true };
      const { value, notes } = entered.get(place) ?? untouched;
      // Notes that another device wrote beside a digit are covered by it.
      return { value, notes: value ? 0 : notes, isGiven: false };
    });
  }

  /** Enters cells, `{place, value, notes}` of each, as one action; what a change does not name stays. */
  write({ id, race }, changes) {
    // A player stays at a puzzle, whatever is played elsewhere meanwhile, and when it is solved.
    if (!race) this.#remember(id);
    const isNew = id === this.#draft.id && !this.puzzle(id);
    return this.replica.transaction((t) => {
      if (isNew) t.create('puzzle', { ...about(this.#draft), addedAt: Date.now(), solvedAt: null }, id);
      for (const { place, ...set } of changes) {
        const held = this.#cells(id).get(place);
        // What a digit covers goes with it.
        if (set.value !== undefined && held?.value && held.notes) set.notes ??= 0;
        // It is not created: that would write every field.
        t.set(held ?? { entity: 'cell', id: cellID(id, place) }, held ? set : { puzzle: id, place, ...set });
      }
    });
  }

  /** Seconds that all devices were at a puzzle. */
  secondsOf({ id }) {
    return [...this.#sittings(id).values()].reduce((sum, { seconds }) => sum + (seconds ?? 0), 0);
  }

  /** Adds seconds of this device, the last of them at a time. */
  sit({ id }, seconds, lastAt = Date.now()) {
    if (!this.puzzle(id)) return null;
    const own = [...this.#sittings(id).values()].find(({ creator }) => creator === this.member.device);
    return this.replica.transaction((t) => (own
      ? t.set(own, { seconds: own.seconds + seconds, lastAt })
      : t.create('sitting', { puzzle: id, seconds, lastAt })));
  }

  /** Adds a puzzle, or finds the one with the same digits; gives its id. */
  async add({ values, grade, source, race = null }) {
    const givens = textOf(values);
    const same = this.puzzles.find((each) => each.givens === givens && (each.race ?? null) === race);
    return same?.id ?? this.replica.transaction((t) => t.create('puzzle', {
      givens, grade, source, addedAt: Date.now(), solvedAt: null, race,
    }));
  }

  noteSolved({ id }) {
    const puzzle = this.puzzle(id);
    return puzzle && !puzzle.solvedAt
      ? this.replica.transaction((t) => t.set(puzzle, { solvedAt: Date.now() })) : null;
  }

  /** Takes a puzzle out of the book, and gives what brings it back. */
  async remove(puzzle) {
    const rows = [puzzle, ...this.#cells(puzzle.id).values(), ...this.#sittings(puzzle.id).values()];
    await this.replica.transaction((t) => { for (const row of rows) t.delete(row); });
    return () => this.replica.transaction((t) => { for (const row of rows) t.restore(row); });
  }

  /** Empties what was entered, and gives the move. */
  clearing(puzzle) {
    return this.cellsOf(puzzle).flatMap((cell, place) => (cell.isGiven || !(cell.value || cell.notes)
      ? [] : [{ place, value: 0, notes: 0 }]));
  }

  /** How things stand, for `stateLine`. */
  get standing() { return standingOf([this.connection], [this.replica]); }
}
