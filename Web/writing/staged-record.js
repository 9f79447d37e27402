// What an action does to one record with counters, sets or lists: the same cells as in Swift
// (`StagedRecord`, `WriteTransaction+Collections`), as `CollectionsInJavaScriptTests` checks.

import { FlatReader, FlatWriter, hex, isRegister, merges, noCells, randomBytes } from '../core/flat.js';
import {
  byPlace, int, intOf, itemName, itemsOf, memberName, nameOf, nothing, parts, sightIn, word,
} from '../replica/parts.js';
import { sightBytes } from '../replica/renewal.js';

const empty = new Uint8Array(0);
const draw = () => new FlatReader(randomBytes(8)).u64();
/** Where items are put before their transaction is performed: these places are never written. */
export const undrawn = () => 0n;

/** A record with what an action has done to it, one step after the other, under one stamp. */
export class StagedRecord {
  written = [];
  #core; #about; #bytes; #isAlive; #list = null; #fresh = []; #draw; #items = new Map(); #inserted = new Map();

  /** - held: flat cells; about: `{core, site, stamp, seq, random?}`. */
  constructor(held, { core, random = draw, ...about }) {
    this.#core = core;
    this.#about = about;
    this.#draw = random;
    this.#merge(noCells, held);
  }

  get seq() { return this.#about.seq; }
  get isAlive() { return this.list && this.#isAlive; }
  /** The cells as they stand. */
  get list() {
    if (this.#fresh.length) this.#merge(this.#bytes, new FlatWriter().cells(this.#fresh).finish());
    this.#list ??= new FlatReader(this.#bytes).cells();
    return this.#list;
  }

  #merge(held, incoming) {
    const { row } = this.#core.merge(held, incoming);
    this.#fresh = [];
    this.#list = null;
    this.#isAlive = row[0] === 1;
    this.#bytes = row.subarray(1);
  }

  #write(field, merge, { kind, bytes }, replaced = 0n) {
    const { site, stamp } = this.#about;
    const seq = ++this.#about.seq;
    const cell = { field, merge, kind, site, seq, stamp, replaced, bytes };
    this.written.push(cell);
    this.#fresh.push(cell);
    return cell;
  }
  #writeBytes(field, merge, ...all) {
    const writer = new FlatWriter();
    for (const each of all) writer.bytes(each);
    return this.#write(field, merge, { kind: 5, bytes: writer.finish() });
  }

  /** One step: the name of what follows, and its arguments; a step is named by its number. */
  perform([name, ...about], number) { this[name](...about, number); }

  create() { this.#write(0, merges.creation, nothing); }

  delete() {
    const { list } = this;
    this.#writeBytes(0, merges.deletion, this.#core.deletion(new FlatWriter().cells(list).finish()));
  }

  register(field) { return this.list.find((cell) => cell.field === field && isRegister(cell.merge)); }

  set(field, value) {
    const held = this.register(field);
    const replaced = held?.stamp < this.#about.stamp ? held.stamp : held?.replaced;
    this.#write(field, merges.register, value, replaced);
  }

  /** Adds to this site's part of a counter. */
  add(field, amount) {
    const part = this.list.find((cell) =>
      cell.field === field && cell.merge === parts.tally && cell.site === this.#about.site);
    this.tally(field, (part ? intOf(part) ?? 0n : 0n) + amount);
  }

  tally(field, number) { this.#write(field, parts.tally, int(number)); }

  insert(field, element) { this.#write(field, parts.member, element); }

  remove(field, element) {
    const name = memberName(element);
    const seen = new Map();
    const see = (site, seq) => { if (!(seen.get(site) >= seq)) seen.set(site, seq); };
    for (const cell of this.list.filter((each) => each.field === field)) {
      if (cell.merge === parts.member && word(cell) === word(element)) see(cell.site, cell.seq);
      if (cell.merge !== parts.memberRemoval || nameOf(cell) !== hex(name)) continue;
      for (const [site, seq] of sightIn(cell)) see(site, seq);
    }
    const sight = sightBytes(new Map([...seen].sort(([one], [other]) => (one < other ? -1 : 1))));
    this.#writeBytes(field, parts.memberRemoval, name, sight);
  }

  /** The items of a list with what was done to it, in their order. */
  items(field) {
    if (!this.#items.has(field)) this.#items.set(field, itemsOf(this.list, field));
    return this.#items.get(field);
  }

  /** How later steps call an item: by its dot, or by the number of the step that inserted it. */
  nameOf({ site, seq, step }) { return step ?? { site, seq }; }

  #find(items, name) {
    const dot = typeof name === 'number' ? this.#inserted.get(name) : name;
    return items.findIndex(({ site, seq }) => site === dot?.site && seq === dot?.seq);
  }

  /**
   * Inserts an item, `at` a place: after the item that `after` names, before all where that is null, at the
   * end where it is undefined, and at `index` where that item is gone. `hidden` are items that are not looked at.
   */
  insertItem(field, value, at, step) {
    this.#put(field, at, (position) => {
      const { site, seq } = this.#write(field, parts.item, value);
      this.#inserted.set(step, { site, seq });
      this.#placed(field, { site, seq }, position);
      return { site, seq, ...value, step };
    });
  }

  placeItem(field, name, at) {
    const items = this.items(field);
    const found = this.#find(items, name);
    if (found < 0) return;
    const [item] = items.splice(found, 1);
    const isPut = this.#put(field, at, (position) => {
      this.#placed(field, item, position);
      return item;
    });
    if (!isPut) items.splice(found, 0, item);
  }

  removeItem(field, name) {
    const items = this.items(field);
    const found = this.#find(items, name);
    if (found < 0) return;
    const [item] = items.splice(found, 1);
    this.#writeBytes(field, parts.itemRemoval, itemName(item));
  }

  #placed(field, item, position) { this.#writeBytes(field, parts.place, itemName(item), position); }

  /**
   * Puts an item between two others. Where there is no room, as between items that two devices put at the
   * same place, those after it are put anew until there is some.
   */
  #put(field, { after, index, hidden = [] }, place) {
    const all = this.items(field);
    const unseen = new Set(hidden.map((name) => all[this.#find(all, name)]));
    const items = all.filter((item) => !unseen.has(item));
    const found = after ? this.#find(items, after) : -1;
    const start = after === undefined ? items.length : after === null ? 0
      : found >= 0 ? found + 1 : Math.min(index, items.length);
    const between = (low, high) => {
      const ends = new FlatWriter().sized(low ?? empty).sized(high ?? empty);
      const { source } = this.#core.call('between', ends.u64(this.#draw()));
      return source.length ? source : null;
    };
    const low = items[start - 1]?.position ?? null;
    let end = start;
    const spot = () => {
      if (end >= items.length) return between(low, null);
      // An item whose place has not come stands nowhere, so that nothing stands before it.
      return items[end].position && between(low, items[end].position);
    };
    let position = spot();
    while (!position && end < items.length) {
      end += 1;
      position = spot();
    }
    if (!position) return false;
    all.push(Object.assign(place(position), { position }));
    const high = items[end]?.position ?? null;
    for (const item of items.slice(start, end)) {
      position = between(position, high);
      if (!position) break;
      this.#placed(field, item, position);
      item.position = position;
    }
    all.sort(byPlace);
    return true;
  }
}
