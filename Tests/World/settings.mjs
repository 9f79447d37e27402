// Settings of JavaScript, for SettingsInJavaScriptTests.

import { SettingKey } from '../../Web/settings/setting-key.js';
import { settingEntity } from '../../Web/settings/setting-cells.js';
import { Settings } from '../../Web/settings/settings.js';
import { core } from '../../Web/tests/core.mjs';
import { Memory } from '../../Web/tests/memory.mjs';
import { answer, lines } from './answers.mjs';

let keys = [];
let devices = [];

/** A value that a whole number stands for, and the text of a value. */
const makes = {
  int: (raw) => raw, double: (raw) => raw / 2, bool: (raw) => raw > 4,
  date: (raw) => raw * 1000, text: (raw) => (raw === 9 ? 'é'.repeat(300_000) : `w${raw}`),
};
const texts = {
  int: String, double: (value) => String(value * 2), bool: String, date: (value) => String(value / 1000),
  text: (value) => `${value.slice(0, 8)} ${value.length}`,
};
const bits = (raw) => new Set([0, 1, 2, 3].filter((bit) => raw & (1 << bit)));
const make = ({ kind, merge }, raw) => (merge === 'union' ? bits(raw) : makes[kind](raw));
const text = ({ kind, merge }, value) =>
  (merge === 'union' ? [...value].sort().join(' ') : texts[kind](value));

await answer({
  begin({ sites, probes }) {
    devices = sites.map((site) => new Memory(site, core)).map((memory) => ({ memory, settings: new Settings(memory) }));
    keys = probes.map(({ name, kind, merge, initial }) =>
      new SettingKey(name, { kind, merge, default: make({ kind, merge }, initial) }));
  },
  async write({ device, list }) {
    try {
      await devices[device].settings.write((t) => {
        for (const { act, probe, raw } of list) {
          const key = keys[probe];
          if (act === 'set') t.set(key, make(key, raw));
          else if (act === 'clear') t.clear(key);
          else t[act](key, raw);
        }
      });
      return 'written';
    } catch (error) {
      if (!error.code) throw error;
      return error.code;
    }
  },
  meet({ device, other }) { devices[device].memory.meet(devices[other].memory); },
  look({ device }) {
    const { memory, settings } = devices[device];
    const cells = memory.cellsOf(settingEntity).flatMap((row) => lines(row.id, row.cells));
    const values = keys.map((key) => {
      try {
        return text(key, settings.value(key));
      } catch (error) {
        return error.code;
      }
    });
    return { cells: cells.sort(), values, names: [...settings.keys].sort(), usage: settings.usage };
  },
});
