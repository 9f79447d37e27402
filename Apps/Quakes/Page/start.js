// From nothing to an open map: comes in, opens the copy, and connects it.

import { openCore } from '/reunion/core/calls.js';
import { Lease } from '/reunion/lease.js';
import { Model } from '/reunion/model.js';
import { Replica } from '/reunion/replica.js';
import { Session } from '/reunion/session.js';
import { make } from './dom.js';
import { QuakeStore } from './store.js';
import { pages } from './words.js';

const againMilliseconds = 4000;
const member = 'quakes-member';

/** Shows a page that stands in for the map. */
function showPage(name) {
  const [heading, text] = pages[name];
  document.title = heading;
  document.body.replaceChildren(make('main.stand-in', {},
    make('h1', {}, heading), make('p', {}, text),
    make('button.primary', { type: 'button', onclick: () => location.reload() }, 'Try again')));
}

async function ask(path, body) {
  const response = await fetch(path, body && {
    method: 'POST', body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' },
  });
  if (response.ok) return response.json();
  throw Object.assign(new Error(`${path}: ${response.status}`), { status: response.status });
}

/** What the server says, remembered for when it does not answer. */
async function remembered(name, question) {
  try {
    const answer = await question();
    localStorage.setItem(name, JSON.stringify(answer));
    return answer;
  } catch (error) {
    const known = localStorage.getItem(name);
    if (known) return JSON.parse(known);
    throw error;
  }
}

const join = async () => ask('/join', await ask('/invitation.json'));

/** Goes on as whom the server knows, or comes in by the map's open invitation. */
const enter = () => (localStorage.getItem(member) ? ask('/session').catch((error) => {
  if (error.status !== 401) throw error;
  return join();
}) : join());

const isMember = () => ask('/session').then(() => true, ({ status }) => ![401, 403].includes(status));

// The words are English, and the page is laid out as its reader is used to.
if (/^(ar|fa|he|ur)\b/.test(navigator.language)) document.documentElement.dir = 'rtl';

/** Opens the map; resolves with its store, or null where a page says why not. */
export async function start() {
  try {
    const [core, schema, { space, device }] = await Promise.all([openCore('/reunion/core.wasm'),
      remembered('quakes-model', () => ask('/model.json')), remembered(member, enter)]);
    const replica = await Replica.open({ space, device, model: new Model(schema), core });
    return connect(replica);
  } catch (error) {
    console.warn(error);
    const isAway = error instanceof TypeError || error.status;
    showPage(isAway ? 'unreachable' : 'unable');
    if (isAway) setTimeout(() => location.reload(), againMilliseconds);
    return null;
  }
}

function connect(replica) {
  const session = new Session({
    replica, url: `${location.protocol.replace('http', 'ws')}//${location.host}/sync`, isMember,
  });
  const lease = new Lease(replica, (isHeld) => {
    if (isHeld) session.start();
    else session.stop();
  });
  replica.onmessage = (message) => {
    if (message.lease) lease.hear(message);
    if (message.phase && !lease.isHeld) session.state.set({ phase: message.phase });
  };
  session.state.subscribe(({ phase }) => { if (lease.isHeld) replica.tell({ phase }); });
  return new QuakeStore({ replica, session });
}
