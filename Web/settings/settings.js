// A person's settings: typed keys and values in a space of their own, which roam with it (guide settings.md).

import {
  SettingCells, StagedSetting, cellBytesMax, nameField, settingEntity, settingID, slots,
} from './setting-cells.js';
import { FlatReader } from '../core/flat.js';
import { mergesParts } from '../replica/parts.js';

const valueBytesMax = 1 << 20;
const limits = { bytesMax: 64 << 20, keysMax: 65_536, keyBytesMax: 255 };
const encoder = new TextEncoder();

const failure = (code, sentence, quota) => Object.assign(new Error(sentence), { code, ...quota && { quota } });
const overQuota = (sentence, used, allowed) => failure('overQuota', sentence, { used, allowed });

export class Settings {
  #replica; #limits; #entries = new Map(); #listeners = new Set(); #hasSynced;
  #usage = { keys: 0, bytes: 0 };

  /** Shows the settings in a replica's space; `about` are other limits than 64 MiB, 65,536 keys and 255 bytes a key. */
  constructor(replica, about = {}) {
    this.#replica = replica;
    this.#limits = { ...limits, ...about };
    this.#hasSynced = replica.hasSynced;
    for (const row of replica.cellsOf(settingEntity)) this.#note(row.id, SettingCells.of(row));
    replica.subscribeCells(settingEntity, (changes) => this.#follow(changes));
    replica.onCommit(() => {
      if (!this.#hasSynced && replica.hasSynced) this.#tell(new Set(), 'otherDevice');
    });
  }

  /** The names of the keys that are set. */
  get keys() { return new Set([...this.#entries.values()].map(({ name }) => name)); }

  /** What is taken up: `{keys, bytes}`. */
  get usage() { return { ...this.#usage }; }

  /** What a setting is: what was set, or the key's default. Throws where it was written with another type or rule. */
  value(key) { return key.value(this.#cells(key.name)); }

  /** Calls `listener({value, reason})` now, with no reason, and after each change; gives what ends it. */
  subscribe(key, listener) {
    listener({ value: this.value(key), reason: null });
    return this.onChange(({ keys, reason }) => {
      if (!keys.has(key.name) || reason === 'overQuota') return;
      let value;
      // Where an app gave it another type meanwhile, the value stays.
      try { value = this.value(key); } catch { return; }
      listener({ value, reason });
    });
  }

  /**
   * Calls `listener({keys, reason})` after each change, with the names of the keys; gives what ends it. A reason
   * is `localWrite`, `otherDevice`, `firstSync`, or `overQuota`: a write was refused, or, with no keys, devices
   * wrote more than there is room for, and all of it is kept.
   */
  onChange(listener) {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  set(key, value) { return this.write((t) => t.set(key, value)); }
  add(key, amount) { return this.write((t) => t.add(key, amount)); }
  insert(key, element) { return this.write((t) => t.insert(key, element)); }
  remove(key, element) { return this.write((t) => t.remove(key, element)); }
  clear(key) { return this.write((t) => t.clear(key)); }

  /**
   * Sets settings together: all of them are on the disk when the promise resolves, or none is, here and on every
   * other device. Rejects with an Error whose `code` is `wrongType`, `overQuota` (with `quota`), `invalidKey` or
   * `invalidValue`.
   */
  async write(body) {
    const transaction = new SettingsTransaction(this.#replica, this.#limits);
    try {
      const value = body(transaction);
      const { steps } = transaction;
      const staged = [];
      await this.#replica.transaction((t) => {
        for (const [id, list] of steps) {
          t.stage(settingEntity, id, (held, about) => {
            const setting = new StagedSetting(held, about);
            for (const step of list) step(setting);
            staged.push([id, setting.cells]);
            if (staged.length === steps.size) this.#checkRoom(staged.splice(0));
            return { cells: setting.written, seq: setting.seq };
          });
        }
      });
      return value;
    } catch (error) {
      if (error.code === 'overQuota') this.#emit(transaction.names, 'overQuota');
      throw error;
    }
  }

  #cells(name) {
    return SettingCells.of(this.#replica.cells(settingEntity, settingID(this.#replica.core, name)));
  }

  /** Takes in what a setting is now; its name, where it is another than before. */
  #note(id, cells) {
    const [old, { name }] = [this.#entries.get(id), cells];
    const now = name === null ? null
      : { name, byteCount: cells.byteCount, digest: cells.digest(this.#replica.core) };
    if (old?.digest === now?.digest) return null;
    this.#usage = this.#after(this.#usage, old, now);
    if (now) this.#entries.set(id, now);
    else this.#entries.delete(id);
    return now?.name ?? old?.name;
  }

  #after({ keys, bytes }, old, now) {
    return {
      keys: keys + (now ? 1 : 0) - (old ? 1 : 0),
      bytes: bytes + (now?.byteCount ?? 0) - (old?.byteCount ?? 0),
    };
  }

  #isOver({ keys, bytes }) { return bytes > this.#limits.bytesMax || keys > this.#limits.keysMax; }

  #follow(changes) {
    const wasOver = this.#isOver(this.#usage);
    const [own, others] = [new Set(), new Set()];
    for (const { id, alive, cells, before } of changes) {
      const now = SettingCells.of({ alive, cells });
      const name = this.#note(id, now);
      if (name === null) continue;
      const known = new Set((before ? new FlatReader(before.cells).cells() : [])
        .map(({ site, seq }) => `${site}${seq}`));
      const isByOthers = now.list.some(({ site, seq }) =>
        !site.startsWith(this.#replica.device) && !known.has(`${site}${seq}`));
      (isByOthers ? others : own).add(name);
    }
    if (own.size) this.#emit(own, 'localWrite');
    if (others.size) this.#tell(others, 'otherDevice');
    if (!wasOver && this.#isOver(this.#usage)) this.#emit(new Set(), 'overQuota');
  }

  /** Tells of what others wrote; the first time, that it is the first. */
  #tell(keys, reason) {
    this.#emit(keys, this.#hasSynced ? reason : 'firstSync');
    this.#hasSynced = true;
  }

  #emit(keys, reason) { for (const listener of [...this.#listeners]) listener({ keys, reason }); }

  /** Throws where settings that are set like this add what there is no room for. */
  #checkRoom(settings) {
    const before = this.#usage;
    const after = settings.reduce((usage, [id, cells]) => this.#after(usage, this.#entries.get(id),
      cells.name === null ? null : { byteCount: cells.byteCount }), before);
    const { bytesMax, keysMax } = this.#limits;
    if (after.bytes > bytesMax && after.bytes > before.bytes) {
      throw overQuota(`Settings of ${after.bytes} bytes exceed the limit of ${bytesMax}: remove some.`,
        after.bytes, bytesMax);
    }
    if (after.keys > keysMax && after.keys > before.keys) {
      throw overQuota(`${after.keys} settings exceed the limit of ${keysMax}: remove some.`,
        after.keys, keysMax);
    }
  }
}

/** Settings that are set together; it lives while the body of `write` runs. */
class SettingsTransaction {
  /** What is done, by the id of a setting's record. */
  steps = new Map();
  names = new Set();
  #replica; #limits; #staged = new Map();

  constructor(replica, about) {
    this.#replica = replica;
    this.#limits = about;
  }

  /** What a setting is, with what this transaction has done to it. */
  value(key) { return key.value(this.#now(key.name).cells); }

  /** Sets a setting, as far as its rule lets it. */
  set(key, value) {
    const { cells } = this.#now(key.name);
    key.check(cells);
    this.#checkSize(key.name, key.byteCount(value), valueBytesMax);
    this.#do(key, (staged) => key.write(value, staged.cells));
  }

  /** Adds to a counter. */
  add(key, amount) {
    key.check(this.#now(key.name).cells);
    if (key.slot !== slots.counter) {
      throw failure('wrongType', `The setting "${key.name}" is not a counter: set it, or give its key that rule.`);
    }
    key.encoded(amount);
    this.#do(key, () => [['add', slots.counter, BigInt(amount)]]);
  }

  /** Inserts an element into a set. */
  insert(key, element) { this.#change(key, (elements) => [...elements, element]); }

  /** Removes an element from a set. */
  remove(key, element) { this.#change(key, (elements) => [...elements].filter((each) => each !== element)); }

  #change(key, change) {
    if (key.slot !== slots.union) {
      throw failure('wrongType', `The setting "${key.name}" is not a set: set it, or give its key that rule.`);
    }
    const wanted = (cells) => new Set(change(key.value(cells)));
    this.#checkSize(key.name, key.byteCount(wanted(this.#now(key.name).cells)), valueBytesMax);
    this.#do(key, (staged) => key.write(wanted(staged.cells), staged.cells));
  }

  /** Makes a setting as if it had never been set, so that it is its default. */
  clear(key) {
    const { cells } = this.#now(key.name);
    key.check(cells);
    if (!key.clear(cells)) {
      throw failure('wrongType', `The setting "${key.name}" only grows by its rule: it cannot be removed.`);
    }
    this.#do(key, (staged) => (staged.cells.isSet ? [...key.clear(staged.cells), ['delete']] : []));
  }

  /** The setting as it stands, with what was done to it. */
  #now(name) {
    this.names.add(name);
    const { length } = encoder.encode(name);
    if (!length) throw failure('invalidKey', 'A setting needs a name.');
    const { keyBytesMax } = this.#limits;
    if (length > keyBytesMax) {
      throw overQuota(`The name of the setting "${[...name].slice(0, 40).join('')}…" has ${length} bytes, over the`
        + ` limit of ${keyBytesMax}: shorten it.`, length, keyBytesMax);
    }
    if (!this.#staged.has(name)) {
      const { core, site } = this.#replica;
      const row = this.#replica.cells(settingEntity, settingID(core, name));
      // Of no transaction: what is written by it is not kept.
      this.#staged.set(name, new StagedSetting(row?.cells ?? new Uint8Array(4),
        { core, site, stamp: (1n << 63n) - 1n, seq: this.#replica.seq }));
    }
    return this.#staged.get(name);
  }

  #checkSize(name, length, most) {
    if (length <= most) return;
    throw overQuota(`The value of the setting "${name}" has ${length} bytes, over the limit of ${most}: keep it`
      + ' in a record.', length, most);
  }

  /** Does it now, to see what it says, and once more to what is held when the transaction is performed. */
  #do(key, operationsOf) {
    const { name } = key;
    if (key.slot !== slots.latest && !mergesParts(this.#replica.core)) {
      throw failure('wrongCore', `The setting "${name}" merges by "${key.merge}", and this page has the small core,`
        + ' which merges "latest" alone: open /reunion/core.wasm instead.');
    }
    const step = (staged) => {
      const operations = operationsOf(staged);
      if (!operations.length) return;
      if (!staged.cells.list.length) staged.create();
      if (!staged.cells.register(nameField)) {
        staged.set(nameField, { kind: 4, bytes: encoder.encode(name) });
      }
      for (const [operation, field, value] of operations) {
        if (operation === 'set' || operation === 'insert') this.#checkSize(name, value.bytes.length, cellBytesMax);
        staged[operation](field, value);
      }
    };
    step(this.#now(name));
    const id = settingID(this.#replica.core, name);
    this.steps.set(id, [...this.steps.get(id) ?? [], step]);
  }
}

/** The limits of a setting: of all values, of keys, of a key, and of one value. */
export const settingsLimits = Object.freeze({ ...limits, valueBytesMax });
