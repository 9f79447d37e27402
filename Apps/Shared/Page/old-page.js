// A page that cannot read all that is here says so.

import { frameWords } from './frame-words.js';
import { notify } from './notices.js';
import { updateNeed } from '/reunion/writing/update-need.js';

/**
 * Has a notice say, now and later, that a newer version of the app wrote what this page is too old to read; and one,
 * that something kept in this browser could not be read.
 */
export function tellIfOld(replica) {
  if (replica.unreadable.length) notify(frameWords.unread, { stays: true });
  updateNeed(replica, replica.model).subscribe(({ isNeeded }) => isNeeded && notify(frameWords.old, {
    stays: true, more: { label: frameWords.reload, act: () => location.reload() },
  }));
}
