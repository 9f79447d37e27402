import assert from 'node:assert/strict';
import test from 'node:test';
import { inOrder, justify, shapeOf, visibleRange } from '../layout.js';

const shapes = [[4, 3], [3, 4], [16, 9], [1, 1], [9000, 100], [null, null], [2, 3]];
const pictures = (count) => Array.from({ length: count }, (_, index) => {
  const [width, height] = shapes[(index * 7 + (index >> 2)) % shapes.length];
  return { width, height };
});

test('photos stand by the time in their ids, and one from the future by its arrival', () => {
  const id = (milliseconds, rest = 0) =>
    milliseconds.toString(16).padStart(12, '0') + rest.toString(16).padStart(20, '0');
  const now = 1_800_000_000_000;
  const photo = (name, at, more = {}) => ({ name, id: id(at), creator: 'b', ...more });
  const order = (...photos) => inOrder(photos, 'a', now).map(({ name }) => name).join(' ');
  const [first, last] = [photo('first', now - 1000), photo('last', now - 9000)];
  assert.equal(order(last, first), 'first last');
  // Four minutes are a clock, a year is none.
  assert.equal(order(first, photo('near', now + 240_000), last), 'near first last');
  const year = now + 3e10;
  assert.equal(order(photo('ahead', year, { storedAt: now - 5000 }), first, last), 'first ahead last');
  // Whoever never sends the picture is last, and sees it where it will be.
  assert.equal(order(photo('never', year), first, last), 'first last never');
  assert.equal(order(photo('claimed', year, { storedAt: year }), first, last), 'first last claimed');
  assert.equal(order(photo('own', year, { creator: 'a' }), first, last), 'own first last');
  // What was stored long after it was taken, as after a week offline, is where it was.
  assert.equal(order(photo('late', now - 5000, { storedAt: now }), first, last), 'first late last');
});

test('rows fill the width, do not overlap, and keep the shapes', () => {
  for (const width of [320, 390, 800, 1920]) {
    const list = pictures(200);
    const { boxes, height } = justify(list, { width, gap: 4 });
    assert.equal(boxes.length, 200);
    boxes.forEach((box, index) => {
      assert.ok(Object.values(box).every(Number.isInteger), 'edges are between pixels');
      assert.ok(Math.abs(box.width - box.height * shapeOf(list[index])) < 2.5);
      assert.ok(box.left >= 0 && box.left + box.width <= width);
      const next = boxes[index + 1];
      if (next && next.top === box.top) assert.equal(next.left - box.left - box.width, 4);
      else if (next) {
        assert.equal(box.left + box.width, width, 'the row is full');
        assert.equal(next.top, box.top + box.height + 4);
      }
    });
    assert.equal(boxes[199].top + boxes[199].height, height);
  }
});

test('the last row is not stretched, and no pictures have no height', () => {
  const { boxes } = justify([{ width: 3, height: 4 }], { width: 1000, target: 200 });
  assert.equal(boxes[0].height, 200);
  assert.equal(justify([], { width: 1000 }).height, 0);
});

test('the visible range is what touches the window', () => {
  const { boxes } = justify(pictures(500), { width: 390 });
  for (const from of [0, 900, 5000]) {
    const [first, end] = visibleRange(boxes, from, from + 800);
    const touching = boxes.map((box, index) => [box, index])
      .filter(([box]) => box.top + box.height >= from && box.top <= from + 800)
      .map(([, index]) => index);
    assert.equal(first, touching[0]);
    assert.equal(end, touching[touching.length - 1] + 1);
  }
});
