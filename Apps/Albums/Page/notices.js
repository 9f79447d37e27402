// Short sentences over the page, and what a screen reader hears.

import { make } from './dom.js';

const shown = make('.notices', { role: 'status' });
const spoken = make('.unseen', { role: 'status' });
const shownMilliseconds = 8000;
const spokenEvery = 3000;
let saying = 0;

/** Where notices appear: once in the page, and in front of an open dialog. */
export const noticeArea = () => make('.overlay', {}, shown, spoken);

/** Shows a sentence, with a button where there is something to do about it; `stays` until closed. */
export function notify(sentence, { label, act, stays, milliseconds = shownMilliseconds } = {}) {
  if ([...shown.children].some((other) => other.firstChild.textContent === sentence)) return;
  const gone = () => notice.remove();
  const notice = make('.notice', { role: stays ? 'alert' : null }, make('p', {}, sentence),
    make('button', { type: 'button', onclick: () => { act?.(); gone(); } }, label ?? 'OK'));
  shown.append(notice);
  const dialog = [...document.querySelectorAll('dialog[open]')].pop();
  (dialog ?? document.querySelector('.overlay')).append(shown);
  if (!stays) setTimeout(gone, milliseconds);
}

/** Brings the notices back to the page when a dialog closes. */
export const notifyInPage = () => document.querySelector('.overlay')?.prepend(shown);

/** Tells a screen reader, at most every three seconds: the last of several sentences. */
export function announce(sentence) {
  clearTimeout(saying);
  saying = setTimeout(() => { spoken.textContent = sentence; }, spokenEvery);
}
