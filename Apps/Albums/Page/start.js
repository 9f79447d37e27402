// From a link to an open album: joins, opens the copy, and connects it.

import { icon, make } from '/reunion/elements.js';
import { frameWords } from '/kit/frame-words.js';
import { runInOneTab } from '/reunion/replica/lease.js';
import { Model } from '/reunion/replica/model.js';
import { Replica } from '/reunion/replica/replica.js';
import { Connection } from '/reunion/conversation/connection.js';
import { standIn } from '/kit/stand-in.js';
import { Uploads } from '/reunion/uploads/uploads.js';
import { openCore } from '/reunion/core/calls.js';
import { code } from './icons.js';
import { enter, gone, left } from './membership.js';
import { album } from './model.js';
import { photoFiles } from './photo-files.js';
import { retryImages } from './pictures.js';
import { AlbumStore } from './store.js';
import { buttons, dateOf, pages, sheetWords } from './words.js';

const againMilliseconds = 4000;
for (const name of Object.keys(frameWords)) frameWords[name] = sheetWords[name] ?? buttons[name];

function showPage(name) {
  const isAway = name.startsWith('un');
  standIn(pages[name], icon(code), make(`button.${isAway ? 'primary' : 'quiet'}`,
    { type: 'button', onclick: () => location.reload() }, buttons.tryAgain));
  if (!isAway) import('./code-picture.js');
  if (name === 'left') import('/reunion/uploads/leaving.js').then(({ remove }) => remove(gone()));
}

// The words are English, and the page is laid out as its reader is used to.
if (/^(ar|fa|he|ur)\b/.test(navigator.language)) document.documentElement.dir = 'rtl';

/** Opens the album; resolves with its store, or null where a page says why not. */
export async function start() {
  try {
    const opening = openCore('/reunion/registers.wasm');
    opening.catch(() => {});
    const entering = enter();
    dateOf(0); // The first date takes long: while the server answers.
    const { member, fragment, problem } = await entering;
    if (problem === 'out' || (member && left.known)) {
      await (await import('./leaving.js')).showLeft(!problem, opening);
      return null;
    }
    if (problem) {
      showPage(problem);
      if (problem === 'unreachable') setTimeout(() => location.reload(), againMilliseconds);
      return null;
    }
    const core = await opening;
    const { space, device } = member;
    const replica = await Replica.open({ space, device, model: new Model(album), core });
    return await connect(replica, member, fragment);
  } catch (error) {
    console.warn(error);
    showPage(error instanceof TypeError ? 'unreachable' : 'unable');
    return null;
  }
}

async function connect(replica, member, fragment) {
  const uploads = new Uploads({ replica, url: '/uploads', ...photoFiles(replica.core) });
  const connection = new Connection(replica);
  const store = new AlbumStore({ replica, connection, uploads, member, fragment });
  uploads.isOnline = () => connection.isMet;
  uploads.onmoved = () => connection.push();
  connection.mayPush = () => !uploads.isSendingPreviews;
  connection.onmet = () => uploads.wake();
  replica.onCommit(({ rows }) => rows && uploads.reload());
  connection.onhave = (hashes) => retryImages((url) => hashes.some((hash) => url.includes(hash)));
  runInOneTab(replica, connection, (isHeld) => { uploads.isActive = isHeld; });
  connection.state.subscribe(({ phase }) => phase === 'online' && retryImages());
  await uploads.open();
  return store;
}
