// The tables of a group, derived from two replicas: the group's, with games, seats, rounds and points, and one's own,
// with the words that one typed.

import { Tables, newestFirst, seated } from '/kit/seats.js';
import { standingOf } from '/kit/state-line.js';

const playersMost = 4;
const memory = 'words-game';
const recentMilliseconds = 86_400_000;

/** Views read from it and hear of changes once a commit. */
export class TableStore extends Tables {
  /** Shows who types just now, once it is loaded. */
  typing = null;
  #chosen = localStorage.getItem(memory); #noting = ''; #entering = 0;

  constructor(parts) {
    super();
    Object.assign(this, parts);
    for (const entity of ['game', 'seat', 'round', 'score']) this.group.subscribe(entity, () => this.changed());
    this.own.subscribe('entry', () => this.changed());
    for (const connection of [this.connection, this.ownConnection]) connection.state.subscribe(() => this.changed());
    for (const replica of [this.group, this.own]) replica.waiting.subscribe(() => this.changed());
  }

  /** Tables of the last day at which somebody sits, the newest first. What is dated in another century is forged. */
  get games() {
    const now = this.clock.now();
    return newestFirst(this.group.records('game').filter((game) =>
      Math.abs(now - Number(game.openedAt)) < recentMilliseconds && this.seatsOf(game).length));
  }

  /** The table at which this browser is; null where it is at none. */
  get game() {
    const game = this.#chosen && this.group.get('game', this.#chosen);
    return game?.alive && this.seatAt(game) ? game : null;
  }

  seatsOf(table) {
    return seated(this.group.records('seat').filter(({ game }) => game === table.id), this.seatsMost(table));
  }

  /** How many may sit at a table: the bot is a player too. */
  seatsMost({ hasBot }) { return playersMost - (hasBot ? 1 : 0); }

  /** The last round of a game; null before the first. */
  roundOf({ id }) {
    return this.group.records('round').filter(({ game }) => game === id)
      .reduce((last, round) => (last && last.number > round.number ? last : round), null);
  }

  /** The scores of a round, those with most points first. */
  scoresOf({ id }) {
    return this.group.records('score').filter(({ round }) => round === id)
      .sort((one, other) => other.points - one.points || (one.id < other.id ? -1 : 1));
  }

  scoreIn(round) {
    const seats = this.group.records('seat').filter(({ creator }) => creator === this.device);
    return this.scoresOf(round).find(({ seat }) => seats.some(({ id }) => id === seat)) ?? null;
  }

  /** The seats of the others who type in a round just now. */
  typistsIn(round) {
    const devices = this.typing?.in(round);
    if (!devices?.size) return new Set();
    return new Set(this.group.records('seat').filter(({ creator }) => devices.has(creator)).map(({ id }) => id));
  }

  /** The words that one typed in a round, the last first. */
  entriesIn({ id }) {
    return this.own.records('entry').filter(({ round }) => round === id)
      .sort((one, other) => (one.id < other.id ? 1 : -1));
  }

  /** The server's time. */
  now(round) { return this.clock.now(round && this.scoreIn(round)?.offset); }

  /** Opens a table, and sits down at it. */
  async open({ name, list, hasBot }) {
    const openedAt = Math.round(this.clock.now());
    const id = await this.group.transaction((t) => t.create('game', { openedAt, list, hasBot }));
    await this.sit({ id, hasBot }, name);
  }

  /** Takes a seat, or the name of the one that one has; false where all are taken. */
  async sit(game, name) {
    const isIn = await this.takeSeat(this.group, game, name, { ready: 0, hurries: false, offset: 0, done: 0 });
    if (isIn) this.#choose(game.id);
    return isIn;
  }

  #choose(id) {
    this.#chosen = id;
    if (id) localStorage.setItem(memory, id);
    else localStorage.removeItem(memory);
    this.changed();
  }

  /** Gives the seat up. */
  async leave() {
    const seat = this.game && this.seatAt(this.game);
    this.#choose(null);
    if (seat) await this.group.transaction((t) => t.delete(seat));
  }

  /** The number of the round that comes next. */
  nextOf(game) { return (this.roundOf(game)?.number ?? 0) + 1; }

  /** Says that one is ready for the next round, with the offset of the clocks; rejects without a connection. */
  async getReady(hurries = false) {
    await this.clock.measure();
    const { game } = this;
    await this.group.transaction((t) => t.set(this.seatAt(game), {
      ready: this.nextOf(game), hurries, offset: this.clock.offset,
    }));
  }

  /** Types a word into a round, at the time that this device's clock shows by the agreed offset. */
  async enter(round, word) {
    const score = this.scoreIn(round);
    this.#entering += 1;
    try {
      await this.own.transaction((t) => t.create('entry', {
        round: round.id, seat: score.seat, word, typedAt: Math.round(this.now(round)) - score.offset,
      }));
    } finally {
      this.#entering -= 1;
    }
  }

  /** Once a round is over and all words have arrived, says so. */
  noteDone(game, round) {
    const seat = this.seatAt(game);
    // What is on its way to the disk does not wait yet.
    const isArrived = this.ownConnection.state.value.phase === 'online' && !this.own.waiting.value.records
      && !this.#entering;
    if (!seat || seat.done >= round.number || !isArrived || this.now(round) < round.endsAt) return;
    if (this.#noting === round.id) return;
    this.#noting = round.id;
    this.group.transaction((t) => t.set(seat, { done: round.number })).catch(() => { this.#noting = ''; });
  }

  /** Finished rounds, the last first. */
  get finished() {
    return this.group.records('round').filter(({ isOver }) => isOver)
      .sort((one, other) => other.startsAt - one.startsAt);
  }

  /** How things stand, for `stateLine`. */
  get standing() { return standingOf([this.connection, this.ownConnection], [this.group, this.own]); }
}
