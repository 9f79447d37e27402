// What another browser wrote of counters, sets and lists and could not send, written anew as this device's.

import { FlatReader, hex } from '../core/flat.js';
import { byPlace, intOf, itemName, nameLength, nameOf, parts, sightIn, varintOf, word } from './parts.js';

/** The element that a removal names. */
function elementOf({ bytes, ...cell }) {
  const length = nameLength({ bytes, ...cell });
  const reader = new FlatReader(bytes, 1);
  varintOf(reader);
  return { kind: bytes[0], bytes: bytes.subarray(reader.at, length) };
}

/** The items of a list as the other browser places them, while more come. */
class Places {
  #items; #now;

  constructor(now, field) {
    this.#now = now;
    this.#items = now.items(field).map((item) => ({ ...item, name: now.nameOf(item) }));
  }

  /** Where an item goes: `at` as in a step. */
  at(position, item) {
    const others = this.#items.filter((each) => each !== item);
    const index = others.filter((each) => byPlace(each, { ...item, position }) < 0).length;
    return { after: others[index - 1]?.name ?? null, index };
  }
  find(name) { return this.#items.find((item) => hex(itemName(item)) === name); }
  put(item, position) {
    item.position = position;
    if (!this.#items.includes(item)) this.#items.push(item);
    this.#items.sort(byPlace);
  }
  drop(item) { this.#items.splice(this.#items.indexOf(item), 1); }
}

/**
 * Does to a record what cells of another browser say: `now` is the staged record, `act(step)` does a step and
 * gives its number.
 */
export function takeParts(cells, now, act) {
  const lists = new Map();
  const places = (field) => {
    if (!lists.has(field)) lists.set(field, new Places(now, field));
    return lists.get(field);
  };
  const takes = {
    [parts.tally]: ({ field, site, ...cell }) => {
      const held = now.list.find((each) =>
        each.field === field && each.merge === parts.tally && each.site === site);
      const amount = BigInt.asIntN(64, (intOf(cell) ?? 0n) - (held ? intOf(held) ?? 0n : 0n));
      if (amount) act(['add', field, amount]);
    },
    [parts.member]: ({ field, kind, bytes }) => act(['insert', field, { kind, bytes }]),
    [parts.memberRemoval]: (cell) => {
      const [element, sight] = [elementOf(cell), sightIn(cell)];
      const held = now.list.filter((each) => each.field === cell.field && each.merge === parts.member
        && word(each) === word(element));
      // What it had not seen stays.
      const isSeen = held.every(({ site, seq }) => seq <= sight.get(site));
      if (held.length && isSeen) act(['remove', cell.field, element]);
    },
    [parts.item]: ({ field, site, seq, kind, bytes }) => {
      const name = hex(itemName({ site, seq }));
      const place = cells.findLast((cell) => cell.merge === parts.place && cell.field === field
        && nameOf(cell) === name);
      const item = { site, seq };
      const position = place?.bytes.subarray(nameLength(place)) ?? null;
      const at = position ? places(field).at(position, item) : {};
      item.name = act(['insertItem', field, { kind, bytes }, at]);
      places(field).put(item, position);
    },
    [parts.place]: (cell) => {
      const item = places(cell.field).find(nameOf(cell));
      if (!item || typeof item.name === 'number') return;
      const position = cell.bytes.subarray(nameLength(cell));
      act(['placeItem', cell.field, item.name, places(cell.field).at(position, item)]);
      places(cell.field).put(item, position);
    },
    [parts.itemRemoval]: (cell) => {
      const item = places(cell.field).find(nameOf(cell));
      if (!item) return;
      act(['removeItem', cell.field, item.name]);
      places(cell.field).drop(item);
    },
  };
  for (const cell of [...cells].sort((one, other) => (one.seq < other.seq ? -1 : 1))) takes[cell.merge](cell);
}
