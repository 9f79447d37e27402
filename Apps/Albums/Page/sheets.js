// The drawers: the code for guests, the menu, a moved album.

import { iconButton, make } from '/reunion/elements.js';
import { Handoff } from '/reunion/handoff.js';
import { close } from './icons.js';
import { invite } from './membership.js';
import { notify } from './notices.js';
import { handoffLines, notLoaded } from './words.js';

/** Opens a drawer with a heading; the focus returns to where it was when it closes. */
export function openSheet(heading, ...content) {
  const before = document.activeElement;
  const dialog = make('dialog.sheet', {
    ariaLabel: heading,
    onclick: (event) => event.target === dialog && dialog.close(),
    onclose: () => {
      dialog.remove();
      before?.focus?.();
    },
  }, make('.inside', {},
    make('header', {}, make('h2', {}, heading), iconButton(close, 'Close', () => dialog.close())),
    ...content));
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

/** A link as text, with a button that copies it; the clipboard API is not there on plain HTTP. */
export function linkRow(url, label) {
  const input = make('input', { readOnly: true, value: url, ariaLabel: label, dir: 'ltr' });
  const button = make('button.quiet', {
    type: 'button',
    onclick: async () => {
      input.select();
      try {
        await navigator.clipboard.writeText(url);
      } catch {
        document.execCommand('copy');
      }
      button.textContent = 'Copied';
    },
  }, 'Copy');
  return make('.link', {}, input, button);
}

/** The QR code as an image: an SVG in an image runs nothing. */
export const codeImage = (svg) => make('img.code', {
  alt: 'QR code of the link for guests', src: `data:image/svg+xml,${encodeURIComponent(svg)}`,
});

export const failed = (body) => body.replaceChildren(
  make('p', {}, 'The album does not answer just now. Try again when the connection is back.'));

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

/** Asks for one line of text. */
export function lineForm({ label, value = '', button, maxLength = 60, save, ...rest }) {
  const input = make('input', {
    ariaLabel: label, value, maxLength, dir: 'auto', autocomplete: 'off', ...rest,
  });
  return make('form.line', {
    onsubmit: (event) => {
      event.preventDefault();
      if (input.value.trim()) save(input.value.trim());
    },
  }, input, make('button.primary', {}, button));
}

function openName(store) {
  const form = lineForm({
    label: 'Your name', value: store.guest?.name ?? '', button: 'Save',
    save: (name) => { store.setGuestName(name); sheet.close(); },
  });
  const about = make('p', {}, 'It stands under the photos that you add.');
  const sheet = openSheet('Your name', about, form);
}

function openMoved(store) {
  const said = make('p', { role: 'status' });
  openSheet('This album has moved', make('p', {},
    'Paste its new link. What waits on this phone is handed over to the page that opens.'),
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
