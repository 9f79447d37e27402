// What a page loads when somebody asks for it, or once it rests, so that it is there without a connection too.

import { notify } from './notices.js';

/** Does something with what `load()` brings; says `sentence` where that is not to be had. */
export const later = (sentence, load, act = () => {}) => load().then(act).catch((error) => {
  console.warn(error);
  notify(sentence);
});

/** Loads all of it once the page rests, and marks that the page is complete. */
export function loadAtRest(loads) {
  const atRest = window.requestIdleCallback ?? setTimeout;
  atRest(() => Promise.all(loads.map((load) => load())).then(() => performance.mark('complete'), console.warn));
}
