// From a link, or from nothing, to an open book: comes in, opens the copy, and connects it.

import { openPage } from '/kit/entrance.js';
import { runInOneTab } from '/reunion/replica/lease.js';
import { enterAsPerson } from '/reunion/person/person.js';
import { Replica } from '/reunion/replica/replica.js';
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
      const connection = person.connection(replica, { called });
      runInOneTab(replica, connection);
      const [brought, invited] = [link.get('puzzle'), link.get('game')];
      return new BookStore({ replica, connection, person, member, called, brought, invited });
    },
  });
}
