// Deletes by the rules of a model in JavaScript, for DeleteRulesInJavaScriptTests.

import { extend } from '../../Web/writing/delete-rules.js';
import { Model } from '../../Web/replica/model.js';
import { core } from '../../Web/tests/core.mjs';
import { Memory } from '../../Web/tests/memory.mjs';
import { answer } from './answers.mjs';

let devices = [];
let names = [];

await answer({
  begin({ sites, model, isWithoutRules }) {
    names = model.entities.map(({ name }) => name);
    devices = sites.map((site) => {
      const made = new Model(model);
      if (!isWithoutRules) extend(made);
      return new Memory(site, core, made);
    });
  },
  /** A list of `[act, entity, id, values]`; gives the sentence of a refusal, or nothing. */
  async write({ device, list }) {
    try {
      await devices[device].transaction((t) => {
        for (const [act, entity, id, values] of list) {
          if (act === 'create') t.create(entity, values, id);
          else if (act === 'set') t.set({ entity, id }, values);
          else t.delete({ entity, id });
        }
      });
      return '';
    } catch (error) {
      return error.message;
    }
  },
  meet({ device, other }) { devices[device].meet(devices[other]); },
  /** The living records, each in a line. */
  look({ device }) {
    return names.flatMap((name) => devices[device].records(name).map(
      ({ id, entity, creator, alive, ...fields }) =>
        [entity, id, ...Object.values(fields).map((value) => value ?? '-')].join(' '))).sort();
  },
});
