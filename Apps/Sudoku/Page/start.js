// From a link, or from nothing, to an open book: comes in, opens the copy, and connects it.

import { openPage } from '/reunion/entrance.js';
import { runInOneTab } from '/reunion/lease.js';
import { enterAsPerson } from '/reunion/person.js';
import { Replica } from '/reunion/replica.js';
import { sudoku } from './model.js';
import { BookStore } from './store.js';
import { deviceName, pages, pageWords } from './words.js';

/** Opens the book; resolves with its store, or null where a page says why not. */
export function start() {
  const called = deviceName(navigator.userAgent);
  return openPage('sudoku', {
    model: sudoku, pages, again: pageWords.again, enter: (means) => enterAsPerson(means, called),
    open: async ({ core, model, person, member, link }) => {
      const replica = await Replica.open({ space: await person.ownSpace(), device: member.device, model, core });
      const earlier = await person.earlierSpaces();
      if (earlier.length) {
        await import('./earlier-book.js').then(({ takeEarlierBooks }) => takeEarlierBooks(person, replica, earlier))
          .catch(console.warn); // At the next start.
      }
      const session = person.session(replica, { called });
      runInOneTab(replica, session);
      const [brought, invited] = [link.get('puzzle'), link.get('game')];
      return new BookStore({ replica, session, person, member, called, brought, invited });
    },
  });
}
