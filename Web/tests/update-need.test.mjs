import assert from 'node:assert/strict';
import test from 'node:test';
import { merges } from '../core/flat.js';
import { updateNeed } from '../writing/update-need.js';
import { skip } from './core.mjs';
import { Memory } from './memory.mjs';

const readerEntity = 16777212;
const idOf = (version) => version.toString(16).padStart(32, '0');

/** Writes such a record as a Swift device does: its creation, and the version. */
const require = (replica, id) => replica.transaction((t) => {
  t.stage(readerEntity, id, (held, { site, stamp, seq }) => ({
    cells: [0, 2].map((kind, field) => ({
      field, merge: field ? merges.register : merges.creation, kind,
      site, seq: seq + BigInt(field) + 1n, stamp, replaced: 0n, bytes: new Uint8Array(field ? 8 : 0),
    })), seq: seq + 2n,
  }));
});

test('a page hears that it is older than what its space needs, and a newer one does not', { skip }, async () => {
  const [old, other] = [new Memory('aa'), new Memory('bb')];
  const need = updateNeed(old, { version: 2 });
  assert.deepEqual(need.value, { isNeeded: false, needed: 1, version: 2 });
  const heard = [];
  need.subscribe(({ needed }) => heard.push(needed));
  const latest = updateNeed(other, { version: 4 });
  await require(other, idOf(2));
  old.meet(other);
  assert.equal(need.value.isNeeded, false);
  for (const version of [4, 3]) await require(other, idOf(version));
  old.meet(other);
  assert.deepEqual(need.value, { isNeeded: true, needed: 4, version: 2 });
  assert.equal(latest.value.isNeeded, false);
  assert.deepEqual(heard, [1, 2, 4]);
});

test('what is no version of a model counts for nothing', { skip }, async () => {
  const replica = new Memory('aa');
  const need = updateNeed(replica, { version: 1 });
  for (const id of ['f'.repeat(32), idOf(100001), `1${idOf(9).slice(1)}`]) await require(replica, id);
  assert.equal(need.value.needed, 1);
});
