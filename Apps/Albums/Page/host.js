// What only the host does, and only with the server: it is loaded when it is asked for.

import { ask } from '/reunion/conversation/ask.js';
import { make } from '/reunion/elements.js';
import { notify } from '/kit/notices.js';
import { codeImage, failed, linkRow, openSheet } from '/kit/sheets.js';
import { hostWords } from './later-words.js';
import { tilesOf } from './stacks.js';
import { buttons, sheetWords } from './words.js';

const forGoodMilliseconds = 20_000;

/** Revokes the owner's links. Gives a new one, `{url}`, for `uses` devices or for any number. */
const ownerLink = (uses) => ask('/owner-link', { uses });

/** Withdraws the guests’ links; gives a new one: `{url, svg}`. */
const guestsLink = () => ask('/guests-link', {});

/** Has an empty album ask for its code again. */
const tellNewCode = () => dispatchEvent(new Event('newguestslink'));

/** Everyone who has joined, for the host: `[{device, role, joinedAt}]`. */
const people = async () => (await ask('/devices')).devices;

/** Puts a device out, and withdraws the guests’ links where that `replacesLink`; resolves with whether it is. */
const putOut = (device, replacesLink) =>
  fetch(`/devices/${device}${replacesLink ? '?guests-link=new' : ''}`, { method: 'DELETE' })
    .then(({ ok }) => ok, () => false);

/** Asks once more, and then deletes photos for good, with their pictures; `undo` brings them back. */
export function deleteForGood(photos, undo) {
  const erase = ({ id }) => fetch(`/records/photo/${id}`, { method: 'DELETE' }).then(({ ok }) => ok);
  notify(hostWords.forGood(tilesOf(photos)), {
    label: hostWords.deleteForGood, milliseconds: forGoodMilliseconds,
    more: { label: buttons.undo, act: undo },
    act: async () => {
      const done = await Promise.all(photos.map((photo) => erase(photo).catch(() => false)));
      const rest = photos.filter((_, index) => !done[index]);
      if (rest.length) {
        notify(hostWords.notErased(tilesOf(rest)),
          { label: buttons.tryAgain, act: () => deleteForGood(rest, undo) });
      } else notify(hostWords.erased(tilesOf(photos)));
    },
  });
}

/** Everyone who has joined, with a way to put each out. */
export async function openPeople(store) {
  const body = make('.invite', { ariaBusy: 'true' });
  openSheet(hostWords.people, make('p', {}, hostWords.aboutPeople), body);
  try {
    const others = (await people()).filter(({ device }) => device !== store.member.device);
    body.replaceChildren(...others.reverse().map(({ device, role, joinedAt }) => {
      const act = (text, onclick) => make('button.quiet', { type: 'button', onclick }, text);
      const out = (replacesLink) => async () => {
        if (!await putOut(device, replacesLink)) return failed(body);
        row.remove();
        if (replacesLink) tellNewCode();
      };
      // The first tap asks, the second one does it.
      const remove = act(buttons.remove, () => {
        const both = act(hostWords.removeAndReplace, out(true));
        remove.replaceWith(make('span.ways', {}, both, act(hostWords.onlyRemove, out(false))));
        both.focus();
      });
      const name = make('b', { dir: 'auto' }, store.nameOf(device) || hostWords.noName);
      const row = make('.person', {}, make('span', {}, name,
        hostWords.since(role === 'admin', joinedAt)), remove);
      return row;
    }));
    if (!others.length) body.textContent = hostWords.nobody;
  } catch {
    failed(body);
  }
  body.removeAttribute('aria-busy');
}

/** A sheet that makes a new link, in one of several `ways`, and shows what `contents` gives of it. */
function openNewLink(heading, text, ways, contents) {
  const body = make('.invite', {}, ...Object.entries(ways).map(([label, makeLink], index) =>
    make(index ? 'button.quiet' : 'button.primary', {
      type: 'button',
      onclick: async () => {
        try {
          body.replaceChildren(...contents(await makeLink()));
        } catch {
          failed(body);
        }
      },
    }, label)));
  openSheet(heading, make('p', {}, text), body);
}

/** Makes a new guests’ link. */
export const openGuestsLink = () => openNewLink(hostWords.guestsLink,
  hostWords.aboutGuestsLink, { [hostWords.anyLink]: guestsLink },
  ({ url, svg }) => {
    tellNewCode();
    return [codeImage(svg), linkRow(url, sheetWords.guestsLink)];
  });

/** Makes a new owner’s link. */
export const openOwnerLink = () => openNewLink(hostWords.newOwnersLink,
  hostWords.aboutOwnersLink,
  { [hostWords.anyLink]: () => ownerLink(), [hostWords.oneDeviceLink]: () => ownerLink(1) },
  ({ url }) => [linkRow(url, hostWords.ownersLink)]);
