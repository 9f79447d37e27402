// The table of all who joined this server: puzzles that several solve at once, and races.

import { FlatReader } from '/reunion/core/flat.js';
import { runInOneTab } from '/reunion/replica/lease.js';
import { newRecordID } from '/reunion/replica/model.js';
import { tellIfOld } from '/kit/old-page.js';
import { Replica } from '/reunion/replica/replica.js';
import { Tables, newestFirst, playersMost, seated } from '/kit/seats.js';
import { Connection } from '/reunion/conversation/connection.js';
import { standingOf } from '/kit/state-line.js';
import { cellID, grouped } from './records.js';
import { places, textOf, valuesOf } from './rules.js';

const untouched = { value: 0, notes: 0, turn: 0 };
// More turns than anybody takes: what a forged one says beyond is nothing, and of those that have come so far the later
// stands, so that no cell is taken for good.
const turnsMost = 1_000_000;
/** As far as a clock may be ahead and still be believed. */
const aheadMilliseconds = 300_000;
const isWithin = (number, least, most = Infinity) => Number.isInteger(number) && number >= least && number <= most;
const orElse = (other, number, ...range) => (isWithin(number, ...range) ? number : other);
/** A game without the numbers that no page would write. */
const believed = (game) => ({
  ...game, grade: orElse(0, game.grade, 1, 4), openedAt: orElse(0, game.openedAt, 0),
});
const isTurn = ({ place, value, turn }) =>
  isWithin(turn, 1, turnsMost) && isWithin(value, 0, 9) && isWithin(place, 0, 80);

/** Games, who sits at them, and what they entered. Each writes records of their own alone. */
export class TableStore extends Tables {
  #seats; #entries; #writing = Promise.resolve();

  /** Opens the table of the space in which a book's device is a member. */
  static async open({ replica: { core, model }, member }) {
    const { space, device } = member;
    const replica = await Replica.open({ space, device, model, core });
    const connection = new Connection(replica);
    const table = new TableStore({ replica, connection, device });
    runInOneTab(replica, connection);
    tellIfOld(replica);
    return table;
  }

  constructor({ replica, connection, device }) {
    super();
    Object.assign(this, { replica, connection, device });
    this.#seats = grouped(replica, 'seat', 'game', () => this.changed());
    this.#entries = grouped(replica, 'entry', 'game', () => this.changed());
    replica.subscribe('game', () => this.changed());
    connection.state.subscribe(() => this.changed());
    replica.waiting.subscribe(() => this.changed());
  }

  /** Games, the newest first. */
  get games() {
    return newestFirst(this.replica.records('game').filter(({ givens }) => givens?.length === 81).map(believed));
  }

  game(id) {
    const found = id && this.replica.get('game', id);
    return found?.alive && found.givens?.length === 81 ? believed(found) : null;
  }

  /** The seats of those who sit at a game. */
  seatsOf({ id }) {
    return seated(this.#seats(id).values()).map((seat) => ({
      ...seat, filled: orElse(0, seat.filled, 0, 81), seconds: orElse(null, seat.seconds, 0),
    }));
  }

  seatsMost() { return playersMost; }

  /** Opens a puzzle for all, or as a race. */
  open({ values, grade, isRace }) {
    return this.replica.transaction((t) => t.create('game', {
      givens: textOf(values), grade, isRace, openedAt: Date.now(),
    }));
  }

  /** Takes a seat, or the name of the one that one has; false where all are taken. */
  sit(game, name) {
    return this.takeSeat(this.replica, game, name, { satAt: Date.now(), filled: 0, seconds: null });
  }

  /** Seconds since one sat down at a race, by one's own clock, until one was done. */
  secondsOf(game) {
    const { satAt, seconds } = this.seatAt(game) ?? {};
    return seconds ?? Math.max(0, Math.round((Date.now() - (satAt ?? Date.now())) / 1000));
  }

  /** Tells the others how many cells of a race are right, and whether all are. */
  report(game, filled, isDone) {
    const seat = this.seatAt(game);
    if (!seat || seat.seconds !== null || (seat.filled === filled && !isDone)) return null;
    const seconds = isDone ? this.secondsOf(game) : null;
    return this.replica.transaction((t) => t.set(seat, { filled, seconds }));
  }

  /** When an entry's turn was written, by its stamp; a time that is still to come is none. */
  #takenAt({ id }) {
    const { number, fields } = this.replica.model.entity('entry');
    const cells = new FlatReader(this.replica.cells(number, id).cells).cells();
    const { stamp } = cells.find(({ field }) => field === fields.get('turn').number);
    return stamp >> 16n > BigInt(Date.now() + aheadMilliseconds) ? 0n : stamp;
  }

  /** Whether one entry of a cell gives way to another. */
  #isBefore(one, other) {
    if (one.turn !== other.turn) return one.turn < other.turn;
    const [first, second] = one.turn < turnsMost ? [0n, 0n] : [this.#takenAt(one), this.#takenAt(other)];
    return first === second ? one.id < other.id : first < second;
  }

  /** Of each cell, the entry that stands: the latest turn of those who sit there. */
  #standing(game) {
    const creators = new Set(this.seatsOf(game).map(({ creator }) => creator));
    const standing = new Map();
    for (const entry of this.#entries(game.id).values()) {
      if (!isTurn(entry) || !creators.has(entry.creator)) continue;
      const known = standing.get(entry.place);
      if (!known || this.#isBefore(known, entry)) standing.set(entry.place, entry);
    }
    return standing;
  }

  /** One's own entries, by their cells. */
  #own(game) {
    const own = new Map();
    for (const entry of this.#entries(game.id).values()) {
      const known = own.get(entry.place);
      if (entry.creator === this.device && !(known && this.#isBefore(entry, known))) own.set(entry.place, entry);
    }
    return own;
  }

  /** The record of a new entry: another one, where somebody else has made that of its cell. */
  #newID(seat, place) {
    const id = cellID(seat.id, place);
    return this.replica.get('entry', id) ? newRecordID() : id;
  }

  /** The 81 cells: `{value, notes, isGiven, player, by, isMine}`, the notes one's own. */
  cellsOf(game) {
    const printed = valuesOf(game.givens);
    const standing = this.#standing(game);
    const own = this.#own(game);
    const seats = new Map(this.seatsOf(game).map((seat) => [seat.creator, seat]));
    return places.map((place) => {
      if (printed[place]) return { value: printed[place], notes: 0, isGiven: true };
      const entry = standing.get(place);
      const value = entry?.value ?? 0;
      const seat = value ? seats.get(entry.creator) : null;
      return {
        value, notes: value ? 0 : own.get(place)?.notes ?? 0, isGiven: false,
        player: seat?.color, by: seat?.name, isMine: seat?.creator === this.device,
      };
    });
  }

  /** How many of the cells that stand are whose. */
  countsOf(game) {
    const counts = new Map();
    for (const { value, creator } of this.#standing(game).values()) {
      if (value) counts.set(creator, (counts.get(creator) ?? 0) + 1);
    }
    return counts;
  }

  /** Enters cells, `{place, value, notes}` of each, as one action, once the one before is kept; no value is a note. */
  write(game, changes) {
    const kept = this.#writing.then(() => this.#enter(game, changes));
    this.#writing = kept.catch(() => {});
    return kept;
  }

  #enter(game, changes) {
    const seat = this.seatAt(game);
    if (!seat) return null;
    const standing = this.#standing(game);
    const own = this.#own(game);
    return this.replica.transaction((t) => {
      for (const { place, value, notes = 0 } of changes) {
        const held = own.get(place);
        const shown = standing.get(place) ?? untouched;
        // A note is no turn: it changes nothing for the others. Nor is what stands there already, as pages of before
        // say beside a note.
        const set = value === undefined || value === shown.value ? { notes }
          : { value, notes, turn: Math.min(shown.turn + 1, turnsMost) };
        if (held) t.set(held, set);
        else t.create('entry', { game: game.id, place, ...untouched, ...set }, this.#newID(seat, place));
      }
    });
  }

  /** Empties what one entered oneself, and leaves the others'. */
  clearing(game) {
    return this.cellsOf(game).flatMap(({ isMine, notes }, place) => (isMine || notes
      ? [{ place, value: 0, notes: 0 }] : []));
  }

  /** How things stand, for `stateLine`. */
  get standing() { return { ...standingOf([this.connection], [this.replica]), isShared: true }; }
}
