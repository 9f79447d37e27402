// The menu and what it opens: the code for guests, one's name, a moved album.

import { make } from '/reunion/elements.js';
import { Handoff } from '/reunion/handoff.js';
import { invite } from './membership.js';
import { notify } from './notices.js';
import { codeImage, failed, lineForm, linkRow, openSheet } from './sheets.js';
import { handoffLines, notLoaded } from './words.js';

/** The code and the link for guests. */
export async function openInvite() {
  const body = make('.invite', { ariaBusy: 'true' });
  openSheet('Invite people',
    make('p', {}, 'Point a phone’s camera at the code. No app, no account.'), body);
  try {
    const { url, svg } = await invite();
    body.replaceChildren(codeImage(svg), linkRow(url, 'Link for guests'));
  } catch {
    failed(body);
  }
  body.removeAttribute('aria-busy');
}

/** The menu: one's name, the wall, a moved album, the way out; for the host also people and new links. */
export function openMenu(store) {
  const item = (text, act) => make('button.item', {
    type: 'button', onclick: () => { menu.close(); act(); },
  }, text);
  const host = (text, act) => store.isHost && item(text,
    () => import('./host.js').then(act, () => notify(notLoaded)));
  const menu = openSheet('Menu', ...[
    store.canAdd && item('Your name', () => openName(store)),
    make('a.item', { href: '/wall' }, 'Open the wall'),
    item('This album has moved', () => openMoved(store)),
    host('People', ({ openPeople }) => openPeople(store)),
    host('New guests’ link', ({ openGuestsLink }) => openGuestsLink()),
    host('New owner’s link', ({ openOwnerLink }) => openOwnerLink()),
    item('Sign out', () => import('./sign-out.js').then(
      ({ openSignOut }) => openSignOut(store), () => notify(notLoaded))),
  ].filter(Boolean));
}

function openName(store) {
  const form = lineForm({
    label: 'Your name', value: store.guest?.name ?? '', button: 'Save',
    save: (name) => { store.setGuestName(name); sheet.close(); },
  });
  const about = make('p', {}, 'It appears under the photos that you add.');
  const sheet = openSheet('Your name', about, form);
}

function openMoved(store) {
  const said = make('p', { role: 'status' });
  openSheet('This album has moved', make('p', {},
    'Paste its new link. The page that opens takes over what waits on this phone.'),
  lineForm({
    label: 'New link', button: 'Open', type: 'url', placeholder: 'http://…', maxLength: 2000,
    save: (link) => {
      try {
        new Handoff({
          link, replica: store.replica, uploads: store.uploads,
          changed: ({ phase, left }) => {
            said.textContent = left ? handoffLines.left : handoffLines[phase];
          },
        });
      } catch {
        said.textContent = 'That is not a link.';
      }
    },
  }), said);
}
