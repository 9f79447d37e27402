// Which quakes a search finds.

import { depthClass } from './geometry.js';
import { depthNames, magnitudeOf } from './words.js';

/** Small letters without accents: "Cañón" is found by "canon", O'Higgins by what a phone types. */
export const folded = (text) => text.normalize('NFD').replace(/\p{M}/gu, '')
  .replace(/[\u2018\u2019\u02bc]/g, "'").toLowerCase();

const texts = new WeakMap();

/** What a quake is found by: a record is frozen, so that it is folded once. */
function textOf(quake) {
  if (!texts.has(quake)) {
    texts.set(quake, folded(`${quake.place} ${quake.kind} ${depthNames[depthClass(quake.depth)]} `
      + `m${magnitudeOf(quake)} ${quake.event?.split(':').slice(-2).join('') ?? ''}`));
  }
  return texts.get(quake);
}

/**
 * A test for quakes that have all words of a search: parts of the place, of what it was or how deep;
 * `5+`, `>5` and `m5+` are magnitudes of at least that.
 */
export function matcher(search) {
  const tests = folded(search).split(/[\s,]+/).filter(Boolean).map((word) => {
    const least = /^(?:>=?|m>=?)(\d+(?:\.\d+)?)$|^m?(\d+(?:\.\d+)?)\+$/.exec(word);
    if (least) return ({ magnitude }) => magnitude >= Number(least[1] ?? least[2]);
    return (quake) => textOf(quake).includes(word);
  });
  return (quake) => tests.every((test) => test(quake));
}
