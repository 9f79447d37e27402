// Which cell each of those at one grid has chosen: shown while they are there, and kept nowhere.

import { Presence } from '/reunion/presence/presence.js';
import { places } from './rules.js';

/** What the devices at the table show each other. */
export class Fingers {
  #presence;

  constructor(connection, changed) {
    this.#presence = new Presence(connection);
    this.#presence.others.subscribe(changed);
  }

  /** Shows which cell of a game one has chosen; null where one plays at none. */
  point(game, place) { this.#presence.show('finger', game ? `${place} ${game.id}` : null); }

  /** The colours of the others' fingers, by the cells of a game; of two in one cell the first seat's. */
  at(game, seats) {
    const fingers = new Map();
    for (const { creator, color } of seats) {
      const [place, id] = String(this.#presence.others.value.devices.get(creator)?.get('finger')).split(' ');
      if (id === game.id && places.includes(Number(place)) && !fingers.has(Number(place))) {
        fingers.set(Number(place), color);
      }
    }
    return fingers;
  }
}
