// From a link, or from nothing, to an open page: comes in, opens the copies, and connects them.

import { ask, remembered } from '/reunion/ask.js';
import { openCore } from '/reunion/core/calls.js';
import { make } from '/reunion/elements.js';
import { Model } from '/reunion/model.js';
import { notify } from '/reunion/notices.js';
import { standIn } from '/reunion/stand-in.js';
import { FamilyStore, openPerson, openSpace } from './family-store.js';
import { pages, pageWords, refusedLine } from './words.js';

const againMilliseconds = 4000;
const memory = 'screen-time-member';

const tell = {
  notice: (sentence) => notify(sentence, { stays: true }),
  refused: (refusals) => {
    for (const line of new Set(refusals.map(({ sentence }) => sentence || refusedLine))) notify(line, { stays: true });
  },
};

/** Shows a page that stands in for this one. */
function showPage(name) {
  standIn(pages[name], null,
    make('button.primary', { type: 'button', onclick: () => location.reload() }, pageWords.again));
}

// The words are English, and the page is laid out as its reader is used to.
if (/^(ar|fa|he|ur)\b/.test(navigator.language)) document.documentElement.dir = 'rtl';

/** Becomes a member by the link, or goes on as whom this browser was: `{link, family}` or `{link, own}`. */
async function enter(link) {
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
    localStorage.setItem(memory, JSON.stringify(member));
    return member;
  } catch (error) {
    // What was opened here stays open, whatever a new link says.
    if (known && !error.status) return known;
    throw error;
  }
}

/** Opens everything; resolves with the store, or null where a page says why not. */
export async function start() {
  const link = new URLSearchParams(location.hash.slice(1));
  try {
    const [core, schema] = await Promise.all([openCore('/reunion/registers.wasm'),
      remembered('screen-time-model', () => ask('/model.json'))]);
    const means = { core, model: new Model(schema) };
    const { family, own } = await enter(link);
    history.replaceState(null, '', location.pathname);
    if (own) {
      const person = await openPerson('own', own, means, tell, { mayDecide: false, mayAsk: true });
      return new FamilyStore({ means, tell, own: person });
    }
    return new FamilyStore({ means, tell, family: await openSpace(family, means, tell), role: family.role });
  } catch (error) {
    console.warn(error);
    const { status } = error;
    if (status) {
      history.replaceState(null, '', location.pathname);
      showPage(!link.has('join') ? 'stranger' : status === 410 ? 'expired' : 'wrong');
    } else {
      const isAway = error instanceof TypeError;
      showPage(isAway ? 'unreachable' : 'unable');
      if (isAway) setTimeout(() => location.reload(), againMilliseconds);
    }
    return null;
  }
}
