// From a link, or from nothing, to an open page: comes in, opens the copies, and connects them.

import { ask } from '/reunion/conversation/ask.js';
import { openPage } from '/kit/entrance.js';
import { notify } from '/kit/notices.js';
import { standIn } from '/kit/stand-in.js';
import { FamilyStore, openPerson, openSpace } from './family-store.js';
import { screenTime } from './model.js';
import { pages, pageWords, refusedLine } from './words.js';

const tell = {
  notice: (sentence) => notify(sentence, { stays: true }),
  refused: (refusals) => {
    for (const line of new Set(refusals.map(({ sentence }) => sentence || refusedLine))) notify(line, { stays: true });
  },
};

/** Becomes a member by the link, or goes on as whom this browser was: `{link, family}` or `{link, own}`. */
async function enter({ link, memory }) {
  const known = JSON.parse(localStorage.getItem(memory));
  const secret = link.get('join');
  if (!secret || known?.link === secret) {
    if (known) return known;
    if (!secret) throw Object.assign(new Error('There is no link.'), { status: 401 });
  }
  try {
    const joined = await ask('/join', { invite: secret });
    const member = link.has('limits')
      ? { link: secret, own: { use: joined, limits: await ask('/join', { invite: link.get('limits') }) } }
      : { link: secret, family: joined };
    // The role may be another now: the ways into everybody's spaces are asked for anew.
    if (member.family) localStorage.removeItem('screen-time-keys');
    localStorage.setItem(memory, JSON.stringify(member));
    return member;
  } catch (error) {
    // What was opened here stays open, whatever a new link says.
    if (known && !error.status) return known;
    throw error;
  }
}

/** Opens everything; resolves with the store, or null where a page says why not. */
export function start() {
  return openPage('screen-time', {
    model: screenTime, pages, again: pageWords.again, enter,
    open: async ({ family, own, ...means }) => {
      const store = new FamilyStore(own
        ? { means, tell, own: await openPerson('own', own, means, tell, { mayDecide: false, mayAsk: true }) }
        : { means, tell, family: await openSpace(family, means, tell), role: family.role });
      store.onout = () => standIn(pages.out, null);
      return store;
    },
  });
}
