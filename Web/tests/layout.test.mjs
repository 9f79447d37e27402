import assert from 'node:assert/strict';
import test from 'node:test';
import { justify, shapeOf, visibleRange } from '../../Apps/Albums/Page/layout.js';

const shapes = [[4, 3], [3, 4], [16, 9], [1, 1], [9000, 100], [null, null], [2, 3]];
const pictures = (count) => Array.from({ length: count }, (_, index) => {
  const [width, height] = shapes[(index * 7 + (index >> 2)) % shapes.length];
  return { width, height };
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
