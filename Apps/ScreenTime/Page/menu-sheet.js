// What parents do beside looking: follow somebody, hand out links, save and delete a history.

import { ask } from '/reunion/conversation/ask.js';
import { make } from '/reunion/elements.js';
import { notify } from '/kit/notices.js';
import { codeOf, invitation, lineForm, linkRow, menuItem, openSheet } from '/kit/sheets.js';
import { eraseWords, fileName, menuWords, pageWords } from './words.js';

/** Shows the link that a question gives, with its code. */
const openLink = (heading, how, question) => openSheet(heading, make('p', {}, how), invitation(async () => {
  const url = await question();
  return [await codeOf(url), linkRow(url, menuWords.copy)];
}));

/** A link to the server, from where other devices reach it. */
const linkOf = async (fragment) => `${(await ask('/invite')).url}#${fragment}`;

export function openMenu() {
  const sheet = openSheet(menuWords.heading,
    make('h3', {}, menuWords.follow),
    lineForm({
      label: menuWords.name, button: menuWords.add, maxLength: 40,
      save: async (name) => {
        try {
          await ask('/people', { name });
          sheet.close();
          notify(menuWords.added(name));
        } catch ({ message }) {
          notify(message);
        }
      },
    }),
    menuItem(menuWords.parents, () => openLink(menuWords.parents, menuWords.forADay,
      async () => (await ask('/owner-link', {})).url)),
    menuItem(menuWords.looking, () => openLink(menuWords.looking, menuWords.forGood,
      async () => linkOf((await ask('/looking', {})).fragment))));
  return sheet;
}

/** The link for a person's own devices. */
export const openDeviceLink = (person) => openLink(pageWords.link, menuWords.forDevice(person.name),
  async () => linkOf((await ask('/link', { person: person.id })).fragment));

/** Saves all that is kept of a person as a file. */
export function saveHistory(person) {
  const url = URL.createObjectURL(new Blob([JSON.stringify(person.export(), null, 1)], { type: 'application/json' }));
  make('a', { href: url, download: fileName(person.name) }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

function confirm(heading, text, label, act) {
  const sheet = openSheet(heading, make('p', {}, text), make('button.primary.danger', {
    type: 'button',
    onclick: async () => {
      try {
        notify(await act());
        sheet.close();
      } catch (error) {
        console.warn(error);
        notify(eraseWords.failed, { stays: true });
      }
    },
  }, label));
}

export function openErase({ id, name }) {
  confirm(eraseWords.heading, eraseWords.text(name), eraseWords.do,
    () => ask(`/people/${id}/history`, null, 'DELETE').then(() => eraseWords.done));
}

export function openEnd({ id, name }) {
  confirm(eraseWords.endHeading, eraseWords.endText(name), eraseWords.end,
    () => ask(`/people/${id}`, null, 'DELETE').then(() => eraseWords.ended(name)));
}
