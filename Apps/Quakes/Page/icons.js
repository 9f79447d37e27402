// The map's icons and signs, on 24 by 24 units.

import { draw } from '/reunion/elements.js';

export const closer = 'M12 5v14M5 12h14';
export const farther = 'M5 12h14';
export const world = 'M12 3a9 9 0 1 0 0 18a9 9 0 1 0 0-18M3 12h18M12 3c5 5 5 13 0 18c-5-5-5-13 0-18';
export const close = 'M6 6l12 12M18 6L6 18';
export const search = 'M10.5 4a6.5 6.5 0 1 0 0 13a6.5 6.5 0 1 0 0-13M15.5 15.5L20 20';
export const out = 'M13 5h6v6M19 5l-9 9M17 14v5H5V7h5';

/** The sign of a depth class, as the map draws it: a disc, a ring, a diamond. */
export const sign = (depth) => draw(`sign depth-${depth}`, [
  ['circle', { cx: 12, cy: 12, r: 9 }], ['circle', { cx: 12, cy: 12, r: 7 }],
  ['path', { d: 'M12 1.5L22.5 12L12 22.5L1.5 12z' }],
][depth]);
