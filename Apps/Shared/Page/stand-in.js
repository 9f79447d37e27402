// A page that stands in for an app's, where that cannot be shown.

import { make } from '/reunion/elements.js';

/** Shows it, with a heading and a sentence, a picture above them (or ''), and more below. */
export function standIn([heading, text], picture, ...more) {
  document.title = heading;
  document.body.replaceChildren(make('main.stand-in', {},
    picture, make('h1', {}, heading), make('p', {}, text), ...more));
}
