// This page was opened by a link of another page, perhaps that of the album's old address: what waits
// there is taken over, where its person says so.

import { make } from '/reunion/elements.js';
import { receiveHandoff } from '/reunion/receive-handoff.js';
import { openSheet } from './sheets.js';
import { plural } from './words.js';

const question = ({ origin, files, changes }) =>
  `The page from ${origin} still holds ${plural(files, 'photo')} and `
  + `${plural(changes, 'change')} for this album.`;

/** Asks before anything is taken from another page. */
function askPerson(offer) {
  return new Promise((resolve) => {
    const answer = (value) => () => { resolve(value); sheet.close(); };
    const sheet = openSheet('Take over what waits there?', make('p', {}, question(offer)),
      make('.choice', {},
        make('button.primary', { type: 'button', onclick: answer(true) }, 'Take over'),
        make('button.quiet', { type: 'button', onclick: answer(false) }, 'Leave it there')));
    sheet.addEventListener('close', () => resolve(false));
  });
}

/** Takes over what the page that opened this one holds for the album. */
export function takeOver({ replica, uploads, session, fragment }) {
  const caughtUp = new Promise((resolve) => {
    session.state.subscribe(({ phase }) => phase === 'online' && resolve());
  });
  receiveHandoff({ replica, uploads, secret: fragment, ask: askPerson, caughtUp });
}
