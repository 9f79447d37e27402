// A quake in one row, the same in the list and among a search's matches.

import { make, say } from '/reunion/elements.js';
import { depthClass } from './geometry.js';
import { sign } from './icons.js';
import { aboutLine, depthNames, magnitudeOf, placeOf } from './words.js';

/** Fills an element with a quake, or brings it up to date; `element.quake` is what it shows. */
export function fill(element, quake, unit) {
  if (!element.parts) {
    element.parts = {
      magnitude: make('b.magnitude'), place: make('span.place', { dir: 'auto' }),
      about: make('span.about'), depthName: make('span.unseen'), sign: null,
    };
    const { magnitude, place, about, depthName } = element.parts;
    element.append(make('span.size', {}, magnitude), make('span.words', {}, place, about, depthName));
  }
  const { parts } = element;
  const depth = depthClass(quake.depth);
  if (parts.depth !== depth) {
    parts.sign?.remove();
    parts.sign = sign(depth);
    parts.depth = depth;
    parts.magnitude.before(parts.sign);
  }
  element.quake = quake;
  element.classList.toggle('strong', quake.magnitude >= 4.5);
  say(parts.magnitude, magnitudeOf(quake));
  say(parts.place, placeOf(quake, unit));
  say(parts.about, aboutLine(quake, unit));
  say(parts.depthName, depthNames[depth]);
  return element;
}
