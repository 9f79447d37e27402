// From a link, or from nothing, into an app's page: who this browser is at its server, and what stands in where it
// may not come in.

import { ask, remembered } from './ask.js';
import { openCore } from './core/calls.js';
import { make } from './elements.js';
import { Model } from './model.js';
import { Person } from './person.js';
import { standIn } from './stand-in.js';

const againMilliseconds = 4000;

/** Becomes a member by the link, or goes on as whom the server or this browser knows. */
async function enter(person, memory, called, link) {
  const known = JSON.parse(localStorage.getItem(memory));
  try {
    const member = link.has('pair') ? await pairing(person, called)
      : await (link.has('join') ? ask('/join', { invite: link.get('join') }) : ask('/session'));
    localStorage.setItem(memory, JSON.stringify(member));
    return member;
  } catch (error) {
    // What was opened here stays open, whatever the link or the server says.
    if (known && !link.has('pair')) return known;
    throw error;
  }
}

async function pairing(person, called) {
  const { device, spaces } = await person.pair(location.href, { called });
  return { device, space: spaces[0] };
}

/**
 * Comes in, and resolves with what `open({core, model, person, member, link})` gives, or with null where a page says
 * why not: `pages` has a heading and a sentence for `stranger`, `wrong`, `expired`, `unpaired`, `unreachable` and
 * `unable`, and `again` is the button below. What is remembered begins with the app's name.
 */
export async function openPage(app, { pages, again, called, open }) {
  const link = new URLSearchParams(location.hash.slice(1));
  const show = (name) => standIn(pages[name], null,
    make('button.primary', { type: 'button', onclick: () => location.reload() }, again));
  // The words are English, and the page is laid out as its reader is used to.
  if (/^(ar|fa|he|ur)\b/.test(navigator.language)) document.documentElement.dir = 'rtl';
  try {
    const [core, schema] = await Promise.all([openCore('/reunion/registers.wasm'),
      remembered(`${app}-model`, () => ask('/model.json'))]);
    const person = await Person.open({ core });
    const member = await enter(person, `${app}-member`, called, link);
    history.replaceState(null, '', location.pathname);
    return await open({ core, model: new Model(schema), person, member, link });
  } catch (error) {
    console.warn(error);
    const { status } = error;
    if (status) {
      history.replaceState(null, '', location.pathname);
      show(link.has('pair') ? 'unpaired' : !link.has('join') ? 'stranger' : status === 410 ? 'expired' : 'wrong');
    } else {
      const isAway = error instanceof TypeError;
      show(isAway ? 'unreachable' : 'unable');
      if (isAway) setTimeout(() => location.reload(), againMilliseconds);
    }
    return null;
  }
}
