// From a link, or from nothing, into an app's page, and what stands in where this browser may not come in.

import { openCore } from '/reunion/core/calls.js';
import { make } from '/reunion/elements.js';
import { frameWords } from './frame-words.js';
import { Model } from '/reunion/replica/model.js';
import { notify } from './notices.js';
import { standIn } from './stand-in.js';

const againMilliseconds = 4000;

/**
 * Comes in, and resolves with what `open` gives, or with null where a page says why not: `pages` has a heading and a
 * sentence for `stranger`, `wrong`, `expired`, `unpaired`, `unreachable` and `unable`, and `again` is the button below.
 * `model` is the module of the app's model. `enter({core, link, memory})` finds out who this browser is, and keeps it
 * under the name `memory`, which begins with the app's; `open` gets what it gives, with `{core, model, link}`.
 */
export async function openPage(app, { model, pages, again, enter, open }) {
  const link = new URLSearchParams(location.hash.slice(1));
  const show = (name) => standIn(pages[name], null,
    make('button.primary', { type: 'button', onclick: () => location.reload() }, again));
  // The words are English, and the page is laid out as its reader is used to.
  if (/^(ar|fa|he|ur)\b/.test(navigator.language)) document.documentElement.dir = 'rtl';
  try {
    const core = await openCore('/reunion/registers.wasm');
    const entered = await enter({ core, link, memory: `${app}-member` });
    history.replaceState(null, '', location.pathname);
    return await open({ ...entered, core, model: new Model(model), link });
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

/**
 * Shows an app's page, an element `tag`, with the store that `start` gives; resolves with the store, or with null where
 * it gives none. `sheetWords` are those of drawers and notices.
 */
export async function showPage(tag, start, sheetWords) {
  for (const name of Object.keys(frameWords)) frameWords[name] = sheetWords[name];
  // A link that is opened in this tab.
  addEventListener('hashchange', () => location.hash && location.reload());
  const store = await start();
  if (!store) return null;
  const page = make(tag);
  page.store = store;
  document.body.replaceChildren(page);
  // One can begin; the rest comes meanwhile.
  performance.mark('ready');
  return store;
}

/** Has notices say what a connection tells, and what the server refused: its sentence, or `refusedLine`. */
export function hear(connection, refusedLine) {
  connection.onnotice = (sentence) => notify(sentence, { stays: true });
  connection.onrefused = (refusals) => {
    for (const line of new Set(refusals.map(({ sentence }) => sentence || refusedLine))) notify(line);
  };
}
