// Lenses of JavaScript, for LensesInJavaScriptTests and ConversionsInJavaScriptTests.

import { unhex, hex } from '../../Web/core/flat.js';
import { Lens, extend } from '../../Web/writing/lenses.js';
import { Model } from '../../Web/replica/model.js';
import { core } from '../../Web/tests/core.mjs';
import { Memory } from '../../Web/tests/memory.mjs';
import { answer, lines } from './answers.mjs';

let devices = [];
const bits = new DataView(new ArrayBuffer(8));

/** A value of a record in a word: of a double its bits. */
function word(kind, value) {
  if (kind !== 'double' || value === null) return String(value);
  bits.setFloat64(0, value);
  return bits.getBigUint64(0).toString(16);
}

/** Values as they were told: whole numbers come as digits. */
const told = (values) => Object.fromEntries(values.map(([name, value]) =>
  [name, value?.int === undefined ? value : BigInt(value.int)]));

const valuesOf = (list) => list.map((each) => {
  const [kind, digits] = each.split('.');
  return { kind: Number(kind), bytes: unhex(digits) };
});
const wordsOf = (values) => values?.map(({ kind, bytes }) => `${kind}.${hex(bytes)}`).join(' ') ?? '-';

await answer({
  begin({ sites, models, isWithoutLenses }) {
    devices = sites.map((site, at) => {
      const model = new Model(models[at]);
      if (!isWithoutLenses) extend(model);
      return new Memory(site, core, model);
    });
  },
  /** A list of `[act, id, values]`. */
  async write({ device, list }) {
    await devices[device].transaction((t) => {
      for (const [act, id, values] of list) {
        if (act === 'create') t.create('film', told(values), id);
        else if (act === 'set') t.set({ entity: 'film', id }, told(values));
        else t.delete({ entity: 'film', id });
      }
    });
  },
  meet({ device, other }) { devices[device].meet(devices[other]); },
  /** Cells and what shows of the records that are there. */
  look({ device, ids }) {
    const one = devices[device];
    const { fields } = one.model.entity('film');
    const records = ids.map((id) => one.get('film', id)).filter((record) => record);
    return {
      cells: records.flatMap(({ id }) => lines(id, one.cells(9, id).cells)).sort(),
      shown: records.filter(({ alive }) => alive).map((record) =>
        `${record.id} ${[...fields].map(([name, { kind }]) => word(kind, record[name])).join(' | ')}`),
    };
  },
  /** What a lens makes of values, and takes back. */
  convert({ lens, there, back }) {
    const one = new Lens(lens);
    return [...there.map((each) => wordsOf(one.forward(valuesOf(each)))),
      ...back.map((each) => wordsOf(one.back(valuesOf(each))))];
  },
});
