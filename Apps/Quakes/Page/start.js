// From nothing to an open map: comes in, opens the copy, and connects it.

import { ask, remembered } from '/reunion/conversation/ask.js';
import { openCore } from '/reunion/core/calls.js';
import { make } from '/reunion/elements.js';
import { runInOneTab } from '/reunion/replica/lease.js';
import { Model } from '/reunion/replica/model.js';
import { Replica } from '/reunion/replica/replica.js';
import { Connection } from '/reunion/conversation/connection.js';
import { standIn } from '/kit/stand-in.js';
import { quakes } from './model.js';
import { QuakeStore } from './store.js';
import { pageWords, pages } from './words.js';

const againMilliseconds = 4000;
const member = 'quakes-member';

/** Shows a page that stands in for the map. */
function showPage(name) {
  standIn(pages[name], null,
    make('button.primary', { type: 'button', onclick: () => location.reload() }, pageWords.again));
}

const join = async () => ask('/join', await ask('/invitation.json'));

/** Goes on as whom the server knows, or comes in by the map's open invitation. */
const enter = () => (localStorage.getItem(member) ? ask('/session').catch((error) => {
  if (error.status !== 401) throw error;
  return join();
}) : join());

// The words are English, and the page is laid out as its reader is used to.
if (/^(ar|fa|he|ur)\b/.test(navigator.language)) document.documentElement.dir = 'rtl';

/** Opens the map; resolves with its store, or null where a page says why not. */
export async function start() {
  try {
    const [core, { space, device }] = await Promise.all([
      openCore('/reunion/registers.wasm'), remembered(member, enter)]);
    const replica = await Replica.open({ space, device, model: new Model(quakes), core });
    const connection = new Connection(replica);
    runInOneTab(replica, connection);
    return new QuakeStore({ replica, connection });
  } catch (error) {
    console.warn(error);
    const isAway = error instanceof TypeError || error.status;
    showPage(isAway ? 'unreachable' : 'unable');
    if (isAway) setTimeout(() => location.reload(), againMilliseconds);
    return null;
  }
}
