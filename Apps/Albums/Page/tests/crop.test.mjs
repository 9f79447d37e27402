import assert from 'node:assert/strict';
import test from 'node:test';
import {
  editOf, fitted, heightOf, moved, parts, resized, turned, viewOf, whole, widthOf,
} from '../crop.js';
import { core, skip } from '../../../../Web/tests/core.mjs';

const random = (() => {
  let state = 2026;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state % below;
  };
})();
const anyRect = () => {
  const left = random(parts - 3000);
  const top = random(parts - 3000);
  return {
    left, top, right: left + 2000 + random(parts - left - 2000),
    bottom: top + 2000 + random(parts - top - 2000),
  };
};
const isInside = ({ left, top, right, bottom }) => [left, top, right, bottom].every(Number.isInteger)
  && 0 <= left && left < right && right <= parts && 0 <= top && top < bottom && bottom <= parts;

test('what is drawn comes back from its bytes, and the untouched picture is no edit', () => {
  assert.equal(editOf({ rect: whole, turns: 0 }), null);
  assert.deepEqual(viewOf(null), { rect: whole, turns: 0 });
  for (let round = 0; round < 500; round++) {
    const view = { rect: anyRect(), turns: random(4) };
    assert.deepEqual(viewOf(editOf(view)), view);
  }
  assert.deepEqual([...editOf({ rect: whole, turns: 3 })], [3, 0, 0, 0, 0, 255, 255, 255, 255]);
});

test('four turns are none, and one turn is clockwise', () => {
  const corner = { left: 0, top: 0, right: 100, bottom: 200 };
  assert.deepEqual(turned(corner), { left: parts - 200, top: 0, right: parts, bottom: 100 });
  assert.deepEqual(turned(turned(turned(turned(corner)))), corner);
});

test('the core shows the pixels that are drawn', { skip }, () => {
  const [width, height] = [4000, 3000];
  for (let turns = 0; turns < 4; turns++) {
    const wide = turns % 2 ? height : width;
    const high = turns % 2 ? width : height;
    // The left half, and the upper third of it, of the turned picture.
    const rect = { left: 0, top: 0, right: Math.round(parts / 2), bottom: Math.round(parts / 3) };
    const plan = core.plan(width, height, 0, editOf({ rect, turns }));
    assert.deepEqual([plan.width, plan.height, plan.turns], [wide / 2, Math.round(high / 3), turns]);
    const corners = [[0, 0], [0, 1], [1, 1], [1, 0]];
    const [x, y] = corners[turns];
    assert.equal(plan.source.x, x * (width - plan.source.width));
    assert.equal(plan.source.y, y * (height - plan.source.height));
  }
});

test('whatever is pulled, the crop stays inside, and keeps its ratio', () => {
  const handles = ['left', 'top', 'right', 'bottom', 'top left', 'top right', 'bottom left',
    'bottom right'];
  for (let round = 0; round < 4000; round++) {
    const by = () => random(2 * parts) - parts;
    const start = anyRect();
    assert.ok(isInside(moved(start, by(), by())));
    const handle = handles[random(8)];
    assert.ok(isInside(resized(start, handle, by(), by())), handle);
    const ratio = [0.3, 0.5625, 1, 1.5, 1.7778, 4][random(6)];
    const even = fitted(start, ratio);
    const pulled = resized(even, handle, by(), by(), ratio);
    for (const rect of [even, pulled]) {
      assert.ok(isInside(rect), `${handle} ${ratio} ${JSON.stringify(rect)}`);
      const off = Math.abs(widthOf(rect) - heightOf(rect) * ratio);
      assert.ok(off <= Math.max(1, ratio) * 1.01, `${handle} ${ratio} ${JSON.stringify(rect)}`);
    }
  }
});

test('an edge that is not pulled stays where it is', () => {
  const rect = { left: 10_000, top: 20_000, right: 40_000, bottom: 50_000 };
  assert.deepEqual(resized(rect, 'left', 5000, 9000), { ...rect, left: 15_000 });
  assert.deepEqual(resized(rect, 'bottom right', 1000, -2000),
    { ...rect, right: 41_000, bottom: 48_000 });
  const pulled = resized(rect, 'top left', -5000, -5000, 1);
  assert.deepEqual([pulled.right, pulled.bottom, pulled.left], [40_000, 50_000, 5000]);
});
