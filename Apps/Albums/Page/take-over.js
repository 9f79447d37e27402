// This page was opened by a link of another page, perhaps that of the album's old address: what waits
// there is taken over, where its person says so.

import { make } from '/reunion/elements.js';
import { receiveHandoff } from '/reunion/person/receive-handoff.js';
import { openSheet } from '/kit/sheets.js';
import { takeOverWords } from './later-words.js';

/** Asks before anything is taken from another page. */
function askPerson(offer) {
  return new Promise((resolve) => {
    const answer = (value) => () => { resolve(value); sheet.close(); };
    const sheet = openSheet(takeOverWords.heading, make('p', {}, takeOverWords.question(offer)),
      make('.choice', {},
        make('button.primary', { type: 'button', onclick: answer(true) }, takeOverWords.yes),
        make('button.quiet', { type: 'button', onclick: answer(false) }, takeOverWords.no)));
    sheet.addEventListener('close', () => resolve(false));
  });
}

/** Takes over what the page that opened this one holds for the album. */
export function takeOver({ replica, uploads, connection, fragment }) {
  const caughtUp = new Promise((resolve) => {
    connection.state.subscribe(({ phase }) => phase === 'online' && resolve());
  });
  receiveHandoff({ replica, uploads, secret: fragment, ask: askPerson, caughtUp });
}
