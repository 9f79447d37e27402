// Short sentences over the page, and what a screen reader hears.

import { make } from '/reunion/elements.js';
import { frameWords } from './frame-words.js';

const shown = make('.notices', { role: 'status' });
const spoken = make('.unseen', { role: 'status' });
const shownMilliseconds = 8000;
const spokenEvery = 3000;
let saying = 0;

/** Where notices appear: once in the page, and in front of an open dialog. */
export const noticeArea = () => make('.overlay', {}, shown, spoken);

/** In front of the dialog that is open, or in the page. */
const place = () => [...document.querySelectorAll('.overlay, dialog[open]')].pop()?.append(shown);
// Before whoever closes a dialog takes it away, with what is in it.
addEventListener('close', place, true);

/**
 * Shows a sentence, with a button where there is something to do about it (and another, `more`), and
 * returns its element.
 * It takes the place of the last one, but for those that `stay` until they are closed, or that
 * something can still be done about.
 */
export function notify(sentence,
  { label, act, more, stays, milliseconds = shownMilliseconds } = {}) {
  for (const other of [...shown.children]) {
    const isKept = other.hasAttribute('role') || (other.act && !act);
    if (!isKept || other.firstChild.textContent === sentence) other.remove();
  }
  const gone = () => notice.remove();
  const button = (text, then) =>
    make('button', { type: 'button', onclick: () => { gone(); then?.(); } }, text);
  const notice = make('.notice', { role: stays ? 'alert' : null }, make('p', {}, sentence),
    make('span.acts', {}, more ? button(more.label, more.act) : '', button(label ?? frameWords.ok, act)));
  notice.act = act;
  shown.append(notice);
  place();
  if (!stays) setTimeout(gone, milliseconds);
  return notice;
}

/** Tells a screen reader, at most every three seconds: the last of several sentences. */
export function announce(sentence) {
  clearTimeout(saying);
  saying = setTimeout(() => { spoken.textContent = sentence; }, spokenEvery);
}
