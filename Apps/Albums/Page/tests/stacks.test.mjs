import assert from 'node:assert/strict';
import test from 'node:test';
import { recordsOf, stacked, tilesOf, written } from '../stacks.js';

const photo = (id, hash, more = {}) => ({ id, creator: id[0], original: { hash }, ...more });

test('photos of the same bytes are one, where the first of them stood, and all others stay as they are', () => {
  const [late, other, first] = [photo('b1', 'x'), photo('b2', 'y'), photo('a1', 'x')];
  const found = stacked([late, other, first], 'c');
  assert.deepEqual(found.map(({ id }) => id), ['b2', 'a1']);
  assert.equal(found[0], other);
  assert.deepEqual(recordsOf(found[1]), [first, late]);
  assert.deepEqual(recordsOf(other), [other]);
  // The same picture in other bytes is another one, and one on its way is not known to be any.
  const coming = { id: 'c1', creator: 'c', isArriving: true };
  assert.equal(stacked([coming, { ...coming, id: 'c2' }, photo('a1', 'x'), photo('b1', 'z')], 'c').length, 4);
  assert.equal(tilesOf([first, late, other]), 2);
});

test('a tile has what any of its records has, and its own writer sees what that one wrote', () => {
  const stored = { storedAt: 5, width: 4, height: 3, contentType: 'image/jpeg' };
  const [first, second] = [photo('a1', 'x', { caption: 'Ana' }),
    photo('b1', 'x', { ...stored, preview: { hash: 'p' }, edit: 'e2', shown: 's2', caption: 'Ben' })];
  const seen = (device) => stacked([second, first], device)[0];
  assert.equal(seen('c').caption, 'Ana · Ben');
  assert.equal(seen('c').storedAt, 5);
  assert.equal(seen('c').preview.hash, 'p');
  assert.equal(seen('c').shown, 's2');
  first.edit = 'e1';
  assert.deepEqual(['a', 'b', 'c'].map((device) => seen(device).edit), ['e1', 'e2', 'e1']);
  second.caption = 'Ana';
  assert.equal(seen('c').caption, 'Ana');
  second.caption = null;
  assert.equal(seen('c').caption, 'Ana');
});

test('a guest writes the own record of a tile, and the host the one that shows something', () => {
  const [first, second] = [photo('a1', 'x'), photo('b1', 'x', { caption: 'Ben' })];
  const [tile] = stacked([second, first], 'a');
  assert.equal(written(tile, 'a', 'caption'), first);
  assert.equal(written(tile, 'b', 'caption'), second);
  assert.equal(written(tile, 'h', 'caption'), second);
  assert.equal(written(tile, 'h', 'edit'), first);
  assert.equal(written(first, 'h', 'edit'), first);
});

test('who loses a record of a tile finds the tile where the next one stands', () => {
  const [late, other, first] = [photo('b1', 'x'), photo('b2', 'y'), photo('a1', 'x')];
  assert.deepEqual(stacked([late, other], 'b').map(({ id }) => id), ['b1', 'b2']);
  assert.deepEqual(stacked([other, first], 'b').map(({ id }) => id), ['b2', 'a1']);
});
