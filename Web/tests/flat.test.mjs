import assert from 'node:assert/strict';
import test from 'node:test';
import { FlatReader, FlatWriter, hex, unhex } from '../core/flat.js';

const cell = {
  field: 7, merge: 2, kind: 4, site: 'ab'.repeat(16), seq: 2n ** 61n, stamp: 2n ** 62n, replaced: 0n,
  bytes: Uint8Array.of(0, 255, 128),
};

test('hexadecimal digits come back', () => {
  const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
  assert.deepEqual(unhex(hex(bytes)), bytes);
  assert.equal(hex(new Uint8Array(0)), '');
});

test('a cell comes back, bit for bit', () => {
  const bytes = new FlatWriter(1).cells([cell, cell]).finish();
  const [first, second] = new FlatReader(bytes).cells();
  for (const [name, value] of Object.entries(cell)) {
    assert.deepEqual(name === 'bytes' ? first.bytes.slice() : first[name], value);
  }
  assert.equal(second.end, bytes.length);
});

test('a brief look at a cell ends where the cell ends', () => {
  const reader = new FlatReader(new FlatWriter().cell(cell).u8(9).finish());
  const brief = reader.brief();
  assert.equal(brief.field, 7);
  assert.equal(hex(reader.source.subarray(brief.siteAt, brief.siteAt + 16)), cell.site);
  assert.equal(reader.u8(), 9);
});

test('a vector comes back', () => {
  const vector = new Map([['01'.repeat(16), 1n], ['02'.repeat(16), 2n ** 63n]]);
  assert.deepEqual(new FlatReader(new FlatWriter().vector(vector).finish()).vector(), vector);
});

test('bytes that end too early are refused', () => {
  const bytes = new FlatWriter().cell(cell).finish();
  for (let length = 0; length < bytes.length; length++) {
    assert.throws(() => new FlatReader(bytes.slice(0, length)).cell(), RangeError);
  }
});
