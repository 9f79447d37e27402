// Which members sit at a table, whatever order the records come in.

import assert from 'node:assert/strict';
import test from 'node:test';
import '../../../../Web/tests/pages.mjs';

const { freeColor, playersMost, seated } = await import('../seats.js');

const seat = (id, color) => ({ id: String(id).padStart(2, '0'), color });
const shown = (seats) => seats.map(({ id, color }) => [Number(id), color]);

test('the first colour that nobody has', () => {
  assert.equal(freeColor([]), 0);
  assert.equal(freeColor([seat(1, 1), seat(2, 0), seat(3, 3)]), 2);
});

test('two that took one colour at once have two, the same on every screen', () => {
  const records = [seat(3, 1), seat(1, 0), seat(2, 0), seat(4, 2)];
  const wanted = [[1, 0], [2, 3], [3, 1], [4, 2]];
  assert.deepEqual(shown(seated(records)), wanted);
  assert.deepEqual(shown(seated(records.reverse())), wanted);
});

test('of nine the last one stands back, and a colour that is none becomes one', () => {
  const records = Array.from({ length: 9 }, (_, index) => seat(index, 8 - index));
  const seats = seated(records);
  assert.equal(seats.length, playersMost);
  assert.ok(seats.every(({ id }) => id !== '08'));
  assert.deepEqual(seats.map(({ color }) => color).sort(), [0, 1, 2, 3, 4, 5, 6, 7]);
  const forged = [seat(1, 2n ** 60n), seat(2, -1), seat(3, null), seat(4, 1.5), seat(5, 99)];
  assert.deepEqual(shown(seated(forged)), [[1, 0], [2, 1], [3, 2], [4, 3], [5, 4]]);
});

test('what was told of a seat stays where only its colour changes', () => {
  const [, other] = seated([{ id: 'a', color: 4 }, { id: 'b', color: 4, name: 'Ben' }]);
  assert.deepEqual(other, { id: 'b', color: 0, name: 'Ben' });
});
