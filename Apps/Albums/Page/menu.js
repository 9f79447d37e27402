// The menu and what it opens: the code for guests, one's name, a moved album.

import { make } from '/reunion/elements.js';
import { Handoff } from '/reunion/person/handoff.js';
import { handoffLines, hostWords, menuWords } from './later-words.js';
import { invite } from './membership.js';
import { notify } from '/kit/notices.js';
import { codeImage, invitation, lineForm, linkRow, menuItem, openSheet } from '/kit/sheets.js';
import { buttons, inviteLabel, menuLabel, nameLabel, notLoaded, sheetWords } from './words.js';

/** The code and the link for guests. */
export const openInvite = () => openSheet(inviteLabel, make('p', {}, sheetWords.scan), invitation(async () => {
  const { url, svg } = await invite();
  return [codeImage(svg), linkRow(url, sheetWords.guestsLink)];
}));

/** The menu: one's name, the wall, a moved album, the way out; for the host also people and new links. */
export function openMenu(store) {
  const host = (text, act) => store.isHost && menuItem(text,
    () => import('./host.js').then(act, () => notify(notLoaded)));
  openSheet(menuLabel, ...[
    store.canAdd && menuItem(nameLabel, () => openName(store)),
    make('a.item', { href: '/wall' }, menuWords.wall),
    menuItem(menuWords.moved, () => openMoved(store)),
    host(hostWords.people, ({ openPeople }) => openPeople(store)),
    host(hostWords.guestsLink, ({ openGuestsLink }) => openGuestsLink()),
    host(hostWords.newOwnersLink, ({ openOwnerLink }) => openOwnerLink()),
    menuItem(menuWords.signOut, () => import('./sign-out.js').then(
      ({ openSignOut }) => openSignOut(store), () => notify(notLoaded))),
  ].filter(Boolean));
}

function openName(store) {
  const form = lineForm({
    label: nameLabel, value: store.guest?.name ?? '', button: buttons.save,
    save: (name) => { store.setGuestName(name); sheet.close(); },
  });
  const sheet = openSheet(nameLabel, make('p', {}, menuWords.aboutName), form);
}

function openMoved(store) {
  const said = make('p', { role: 'status' });
  openSheet(menuWords.moved, make('p', {}, menuWords.movedHow), lineForm({
    label: menuWords.newLink, button: menuWords.open, type: 'url', placeholder: 'http://…', maxLength: 2000,
    save: (link) => {
      try {
        new Handoff({
          link, replica: store.replica, uploads: store.uploads,
          changed: ({ phase, left }) => {
            said.textContent = left ? handoffLines.left : handoffLines[phase];
          },
        });
      } catch {
        said.textContent = menuWords.notALink;
      }
    },
  }), said);
}
