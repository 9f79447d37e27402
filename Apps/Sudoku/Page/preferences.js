// How a person wants the page: settings that roam with the book. What they were last stands in this
// browser, so that the first picture is right.

import { State } from '/reunion/replica/state.js';

const memory = 'sudoku-preferences';
/** What each may be, the usual first. */
export const choices = {
  colour: ['sea', 'plum', 'moss', 'clay'], scheme: ['auto', 'light', 'dark'],
  digits: ['medium', 'large', 'small'], mistakes: ['rules', 'solution', 'never'],
};
const usual = {
  ...Object.fromEntries(Object.entries(choices).map(([name, [first]]) => [name, first])),
  tidies: true, peers: true, name: '',
};

function kept() {
  try {
    return { ...usual, ...JSON.parse(localStorage.getItem(memory)) };
  } catch {
    return usual;
  }
}

export const preferences = new State(kept());
let settings; let keys;

preferences.subscribe((value) => {
  const { dataset } = document.documentElement;
  for (const name of ['colour', 'scheme', 'digits']) dataset[name] = value[name];
  localStorage.setItem(memory, JSON.stringify(value));
});

/** Follows the settings in a person's own space. */
export async function followSettings(replica) {
  const [{ Settings }, { SettingKey }] = await Promise.all([
    import('/reunion/settings/settings.js'), import('/reunion/settings/setting-key.js')]);
  settings = new Settings(replica);
  keys = Object.fromEntries(Object.entries(usual).map(([name, value]) =>
    [name, new SettingKey(name, { default: value })]));
  for (const [name, key] of Object.entries(keys)) {
    settings.subscribe(key, ({ value }) => {
      if (!choices[name] || choices[name].includes(value)) preferences.set({ [name]: value });
    });
  }
}

/** Sets one, here and on the person's other devices. */
export function prefer(name, value) {
  preferences.set({ [name]: value });
  return settings?.set(keys[name], value);
}
