// From a link, or from nothing, to an open book: comes in, opens the copy, and connects it.

import { ask, remembered } from '/reunion/ask.js';
import { openCore } from '/reunion/core/calls.js';
import { make } from '/reunion/elements.js';
import { runInOneTab } from '/reunion/lease.js';
import { Model } from '/reunion/model.js';
import { Person } from '/reunion/person.js';
import { Replica } from '/reunion/replica.js';
import { standIn } from '/reunion/stand-in.js';
import { BookStore } from './store.js';
import { deviceName, pages, pageWords } from './words.js';

const againMilliseconds = 4000;
const memory = 'sudoku-member';

/** Shows a page that stands in for the book. */
function showPage(name) {
  standIn(pages[name], null,
    make('button.primary', { type: 'button', onclick: () => location.reload() }, pageWords.again));
}

// The words are English, and the page is laid out as its reader is used to.
if (/^(ar|fa|he|ur)\b/.test(navigator.language)) document.documentElement.dir = 'rtl';

/** Becomes a member by the link, or goes on as whom the server or this browser knows. */
async function enter(person, called, link) {
  const known = JSON.parse(localStorage.getItem(memory));
  try {
    const member = link.has('pair') ? await pairing(person, called)
      : await (link.has('join') ? ask('/join', { invite: link.get('join') }) : ask('/session'));
    localStorage.setItem(memory, JSON.stringify(member));
    return member;
  } catch (error) {
    // A book that was opened here stays open, whatever the link or the server says.
    if (known && !link.has('pair')) return known;
    throw error;
  }
}

async function pairing(person, called) {
  const { device, spaces } = await person.pair(location.href, { called });
  return { device, space: spaces[0] };
}

/** Opens the book; resolves with its store, or null where a page says why not. */
export async function start() {
  const link = new URLSearchParams(location.hash.slice(1));
  try {
    const [core, schema] = await Promise.all([openCore('/reunion/registers.wasm'),
      remembered('sudoku-model', () => ask('/model.json'))]);
    const person = await Person.open({ core });
    const called = deviceName(navigator.userAgent);
    const member = await enter(person, called, link);
    history.replaceState(null, '', location.pathname);
    const model = new Model(schema);
    const replica = await Replica.open({ space: await person.ownSpace(), device: member.device, model, core });
    const session = person.session(replica, { called });
    runInOneTab(replica, session);
    const [brought, invited] = [link.get('puzzle'), link.get('game')];
    return new BookStore({ replica, session, person, member, called, brought, invited });
  } catch (error) {
    console.warn(error);
    const { status } = error;
    if (status) {
      history.replaceState(null, '', location.pathname);
      showPage(link.has('pair') ? 'unpaired' : !link.has('join') ? 'stranger' : status === 410 ? 'expired' : 'wrong');
    } else {
      const isAway = error instanceof TypeError;
      showPage(isAway ? 'unreachable' : 'unable');
      if (isAway) setTimeout(() => location.reload(), againMilliseconds);
    }
    return null;
  }
}
