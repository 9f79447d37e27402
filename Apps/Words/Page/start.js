// From a link, or from nothing, to the table: comes in, opens the group's copy and one's own, and connects them.

import { openPage } from '/reunion/entrance.js';
import { runInOneTab } from '/reunion/lease.js';
import { enterAsPerson } from '/reunion/person.js';
import { Replica } from '/reunion/replica.js';
import { Session } from '/reunion/session.js';
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
      const [session, ownSession] = [new Session(group), person.session(own, { called: pageWords.heading })];
      // What was typed must be there 15 seconds after the end.
      for (const each of [session, ownSession]) each.pauseMillisecondsMax = 4000;
      runInOneTab(group, session);
      runInOneTab(own, ownSession);
      return new TableStore({ group, own, session, ownSession, device: member.device, clock: new ServerClock() });
    },
  });
}
