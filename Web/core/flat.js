// The flat form in which structures cross into the core and out of it (Bridge.swift): numbers
// most significant byte first. Stamps and seqs are BigInt, ids are lower-case hexadecimal.

const digits = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** Bytes as hexadecimal digits. */
export function hex(bytes) {
  if (bytes.toHex) return bytes.toHex();
  let text = '';
  for (const byte of bytes) text += digits[byte];
  return text;
}

/** The bytes of hexadecimal digits. */
export function unhex(text) {
  const bytes = new Uint8Array(text.length / 2);
  for (let i = 0; i < bytes.length; i++) bytes[i] = parseInt(text.substr(i * 2, 2), 16);
  return bytes;
}

/** Bytes drawn at random. */
export const randomBytes = (count) => crypto.getRandomValues(new Uint8Array(count));

/** Reads the flat form from bytes; throws a RangeError where they end too early. */
export class FlatReader {
  constructor(bytes, at = 0) {
    this.source = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.at = at;
  }
  get remaining() { return this.source.length - this.at; }
  u8() { return this.view.getUint8(this.at++); }
  u16() { this.at += 2; return this.view.getUint16(this.at - 2); }
  u32() { this.at += 4; return this.view.getUint32(this.at - 4); }
  u64() { this.at += 8; return this.view.getBigUint64(this.at - 8); }
  /** A part of the source, not a copy. */
  bytes(count) {
    if (count > this.remaining) throw new RangeError('The bytes end too early.');
    this.at += count;
    return this.source.subarray(this.at - count, this.at);
  }
  id(count = 16) { return hex(this.bytes(count)); }

  /** A cell; `start` and `end` say where it stands in the source. */
  cell() {
    const start = this.at;
    const cell = {
      start, field: this.u32(), merge: this.u8(), kind: this.u8(), site: this.id(),
      seq: this.u64(), stamp: this.u64(), replaced: this.u64(), bytes: this.sized(),
    };
    cell.end = this.at;
    return cell;
  }
  /** The parts of a cell that its value needs, quickly; `siteAt` is where its site stands. */
  brief() {
    const cell = { field: this.u32(), merge: this.u8(), kind: this.u8(), siteAt: this.at };
    this.at += 40;
    cell.bytes = this.sized();
    return cell;
  }
  /** Moves over a cell and gives where its site stands. */
  skip() {
    const siteAt = this.at + 6;
    this.at += 46;
    const length = this.u32();
    this.at += length;
    return siteAt;
  }
  /** A row, not a copy: a byte for "alive", then cells. */
  row() {
    const start = this.at++;
    for (let count = this.u32(); count > 0; count--) this.skip();
    return this.source.subarray(start, this.at);
  }
  /** A list of what `read` gives, after its count. */
  list(read) { return Array.from({ length: this.u32() }, read); }
  cells() { return this.list(() => this.cell()); }
  /** Bytes after their length. */
  sized() { return this.bytes(this.u32()); }

  /** A version vector: a Map from site to seq. */
  vector() {
    const vector = new Map();
    for (let count = this.u32(); count > 0; count--) vector.set(this.id(), this.u64());
    return vector;
  }
}

/** Writes the flat form; `finish()` gives the bytes. */
export class FlatWriter {
  constructor(capacity = 256) {
    this.buffer = new Uint8Array(capacity);
    this.view = new DataView(this.buffer.buffer);
    this.length = 0;
  }
  #room(count) {
    const at = this.length;
    this.length += count;
    if (this.length > this.buffer.length) {
      const larger = new Uint8Array(Math.max(this.length, this.buffer.length * 2));
      larger.set(this.buffer);
      this.buffer = larger;
      this.view = new DataView(larger.buffer);
    }
    return at;
  }
  u8(value) { const at = this.#room(1); this.view.setUint8(at, value); return this; }
  u32(value) { const at = this.#room(4); this.view.setUint32(at, value); return this; }
  u64(value) { const at = this.#room(8); this.view.setBigUint64(at, BigInt(value)); return this; }
  bytes(bytes) { const at = this.#room(bytes.length); this.buffer.set(bytes, at); return this; }
  id(text) { return this.bytes(unhex(text)); }
  sized(bytes) { return this.u32(bytes.length).bytes(bytes); }

  cell(cell) {
    return this.u32(cell.field).u8(cell.merge).u8(cell.kind).id(cell.site).u64(cell.seq)
      .u64(cell.stamp).u64(cell.replaced).sized(cell.bytes);
  }
  cells(cells) {
    this.u32(cells.length);
    for (const cell of cells) this.cell(cell);
    return this;
  }
  vector(vector) {
    this.u32(vector.size);
    for (const [site, seq] of vector) this.id(site).u64(seq);
    return this;
  }
  finish() { return this.buffer.slice(0, this.length); }
}

/** The merge kinds. */
export const merges = { creation: 0, deletion: 1, register: 2, annotation: 3 };

/** Whether a merge kind holds a field's value. */
export const isRegister = (merge) => merge === merges.register || merge === merges.annotation;

/** No cells. */
export const noCells = new Uint8Array(4);
