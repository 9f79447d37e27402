// A set as a record shows it, and counters, sets and lists as a transaction changes them.

import { membersOf, word } from '../replica/parts.js';

/** The elements of a set, which cannot be written here: a `Set` that tells equal bytes and dates apart from others. */
export class Elements extends Set {
  #field; #words;

  constructor(field, members) {
    super();
    for (const member of members) super.add(field.decode(member));
    this.#field = field;
    this.#words = new Set(members.map(word));
  }

  has(value) { return this.#words.has(wordOf(this.#field, value)); }
  add() { return this.#refuse(); }
  delete() { return this.#refuse(); }
  clear() { return this.#refuse(); }

  #refuse() {
    const { name } = this.#field;
    throw new Error(`A record is not written: use t.edit(record).${name}.add(…) or remove(…) in a transaction.`);
  }
}

/** The word of a value, or null where a field cannot hold it. */
function wordOf(field, value) {
  try {
    return word(field.encode(value));
  } catch {
    return null;
  }
}

/** A counter that is changed. */
export class CounterDraft {
  #field; #about;

  /** - about: `now()` gives the staged record, `act(step)` does something to it. */
  constructor(field, about) { [this.#field, this.#about] = [field, about]; }

  /** What it counts, with what this transaction has added. */
  get value() { return this.#field.read(this.#about.now().list); }
  valueOf() { return this.value; }

  /** Adds a whole number, which may be negative. */
  add(amount = 1) { this.#about.act(['add', this.#field.number, this.#field.amount(amount)]); }
}

/** A set that is changed. */
export class SetDraft {
  #field; #about;

  constructor(field, about) { [this.#field, this.#about] = [field, about]; }

  #find(value) {
    const wanted = wordOf(this.#field, value);
    return membersOf(this.#about.now().list, this.#field.number).find((cell) => word(cell) === wanted);
  }
  get #members() { return this.#field.members(this.#about.now().list).map((cell) => this.#field.decode(cell)); }

  get size() { return this.#members.length; }
  has(value) { return Boolean(this.#find(value)); }
  [Symbol.iterator]() { return this.#members[Symbol.iterator](); }

  /** Adds an element. Adding it again protects it from removals that others make meanwhile. */
  add(value) {
    this.#about.act(['insert', this.#field.number, this.#field.encode(value)]);
    return this;
  }

  /** Removes an element; false where it is not there. What others add meanwhile stays. */
  remove(value) {
    const found = this.#find(value);
    if (!found) return false;
    const { kind, bytes } = found;
    this.#about.act(['remove', this.#field.number, { kind, bytes }]);
    return true;
  }
}

/** A list that is changed. What an item holds never changes: remove it, and insert another. */
export class ListDraft {
  #field; #about;

  constructor(field, about) { [this.#field, this.#about] = [field, about]; }

  get #items() { return this.#about.now().items(this.#field.number); }
  #name(items, index) { return index < 0 ? null : this.#about.now().nameOf(items[index]); }
  #checked(index, count) {
    if (!(Number.isInteger(index) && index >= 0 && index < count)) {
      throw new RangeError(`The list has no index ${index}: use one below ${count}.`);
    }
    return index;
  }

  get length() { return this.#items.length; }
  at(index) {
    const item = this.#items.at(index);
    return item && this.#field.decode(item);
  }
  *[Symbol.iterator]() { for (const item of this.#items) yield this.#field.decode(item); }
  /** The index of the first item that holds a value, or -1. */
  indexOf(value) {
    const wanted = wordOf(this.#field, value);
    return this.#items.findIndex((item) => word(item) === wanted);
  }

  /** Inserts an item before the one at an index, or at the end without one. */
  insert(value, index) {
    const encoded = this.#field.encode(value);
    const items = this.#items;
    const at = index === undefined ? {}
      : { index: this.#checked(index, items.length + 1), after: this.#name(items, index - 1) };
    this.#about.act(['insertItem', this.#field.number, encoded, at]);
  }

  /** Moves an item; `to` is its index afterwards. */
  move(from, to) {
    const items = this.#items;
    const item = this.#name(items, this.#checked(from, items.length));
    this.#checked(to, items.length);
    if (from === to) return;
    const after = this.#name(items.filter((_, at) => at !== from), to - 1);
    this.#about.act(['placeItem', this.#field.number, item, { after, index: to }]);
  }

  /** Removes the item at an index, for good. */
  remove(index) {
    const items = this.#items;
    const item = this.#name(items, this.#checked(index, items.length));
    this.#about.act(['removeItem', this.#field.number, item]);
  }
}
