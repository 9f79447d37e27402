// A puzzle in play: what a person does to it, on whichever source keeps its cells.

import { State } from '/reunion/replica/state.js';
import { readPuzzle } from './brain.js';
import { History } from './history.js';
import { bitOf, candidatesOf, isSolved, peersOf, valuesOf } from './rules.js';

/** A source has `cellsOf(puzzle)` and `write(puzzle, changes)`: each a place, with what differs of value and notes. */
export class Play {
  /** `{place, notes}`: the chosen cell, and whether digits are entered as notes. */
  choice = new State({ place: 40, notes: false });
  /** Candidates that hints ruled out: `[place, digit]` of each. */
  struck = [];
  /** What is on its way to the disk, by its place: the next key may come before it is there. */
  #pending = new Map();
  #history; #isProving = false;
  /** The 81 values of the one solution, once it is proved. */
  solution = null;

  constructor(source, puzzle, preferences) {
    Object.assign(this, { source, puzzle, preferences });
    this.#history = new History(puzzle.id);
    const first = valuesOf(puzzle.givens).indexOf(0);
    if (first >= 0) this.choice.set({ place: first });
  }

  get cells() {
    return this.source.cellsOf(this.puzzle).map((cell, place) => this.#pending.get(place) ?? cell);
  }

  get values() { return this.cells.map(({ value }) => value); }
  get isSolved() { return isSolved(this.values); }
  get canUndo() { return this.#history.canUndo; }
  get canRedo() { return this.#history.canRedo; }

  /** How many of the cells that were empty have the right digit; null where the solution is not proved yet. */
  get rightCount() {
    const { cells, solution } = this;
    return solution && cells.filter(({ value, isGiven }, place) => !isGiven && value === solution[place]).length;
  }

  /** Proves the solution; resolves with whether this call has brought it. */
  async prove() {
    if (this.solution || this.#isProving) return false;
    this.#isProving = true;
    try {
      ({ solution: this.solution } = await readPuzzle(this.puzzle.givens));
      return true;
    } catch {
      // It is asked for again: the connection may be back by then.
      return false;
    } finally {
      this.#isProving = false;
    }
  }

  /** Enters a digit or a note into a cell; the same again takes it away. Null for a printed one. */
  enter(place, digit, asNote = this.choice.value.notes) {
    const { cells } = this;
    const cell = cells[place];
    if (cell.isGiven) return null;
    if (asNote) {
      if (cell.value) return null;
      return this.#make([{ place, value: 0, notes: cell.notes ^ bitOf(digit) }], cells);
    }
    if (cell.value === digit) return this.#make([{ place, value: 0, notes: 0 }], cells);
    const changes = [{ place, value: digit, notes: 0 }];
    if (this.preferences.value.tidies) {
      for (const peer of peersOf(place)) {
        const { value, notes, isGiven } = cells[peer];
        if (!isGiven && !value && notes & bitOf(digit)) {
          changes.push({ place: peer, value, notes: notes & ~bitOf(digit) });
        }
      }
    }
    return this.#make(changes, cells);
  }

  erase(place) {
    const { cells } = this;
    const { isGiven, value, notes } = cells[place];
    return isGiven || !(value || notes) ? null : this.#make([{ place, value: 0, notes: 0 }], cells);
  }

  /** Notes all candidates that the rules leave, as one action. */
  fillNotes() {
    const { cells, values } = this;
    const changes = cells.flatMap((cell, place) => {
      const notes = candidatesOf(values, place) & ~this.struck.reduce((mask, [at, digit]) =>
        (at === place ? mask | bitOf(digit) : mask), 0);
      return cell.value || cell.notes === notes ? [] : [{ place, value: 0, notes }];
    });
    return this.#make(changes, cells);
  }

  /** Takes notes away, `[place, digit]` of each, and keeps in mind that they are out. */
  strike(marks) {
    this.struck.push(...marks);
    const { cells } = this;
    const notes = new Map();
    for (const [place, digit] of marks) {
      notes.set(place, (notes.get(place) ?? cells[place].notes) & ~bitOf(digit));
    }
    const changes = [...notes].filter(([place, left]) => !cells[place].value && cells[place].notes !== left)
      .map(([place, left]) => ({ place, value: 0, notes: left }));
    return this.#make(changes, cells);
  }

  clear() {
    this.struck = [];
    return this.#make(this.source.clearing(this.puzzle), this.cells);
  }

  /** Takes one's last move back; null where nothing of it is left to take back. */
  undo() { return this.#again(this.#history.undo(this.cells)); }
  redo() { return this.#again(this.#history.redo(this.cells)); }
  forget() { this.#history.forget(); }

  #again(changes) {
    if (!changes.length) return null;
    this.choice.set({ place: changes[0].place });
    return this.#write(changes, this.cells);
  }

  /** Makes a move, `{place, value, notes}` of each cell that it changes; null where it changes none. */
  #make(changes, cells) {
    if (!changes.length) return null;
    this.#history.note(changes.map(({ place, value, notes }) => ({
      place, before: [cells[place].value, cells[place].notes], after: [value, notes],
    })));
    return this.#write(changes, cells);
  }

  async #write(changes, before) {
    const after = changes.map(({ place, value, notes }) => [place, { value, notes, isGiven: false }]);
    for (const [place, cell] of after) this.#pending.set(place, cell);
    // What stays as it is is not written: it would stand against what another device enters meanwhile.
    const differing = after.map(([place, cell]) => ({
      place, ...Object.fromEntries(['value', 'notes'].filter((name) => cell[name] !== before[place][name])
        .map((name) => [name, cell[name]])),
    }));
    try {
      await this.source.write(this.puzzle, differing);
    } finally {
      for (const [place, cell] of after) if (this.#pending.get(place) === cell) this.#pending.delete(place);
    }
  }
}
