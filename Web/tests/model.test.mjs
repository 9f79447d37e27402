import assert from 'node:assert/strict';
import test from 'node:test';
import { FlatWriter } from '../core/flat.js';
import { Model, decodeValue, encodeValue, newRecordID } from '../replica/model.js';

const model = new Model({
  entities: [{
    number: 3, name: 'photo',
    fields: [{ number: 1, name: 'original', kind: 9 }, { number: 3, name: 'caption', kind: 'text' }],
  }],
});
const values = {
  bool: [true, false], int: [0, -1, 2 ** 53 - 1, 2n ** 63n - 1n, -(2n ** 63n)],
  double: [0.1, -0, Infinity], text: ['', 'مرحبا 🌊', 'e\u0301', '\0', '\ufeff1'], date: [0, 1790000000000],
  bytes: [Uint8Array.of(1, 2)], uuid: ['0f'.repeat(16)], reference: ['f0'.repeat(16)],
  blob: [
    ...[0, 127, 128, 300, 2 ** 40].map((size) => ({ hash: 'cd'.repeat(32), size })),
    new Uint8Array(0), new Uint8Array(40), Uint8Array.of(255),
  ],
};

test('values of every kind come back exactly', () => {
  for (const [kind, each] of Object.entries(values)) {
    for (const value of each) {
      const cell = encodeValue(kind, value);
      assert.deepEqual(decodeValue(cell.kind, cell.bytes), value, kind);
    }
  }
});

test('what nobody wrote shows as its field begins, by a module that was made of a model too', async () => {
  const fields = [
    { number: 1, name: 'title', kind: 'text', initial: 'Untitled' }, { number: 2, name: 'note', kind: 'text' },
    { number: 3, name: 'pages', kind: 2, initial: 7 },
  ];
  const { id, ...record } = new Model({ entities: [{ number: 1, name: 'book', fields }] })
    .record(1, '0f'.repeat(16), true, new FlatWriter(4).u32(0).finish());
  assert.deepEqual(record, {
    entity: 'book', creator: null, alive: true, title: 'Untitled', note: null, pages: 7,
  });
});

test('null has its own kind, and unknown kinds and damaged bytes are no value', () => {
  assert.equal(encodeValue('text', null).kind, 0);
  assert.equal(decodeValue(0, new Uint8Array(0)), null);
  assert.equal(decodeValue(77, Uint8Array.of(1)), null);
  assert.equal(decodeValue(2, Uint8Array.of(1)), null);
});

test('a value whose bytes are not in the form of its kind is none', () => {
  for (const [kind, count] of [[1, 0], [1, 2], [2, 9], [3, 7], [6, 0], [7, 15], [8, 17]]) {
    assert.equal(decodeValue(kind, new Uint8Array(count)), null, `kind ${kind} of ${count} bytes`);
  }
  const hash = new Array(32).fill(7);
  const blob = (...size) => decodeValue(9, Uint8Array.of(...hash, ...size));
  assert.deepEqual(blob(0x80, 1), { hash: '07'.repeat(32), size: 128 });
  for (const size of [[], [0x80], [1, 1], [0x80, 0x81]]) assert.equal(blob(...size), null);
  assert.equal(decodeValue(9, Uint8Array.of(1)), null);
  assert.equal(decodeValue(9, new Uint8Array(0)), null);
});

test('a record shows its fields, its creator, and nothing of unknown fields', () => {
  const cell = (field, merge, kind, bytes) => ({
    field, merge, kind, bytes, site: '11'.repeat(8) + '22'.repeat(8), seq: 1n, stamp: 1n, replaced: 0n,
  });
  const cells = new FlatWriter().cells([
    cell(0, 0, 0, new Uint8Array(0)), cell(3, 2, 4, new TextEncoder().encode('Hi')),
    cell(99, 2, 4, Uint8Array.of(65)),
  ]).finish();
  assert.deepEqual({ ...model.record(3, 'ab', true, cells) }, {
    id: 'ab', entity: 'photo', creator: '11'.repeat(8), alive: true, original: null, caption: 'Hi',
  });
  assert.equal(model.record(8, 'ab', true, cells), null);
});

test('record ids sort by time', () => {
  assert.equal(newRecordID().length, 32);
  assert.ok(newRecordID(1_000) < newRecordID(2_000));
});
