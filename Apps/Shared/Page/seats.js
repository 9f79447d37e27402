// The players who sit at a table, derived from records that each device writes for itself.

import { Changes } from '/reunion/replica/state.js';

/** So many colours are told apart (`players.css`). */
export const playersMost = 8;

/** The first colour that nobody at a table has. */
export function freeColor(seats) {
  const taken = new Set(seats.map(({ color }) => color));
  for (let color = 0; color < playersMost; color++) if (!taken.has(color)) return color;
  return 0;
}

/**
 * Chooses from all records of seats, `{id, color}` of each, those who sit at the table of `most`, by their ids. Where
 * two took the last seat or one colour at once, each screen tells the same one to step back.
 */
export function seated(records, most = playersMost) {
  const seats = [...records].sort((one, other) => (one.id < other.id ? -1 : 1)).slice(0, most);
  const isColor = ({ color }) => Number.isInteger(color) && color >= 0 && color < playersMost;
  const first = (seat) => seats.find(({ color }) => color === seat.color) === seat;
  const kept = seats.filter((seat) => isColor(seat) && first(seat));
  return seats.map((seat) => {
    if (kept.includes(seat)) return seat;
    const changed = { ...seat, color: freeColor(kept) };
    kept.push(changed);
    return changed;
  });
}

/** The base of a page's store of tables: it has `device`, `seatsOf(game)` and `seatsMost(game)`. */
export class Tables extends Changes {
  seatAt(game) { return this.seatsOf(game).find(({ creator }) => creator === this.device) ?? null; }
  isFull(game) { return !this.seatAt(game) && this.seatsOf(game).length >= this.seatsMost(game); }

  /** Takes a seat, with `values` beside what each has, or names the one that one has; false where all are taken. */
  async takeSeat(replica, game, name, values) {
    if (this.isFull(game)) return false;
    const own = this.seatAt(game);
    await replica.transaction((t) => (own ? t.set(own, { name })
      : t.create('seat', { game: game.id, name, color: freeColor(this.seatsOf(game)), ...values })));
    return true;
  }
}

/** Games, the newest first. */
export const newestFirst = (games) => games.sort((one, other) =>
  Number(other.openedAt) - Number(one.openedAt) || (one.id < other.id ? 1 : -1));
