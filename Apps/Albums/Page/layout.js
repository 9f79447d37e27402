// In which order photos stand, and how: in justified rows, where pictures keep their shape and fill the width.

const flattest = 3;
const tallest = 0.5;

const aheadMost = 5 * 60_000;

/**
 * Photos, newest first, by the time in their ids. One that is over five minutes ahead of when it arrived
 * stands by that: a clock was wrong, or somebody wants to be first for ever. Before the server has it, it is
 * last, but on its own `device`.
 */
export function inOrder(photos, device, now = Date.now()) {
  const placeOf = ({ id, storedAt, creator }) => {
    // A guest may have written that itself.
    const isStored = storedAt && storedAt <= now + aheadMost;
    const arrived = isStored ? Number(storedAt) : creator === device ? now : 0;
    if (parseInt(id.slice(0, 12), 16) <= (isStored ? arrived : now) + aheadMost) return id;
    return arrived.toString(16).padStart(12, '0') + id.slice(12);
  };
  return photos.map((photo) => [placeOf(photo), photo])
    .sort(([one], [other]) => (one < other ? 1 : -1)).map(([, photo]) => photo);
}

/** A picture's width over its height, as it is shown. */
export const ratioOf = (photo) => {
  const { width, height } = photo.shown ?? photo;
  return Number(width || 4) / Number(height || 3);
};

/** The ratio, within what a row can show. */
export const shapeOf = (photo) => {
  const shape = ratioOf(photo);
  return shape > 0 ? Math.min(flattest, Math.max(tallest, shape)) : 4 / 3;
};

/** How high rows should be at this width. */
export const targetHeight = (width) => (width < 600 ? 150 : width < 1100 ? 200 : 240);

/**
 * Lays pictures out in rows: `{boxes: [{left, top, width, height}], height}`. A row ends where its
 * height comes nearest to `target`; the last one is not stretched. All are whole numbers where
 * `width` and `gap` are: edges are sharp. Cost: O(pictures).
 */
export function justify(pictures, { width, target = targetHeight(width), gap = 4 }) {
  const boxes = [];
  let top = 0;
  let start = 0;
  let shapes = 0;
  const heightOf = (sum, count) => (width - gap * (count - 1)) / sum;
  const close = (end, sum, isLast) => {
    const exact = heightOf(sum, end - start);
    const high = isLast ? Math.min(target, exact) : exact;
    const height = Math.round(high);
    let at = 0;
    for (let index = start; index < end; index++) {
      const left = Math.round(at);
      at += shapeOf(pictures[index]) * high;
      boxes.push({ left, top, width: Math.round(at) - left, height });
      at += gap;
    }
    top += height + gap;
    start = end;
    shapes = 0;
  };
  for (let index = 0; index < pictures.length; index++) {
    const shape = shapeOf(pictures[index]);
    const count = index - start;
    const withIt = heightOf(shapes + shape, count + 1);
    if (count > 0 && withIt < target && heightOf(shapes, count) - target < target - withIt) {
      close(index, shapes, false);
    }
    shapes += shape;
    if (heightOf(shapes, index + 1 - start) <= target) close(index + 1, shapes, false);
  }
  if (start < pictures.length) close(pictures.length, shapes, true);
  return { boxes, height: Math.max(0, top - gap) };
}

/** The range `[first, end)` of boxes that touch the band from `from` to `to`. */
export function visibleRange(boxes, from, to) {
  const search = (isBefore) => {
    let low = 0;
    let high = boxes.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (isBefore(boxes[middle])) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return [
    search(({ top, height }) => top + height < from),
    search(({ top }) => top <= to),
  ];
}
