// The menu: how the page is to be, this puzzle outside of it, one's other devices, and friends.

import { ask } from '/reunion/ask.js';
import { make } from '/reunion/elements.js';
import { codeImage, codeOf, failed, linkRow, openSheet } from '/reunion/sheets.js';
import { choices, prefer, preferences } from './preferences.js';
import { linkOf, textOf, valuesOf } from './rules.js';
import { menuWords, settingWords } from './words.js';

/** One of several, as radio buttons. */
function oneOf(name) {
  return make('fieldset', {}, make('legend', {}, settingWords[name]),
    make('.radios', {}, ...choices[name].map((value) => make('label', {}, make('input', {
      type: 'radio', name, value, checked: preferences.value[name] === value,
      onchange: () => prefer(name, value),
    }), make(`span.${name}-${value}`, {}, settingWords[`${name}-${value}`])))));
}

const onOrOff = (name) => make('label.switch', {}, make('input', {
  type: 'checkbox', checked: preferences.value[name], onchange: ({ target }) => prefer(name, target.checked),
}), make('span', {}, settingWords[name]));

function openSettings() {
  return openSheet(menuWords.settings, make('p', {}, menuWords.roam),
    oneOf('colour'), oneOf('scheme'), oneOf('digits'), oneOf('mistakes'), onOrOff('tidies'), onOrOff('peers'));
}

/** The code and the link for friends, with the `values` of a puzzle or the id of a `game` in it. */
export async function openInvite({ values, game } = {}) {
  const body = make('.invite', { ariaBusy: 'true' });
  openSheet(values ? menuWords.share : menuWords.invite,
    make('p', {}, values ? menuWords.shareHow : game ? menuWords.gameHow : menuWords.inviteHow),
    body);
  const text = values ? [linkRow(textOf(values), menuWords.text)] : [];
  try {
    const { url, svg } = await ask('/invite');
    const link = values ? `${url}&puzzle=${linkOf(values)}` : game ? `${url}&game=${game}` : url;
    body.replaceChildren(link === url ? codeImage(svg) : await codeOf(link), linkRow(link, menuWords.link), ...text);
  } catch {
    if (values) body.replaceChildren(make('p', {}, menuWords.textAlone), ...text);
    else failed(body);
  }
  body.removeAttribute('aria-busy');
}

/** One's devices, and a link for one more. */
async function openDevices({ person, called }) {
  const body = make('.invite', { ariaBusy: 'true' });
  const list = make('ul.devices');
  openSheet(menuWords.devices, make('p', {}, menuWords.devicesHow), list, body);
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
  body.replaceChildren(pair);
  await show().catch(() => {});
  body.removeAttribute('aria-busy');
}

export function openMenu(page) {
  const { store } = page;
  const item = (text, act) => make('button.item', { type: 'button', onclick: () => { menu.close(); act(); } }, text);
  const { puzzle, game } = page;
  const menu = openSheet(menuWords.menu,
    item(menuWords.table, () => page.tableSheet()),
    item(menuWords.fill, () => page.act('fill')),
    item(game && !game.isRace ? menuWords.clearMine : menuWords.clear, () => page.act('clear')),
    item(menuWords.share, () => openInvite({ values: valuesOf(puzzle.givens) })),
    item(menuWords.settings, openSettings),
    item(menuWords.devices, () => openDevices(store)),
    item(menuWords.invite, () => openInvite()));
  return menu;
}
