import assert from 'node:assert/strict';
import test from 'node:test';
import { backoff } from '../conversation/backoff.js';

test('waits double from half a second to thirty', () => {
  const longest = (attempt) => backoff(attempt, { random: () => 1 });
  assert.deepEqual([0, 1, 2, 5, 6, 7, 5000].map(longest),
    [500, 1000, 2000, 16_000, 30_000, 30_000, 30_000]);
});

test('the jitter is full', () => {
  assert.equal(backoff(9, { random: () => 0 }), 0);
});
