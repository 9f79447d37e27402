// Signing out: loaded when it is asked for.

import { ask } from '/reunion/conversation/ask.js';
import { make, say } from '/reunion/elements.js';
import { evict, forgetAll } from '/reunion/uploads/leaving.js';
import { failed, openSheet } from '/kit/sheets.js';
import { signOutWords } from './later-words.js';
import { forgetMember } from './membership.js';
import { previewURL, renditionURL } from './pictures.js';
import { recordsOf } from './stacks.js';

const patienceMilliseconds = 3000;

/** Takes the places of photos that will not come out of the album, while that answers. */
async function giveUp({ replica, uploads }) {
  const unsent = [...uploads.state.value.files.values()]
    .map(({ record }) => record && replica.get('photo', record)).filter((photo) => photo?.alive);
  if (!unsent.length) return;
  await replica.transaction((t) => { for (const photo of unsent) t.delete(photo); });
  await new Promise((resolve) => {
    replica.waiting.subscribe(({ records }) => records || resolve());
    setTimeout(resolve, patienceMilliseconds);
  });
}

/** Ends the membership, and deletes what this browser keeps of the album. Throws if the server is silent. */
async function signOut(store) {
  // Before anything is given up.
  await ask('/session');
  store.isLeaving = true;
  await giveUp(store);
  store.connection.stop();
  store.uploads.isActive = false;
  const isOut = await ask('/session', null, 'DELETE').then(() => true, ({ status }) => status === 401);
  if (!isOut) {
    location.reload();
    return;
  }
  await evict(store.photos.flatMap(recordsOf).flatMap((photo) => [previewURL(photo, store.uploads),
    ...photo.storedAt ? [renditionURL(photo, 320), renditionURL(photo, 2048)] : []]).filter(Boolean));
  await forgetAll(store.replica);
  forgetMember(store.replica.space);
  history.replaceState(null, '', '/#left');
  location.reload();
}

/** Asks, and says what is not sent yet. */
export function openSignOut(store) {
  const loss = make('p.loss', { role: 'status' });
  const go = make('button', {
    type: 'button',
    onclick: async () => {
      choice.ariaBusy = 'true';
      for (const button of choice.children) button.disabled = true;
      await signOut(store).catch(() => failed(choice));
    },
  });
  const stay = make('button', { type: 'button', onclick: () => sheet.close() }, signOutWords.stay);
  const choice = make('.choice', {}, go, stay);
  const sheet = openSheet(signOutWords.heading, make('p', {}, signOutWords.about), loss, choice);
  const end = store.subscribe(() => {
    const standing = { photos: store.uploads.unsent, records: store.standing.records };
    const line = signOutWords.loss(standing);
    say(loss, line);
    loss.hidden = !line;
    say(go, signOutWords.leave(standing));
    go.className = line ? 'quiet' : 'primary';
    stay.className = line ? 'primary' : 'quiet';
  });
  sheet.addEventListener('close', end);
}
