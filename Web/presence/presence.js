// What the devices that are connected in a space show each other, and nobody keeps: docs/protocol.md 2.22.

import { FlatReader, FlatWriter } from '../core/flat.js';
import { readVarint } from '../core/varint.js';
import { decodeValue, encodeValue } from '../replica/model.js';
import { State } from '../replica/state.js';

const messageType = 20;
const pauseMilliseconds = 33;
const [keysMax, keyBytesMax, valueBytesMax, devicesMax] = [16, 64, 1024, 4096];
const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

const kindOf = (value) => (value instanceof Uint8Array ? 'bytes' : value instanceof Date ? 'date'
  : { boolean: 'bool', number: 'double', bigint: 'int', string: 'text' }[typeof value]);

export class Presence {
  /** `{devices}`: of each other device that shows something, by its number as sixteen digits, a Map of it by key. */
  others = new State({ devices: new Map() });
  /** Called with `{device, key, value}` of what another device sends once. */
  onmessage = () => {};
  #connection; #own = new Map(); #changed = new Set(); #messages = []; #isWhole = false;
  #due; #told = -pauseMilliseconds;

  /** Shows what there is over a connection; one for each. */
  constructor(connection) {
    this.#connection = connection;
    connection.presence = this;
    if (connection.isMet) this.began();
  }

  /** Shows a value under a key; nothing any more, where it is null or undefined. */
  show(key, value) {
    const cell = checked(key, value);
    const held = this.#own.get(key);
    if (!held && cell.kind && this.#own.size === keysMax) {
      throw new RangeError(`A device shows at most ${keysMax} values at once: set one to null.`);
    }
    if (held ? isSame(held, cell) : !cell.kind) return;
    if (cell.kind) this.#own.set(key, cell); else this.#own.delete(key);
    this.#changed.add(key);
    this.#stir();
  }

  /** Sends something once, to those who are connected now. */
  send(key, value) {
    const cell = checked(key, value);
    if (!this.#connection.isMet) return;
    this.#messages = [...this.#messages.slice(-63), { key, ...cell, isMessage: true }];
    this.#stir();
  }

  /** What is sent from now on is heard: whoever tells all that it shows is told what others show. */
  began() {
    this.#isWhole = true;
    this.#stir();
  }

  /** The link is closed. */
  ended() {
    if (this.others.value.devices.size) safely(() => this.others.set({ devices: new Map() }));
  }

  /** Takes a message of the server. */
  heard(bytes) {
    const reader = new FlatReader(bytes, 2);
    const [devices, messages] = [new Map(reader.u8() ? [] : this.others.value.devices), []];
    const touched = new Set();
    for (let left = readVarint(reader); left > 0; left--) {
      const [device, isMessage] = [reader.id(8), reader.u8()];
      const key = decoder.decode(reader.bytes(readVarint(reader)));
      const [kind, part] = [reader.u8(), reader.bytes(readVarint(reader)).slice()];
      if (isMessage) messages.push({ device, key, value: decodeValue(kind, part) });
      else show(devices, touched, device, key, kind ? decodeValue(kind, part) : null);
    }
    safely(() => this.others.set({ devices }));
    for (const message of messages) safely(() => this.onmessage(message));
  }

  #stir() {
    if (this.#due || !(this.#isWhole || this.#changed.size || this.#messages.length)) return;
    const pause = Math.max(0, this.#told + pauseMilliseconds - performance.now());
    this.#due = setTimeout(() => this.#tell(), pause);
  }

  #tell() {
    [this.#due, this.#told] = [null, performance.now()];
    const keys = this.#isWhole ? this.#own.keys() : this.#changed;
    // What ends makes room for what begins.
    const values = [...keys].map((key) => ({ key, ...this.#own.get(key) ?? checked(key, null) }))
      .sort((one, other) => Number(other.kind === 0) - Number(one.kind === 0));
    const bytes = encoded([...values, ...this.#messages], this.#isWhole);
    if (!this.#connection.isMet || this.#connection.show(bytes)) {
      [this.#changed, this.#messages, this.#isWhole] = [new Set(), [], false];
    }
    this.#stir();
  }
}

/** What others show may be anything: what an app's listener makes of it ends no session. */
function safely(act) {
  try {
    act();
  } catch (error) {
    (globalThis.reportError ?? console.error)(error);
  }
}

function checked(key, value) {
  const byteCount = encoder.encode(key).length;
  if (typeof key !== 'string' || !byteCount || byteCount > keyBytesMax) {
    throw new RangeError(`A key of what a device shows has 1 to ${keyBytesMax} bytes.`);
  }
  const isNone = value === null || value === undefined;
  if (!isNone && !kindOf(value)) {
    throw new TypeError('What a device shows is a text, a number, a truth value, a date or bytes.');
  }
  const cell = encodeValue(isNone ? 'text' : kindOf(value), value, `“${key}”`);
  if (cell.bytes.length > valueBytesMax) {
    throw new RangeError(`What a device shows has at most ${valueBytesMax} bytes: keep larger things in a record.`);
  }
  return cell;
}

const isSame = (one, other) => one.kind === other.kind
  && one.bytes.length === other.bytes.length && one.bytes.every((byte, at) => byte === other.bytes[at]);

function show(devices, touched, device, key, value) {
  if (!touched.has(device)) {
    if (!devices.has(device) && devices.size === devicesMax) return;
    devices.set(device, new Map(devices.get(device)));
    touched.add(device);
  }
  const values = devices.get(device);
  if (value === null) values.delete(key);
  else if (values.has(key) || values.size < keysMax) values.set(key, value);
  if (!values.size) {
    devices.delete(device);
    touched.delete(device);
  }
}

const counted = (writer, count) => (count > 127
  ? counted(writer.u8((count & 127) | 128), count >> 7) : writer.u8(count));

function encoded(entries, isWhole) {
  const writer = counted(new FlatWriter().u8(1).u8(messageType).u8(isWhole ? 1 : 0), entries.length);
  for (const { key, kind, bytes, isMessage } of entries) {
    const name = encoder.encode(key);
    counted(writer.u64(0n).u8(isMessage ? 1 : 0), name.length).bytes(name);
    counted(writer.u8(kind), bytes.length).bytes(bytes);
  }
  return writer.finish();
}
