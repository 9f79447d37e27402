// A page that is too old for what a space holds says so.

import { frameWords } from './frame-words.js';
import { notify } from './notices.js';
import { updateNeed } from './update-need.js';

/** Has a notice say, now and later, that a newer version of the app wrote what this page is too old to read. */
export function tellIfOld(replica) {
  updateNeed(replica, replica.model).subscribe(({ isNeeded }) => isNeeded && notify(frameWords.old, {
    stays: true, more: { label: frameWords.reload, act: () => location.reload() },
  }));
}
