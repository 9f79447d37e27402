// The menu: how the page is to be, this puzzle outside of it, one's other devices, and friends.

import { ask } from '/reunion/conversation/ask.js';
import { make } from '/reunion/elements.js';
import { codeImage, codeOf, failed, invitation, linkRow, menuItem, openSheet, radios } from '/kit/sheets.js';
import { choices, prefer, preferences } from './preferences.js';
import { linkOf, textOf, valuesOf } from './rules.js';
import { menuWords, settingWords } from './words.js';

const oneOf = (name) => radios(settingWords[name], {
  name, values: choices[name], chosen: preferences.value[name], choose: (value) => prefer(name, value),
  labelOf: (value) => make(`span.${name}-${value}`, {}, settingWords[`${name}-${value}`]),
});

const onOrOff = (name) => make('label.switch', {}, make('input', {
  type: 'checkbox', checked: preferences.value[name], onchange: ({ target }) => prefer(name, target.checked),
}), make('span', {}, settingWords[name]));

function openSettings() {
  return openSheet(menuWords.settings, make('p', {}, menuWords.roam),
    oneOf('colour'), oneOf('scheme'), oneOf('digits'), oneOf('mistakes'), onOrOff('tidies'), onOrOff('peers'));
}

/** The code and the link for friends, with the `values` of a puzzle or the id of a `game` in it. */
export function openInvite({ values, game } = {}) {
  const text = values ? [linkRow(textOf(values), menuWords.text)] : [];
  const contents = async () => {
    const { url, svg } = await ask('/invite');
    const link = values ? `${url}&puzzle=${linkOf(values)}` : game ? `${url}&game=${game}` : url;
    return [link === url ? codeImage(svg) : await codeOf(link), linkRow(link, menuWords.link), ...text];
  };
  openSheet(values ? menuWords.share : menuWords.invite,
    make('p', {}, values ? menuWords.shareHow : game ? menuWords.gameHow : menuWords.inviteHow),
    invitation(values ? () => contents().catch(() => [make('p', {}, menuWords.textAlone), ...text]) : contents));
}

/** One's devices, and a link for one more. */
async function openDevices({ person, called }) {
  const list = make('ul.devices');
  const show = async () => {
    const devices = await person.ownDevices();
    list.replaceChildren(...devices.map((device) => make('li', {},
      make('span', {}, device.name, device.isThisOne ? make('small', {}, menuWords.thisOne) : ''),
      device.isThisOne ? '' : make('button.quiet', {
        type: 'button', onclick: () => person.remove(device).then(show, () => failed(body)),
      }, menuWords.remove))));
  };
  const pair = make('button.primary', {
    type: 'button',
    onclick: async () => {
      try {
        const { url } = await person.pairingLink({ called });
        const how = make('p.warning', {}, menuWords.pairHow);
        body.replaceChildren(how, await codeOf(url), linkRow(url, menuWords.pairLink));
        await show();
      } catch {
        failed(body);
      }
    },
  }, menuWords.pair);
  const body = make('.invite', {}, pair);
  openSheet(menuWords.devices, make('p', {}, menuWords.devicesHow), list, body);
  await show().catch(() => {});
}

export function openMenu(page) {
  const { store, puzzle, game } = page;
  openSheet(menuWords.menu,
    menuItem(menuWords.table, () => page.tableSheet()),
    menuItem(menuWords.fill, () => page.act('fill')),
    menuItem(game && !game.isRace ? menuWords.clearMine : menuWords.clear, () => page.act('clear')),
    menuItem(menuWords.share, () => openInvite({ values: valuesOf(puzzle.givens) })),
    menuItem(menuWords.settings, openSettings),
    menuItem(menuWords.devices, () => openDevices(store)),
    menuItem(menuWords.invite, () => openInvite()));
}
