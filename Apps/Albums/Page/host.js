// What only the host does, and only with the server: it is loaded when it is asked for.

import { ask } from '/reunion/ask.js';
import { make } from '/reunion/elements.js';
import { codeImage, failed, linkRow, openSheet } from './sheets.js';
import { dateOf } from './words.js';

/** Revokes the owner's links; gives a new one: `{url}`. */
const ownerLink = () => ask('/owner-link', {});

/** Withdraws the guests’ links; gives a new one: `{url, svg}`. */
const guestsLink = async () => {
  const link = await ask('/guests-link', {});
  dispatchEvent(new Event('newguestslink'));
  return link;
};

/** Everyone who has joined, for the host: `[{device, role, joinedAt}]`. */
const people = async () => (await ask('/devices')).devices;

/** Puts a device out, and withdraws the guests’ links where that `replacesLink`; resolves with whether it is. */
const putOut = (device, replacesLink) =>
  fetch(`/devices/${device}${replacesLink ? '?guests-link=new' : ''}`, { method: 'DELETE' })
    .then(({ ok }) => ok, () => false);

/** Everyone who has joined, with a way to put each out. */
export async function openPeople(store) {
  const body = make('.invite', { ariaBusy: 'true' });
  openSheet('People', make('p', {},
    'Whoever you remove is out at once; their photos stay. The guests’ link still lets them in: replace it.'), body);
  try {
    const others = (await people()).filter(({ device }) => device !== store.member.device);
    body.replaceChildren(...others.reverse().map(({ device, role, joinedAt }) => {
      const act = (text, onclick) => make('button.quiet', { type: 'button', onclick }, text);
      const out = (replacesLink) => async () => {
        if (!await putOut(device, replacesLink)) return failed(body);
        row.remove();
        if (replacesLink) dispatchEvent(new Event('newguestslink'));
      };
      // The first tap asks, the second one does it.
      const remove = act('Remove', () => {
        const both = act('Remove, and replace the guests’ link', out(true));
        remove.replaceWith(make('span.ways', {}, both, act('Only remove', out(false))));
        both.focus();
      });
      const name = make('b', { dir: 'auto' }, store.nameOf(device) || 'No name yet');
      const row = make('.person', {}, make('span', {}, name,
        `${role === 'admin' ? 'Host' : 'Guest'}, ${dateOf(joinedAt)}`), remove);
      return row;
    }));
    if (!others.length) body.textContent = 'Nobody else has joined yet.';
  } catch {
    failed(body);
  }
  body.removeAttribute('aria-busy');
}

/** Makes a new guests’ link. */
export function openGuestsLink() {
  const body = make('.invite', {}, make('button.primary', {
    type: 'button',
    onclick: async () => {
      try {
        const { url, svg } = await guestsLink();
        body.replaceChildren(codeImage(svg), linkRow(url, 'Link for guests'));
      } catch {
        failed(body);
      }
    },
  }, 'Make a new link'));
  openSheet('New guests’ link', make('p', {},
    'Who has joined stays. Earlier links and printed codes stop working.'), body);
}

/** Makes a new owner’s link. */
export function openOwnerLink() {
  const body = make('.invite', {}, make('button.primary', {
    type: 'button',
    onclick: async () => {
      try {
        const { url } = await ownerLink();
        body.replaceChildren(linkRow(url, 'Owner’s link'));
      } catch {
        failed(body);
      }
    },
  }, 'Make a new link'));
  openSheet('New owner’s link', make('p', {},
    'Whoever opens it can change and delete everything. Earlier owner’s links stop working.'), body);
}
