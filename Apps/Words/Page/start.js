// From a link, or from nothing, to the table: comes in, opens the group's copy and one's own, and connects them.

import { openPage } from '/kit/entrance.js';
import { runInOneTab } from '/reunion/replica/lease.js';
import { enterAsPerson } from '/reunion/person/person.js';
import { Replica } from '/reunion/replica/replica.js';
import { Connection } from '/reunion/conversation/connection.js';
import { ServerClock } from './clock.js';
import { words } from './model.js';
import { loadRules } from './rules.js';
import { TableStore } from './store.js';
import { pages, pageWords } from './words.js';

/** Opens the table; resolves with its store, or null where a page says why not. */
export function start() {
  return openPage('words', {
    model: words, pages, again: pageWords.again, enter: (means) => enterAsPerson(means, pageWords.heading),
    open: async ({ core, model, person, member }) => {
      const open = (space) => Replica.open({ space, device: member.device, model, core });
      const [group, own] = await Promise.all([open(member.space), person.ownSpace().then(open), loadRules()]);
      const connection = new Connection(group);
      const ownConnection = person.connection(own, { called: pageWords.heading });
      // What was typed must be there 15 seconds after the end.
      for (const each of [connection, ownConnection]) each.pauseMillisecondsMax = 4000;
      runInOneTab(group, connection);
      runInOneTab(own, ownConnection);
      return new TableStore({ group, own, connection, ownConnection, device: member.device, clock: new ServerClock() });
    },
  });
}
