// One's own moves of one puzzle, to take back and to do again.

const most = 300;
const isAs = (cell, [value, notes]) => cell.value === value && cell.notes === notes;

/** A move is a list of `{place, before, after}`, each side `[value, notes]`. */
export class History {
  #memory; #done; #undone;

  /** Goes on with what this browser remembers under a name. */
  constructor(name) {
    this.#memory = `sudoku-moves-${name}`;
    try {
      [this.#done, this.#undone] = JSON.parse(localStorage.getItem(this.#memory)) ?? [[], []];
    } catch {
      [this.#done, this.#undone] = [[], []];
    }
  }

  get canUndo() { return this.#done.length > 0; }
  get canRedo() { return this.#undone.length > 0; }

  /** Notes a move that was made. */
  note(move) {
    this.#done.push(move);
    this.#done.splice(0, this.#done.length - most);
    this.#undone = [];
    this.#keep();
  }

  /** What takes the last move back, as changes of cells that nobody has changed since. */
  undo(cells) { return this.#step(this.#done, this.#undone, cells, 'after', 'before'); }

  /** What does again the last one that was taken back. */
  redo(cells) { return this.#step(this.#undone, this.#done, cells, 'before', 'after'); }

  #step(from, to, cells, now, then) {
    while (from.length) {
      const move = from.pop();
      const open = move.filter((each) => isAs(cells[each.place], each[now]));
      if (open.length) {
        to.push(open);
        this.#keep();
        return open.map((each) => ({ place: each.place, value: each[then][0], notes: each[then][1] }));
      }
    }
    this.#keep();
    return [];
  }

  /** This browser remembers them no more; they are known as long as the page is. */
  forget() { localStorage.removeItem(this.#memory); }

  #keep() {
    try {
      localStorage.setItem(this.#memory, JSON.stringify([this.#done, this.#undone]));
    } catch {
      // There is no room; what stands there is older than what is known.
      this.forget();
    }
  }
}
