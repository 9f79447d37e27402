// The map's geometry: projection, views, dots. Pure: degrees, pixels, numbers.
//
// The world is Miller's cylindrical projection (O. M. Miller, "Notes on cylindrical world map
// projections", 1942), in units of its own width: x from 0 to 1 eastwards, y downwards from 0 at 90° N
// to `worldHeight` at 90° S. It goes on east and west without end. A view is `{x, y, scale}`: what is in
// the middle, and how many pixels the width of the world has.

const radians = Math.PI / 180;
const northPole = 1.25 * Math.asinh(Math.tan(0.8 * 90 * radians)) / (2 * Math.PI);

export const worldHeight = 2 * northPole;
/** The most that a view enlarges the world that fills its frame. */
export const zoomMax = 40;

/** Where a place in degrees is in the world. */
export const project = (longitude, latitude) => ({
  x: longitude / 360 + 0.5,
  y: northPole - 1.25 * Math.asinh(Math.tan(0.8 * latitude * radians)) / (2 * Math.PI),
});

/** The place in degrees at a point of the world; the longitude is from -180 to 180. */
export const unproject = ({ x, y }) => ({
  longitude: ((x % 1 + 1) % 1 - 0.5) * 360,
  latitude: Math.atan(Math.sinh((northPole - y) * 2 * Math.PI / 1.25)) / (0.8 * radians),
});

/** The scale at which the world just fills a frame, in width and in height. */
export const fillingScale = ({ width, height }) => Math.max(width, height / worldHeight);

/** The nearest view that shows nothing beyond the poles, and enlarges neither too little nor too much. */
export function clamped(view, frame) {
  const least = fillingScale(frame);
  const scale = Math.min(Math.max(view.scale, least), least * zoomMax);
  const half = frame.height / 2 / scale;
  return {
    x: (view.x % 1 + 1) % 1,
    y: Math.min(Math.max(view.y, half), Math.max(worldHeight - half, half)),
    scale,
  };
}

/** The view after the world was dragged by these pixels to the right and down. */
export const moved = (view, frame, right, down) =>
  clamped({ ...view, x: view.x - right / view.scale, y: view.y - down / view.scale }, frame);

/** The view after enlarging by a factor, so that what is at the pixel (left, top) stays there. */
export function zoomed(view, frame, factor, left = frame.width / 2, top = frame.height / 2) {
  const { scale } = clamped({ ...view, scale: view.scale * factor }, frame);
  const away = 1 / view.scale - 1 / scale;
  return clamped({
    x: view.x + (left - frame.width / 2) * away,
    y: view.y + (top - frame.height / 2) * away,
    scale,
  }, frame);
}

/** The pixel of a point of the world, of the copy of the world that is nearest to the middle. */
export function pixelOf({ x, y }, view, frame) {
  const right = x - view.x - Math.round(x - view.x);
  return {
    left: right * view.scale + frame.width / 2,
    top: (y - view.y) * view.scale + frame.height / 2,
  };
}

/** The offsets, in worlds, of the copies of the world that a frame shows. */
export function copies(view, { width }) {
  const half = width / 2 / view.scale;
  const list = [];
  for (let at = Math.floor(view.x - half); at < view.x + half; at++) list.push(at);
  return list;
}

/**
 * A dot's radius in pixels: its area doubles with each whole magnitude, 5 at magnitude 2, 10 at 4, 20
 * at 6. What is below magnitude 1, or has none, is as large as that.
 */
export const radiusOf = (magnitude) => 2.5 * Math.SQRT2 ** Math.max(magnitude ?? 1, 1);

/** The class of a depth in kilometres: 0 shallow, to 70; 1 intermediate, to 300; 2 deep. */
export const depthClass = (depth) => (depth >= 300 ? 2 : depth >= 70 ? 1 : 0);

/**
 * The dot that a tap at a pixel means: of those around it the one whose edge is nearest; where it is
 * inside of several, the uppermost, which is the last. Undefined if none is within reach.
 */
export function dotAt(dots, view, frame, left, top, reach = 16) {
  let found;
  let least = reach;
  for (const dot of dots) {
    const at = pixelOf(dot, view, frame);
    const distance = Math.max(Math.hypot(at.left - left, at.top - top) - dot.radius, 0);
    if (distance <= least) [found, least] = [dot, distance];
  }
  return found;
}

const digits = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_';

/** The outlines of land, as `Scripts/outline.py` packs them: rings of [longitude, latitude]. */
export function unpacked(text) {
  let at = 0;
  const number = () => {
    let value = 0;
    for (let unit = 1; ; unit *= 32) {
      const digit = digits.indexOf(text[at++]);
      value += digit % 32 * unit;
      if (digit < 32) break;
    }
    return value % 2 ? -(value + 1) / 2 : value / 2;
  };
  const rings = [];
  let [east, north] = [0, 0];
  while (at < text.length) {
    const ring = [];
    for (let count = number(); count > 0; count--) {
      east += number();
      north += number();
      ring.push([east / 10, north / 10]);
    }
    rings.push(ring);
  }
  return rings;
}
