// A page that stands in for the album, where that cannot be shown.

import { icon, make } from '/reunion/elements.js';
import { code } from './icons.js';

/** Shows it, with a heading and a sentence. */
export function standIn([heading, text], ...more) {
  document.title = heading;
  document.body.replaceChildren(make('main.stand-in', {},
    icon(code), make('h1', {}, heading), make('p', {}, text), ...more));
}
