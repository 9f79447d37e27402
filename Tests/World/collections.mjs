// Counters, sets and lists of JavaScript, for CollectionsInJavaScriptTests.

import { readFileSync } from 'node:fs';
import { extend } from '../../Web/writing/collections.js';
import { openCore } from '../../Web/core/calls.js';
import { FlatWriter, noCells } from '../../Web/core/flat.js';
import { Model } from '../../Web/replica/model.js';
import { core, smallPath } from '../../Web/tests/core.mjs';
import { Memory } from '../../Web/tests/memory.mjs';
import { answer, lines } from './answers.mjs';

const small = await openCore(new Uint8Array(readFileSync(smallPath)));
const name = 'errand';
const number = 9;
const model = new Model({ entities: [{ number, name, fields: [
  { number: 1, name: 'tags', kind: 'set', element: 'text' }, { number: 2, name: 'text', kind: 'text' },
  { number: 3, name: 'done', kind: 'counter' }, { number: 4, name: 'steps', kind: 'list', element: 'text' },
  { number: 5, name: 'sizes', kind: 'set', element: 'int' }, { number: 6, name: 'note', kind: 'text' },
] }] });
extend(model, core);

// The numbers that Swift draws, too: SplitMix64 from a seed for each action.
let state = 0n;
const mask = (1n << 64n) - 1n;
crypto.getRandomValues = (bytes) => {
  state = (state + 0x9e3779b97f4a7c15n) & mask;
  let z = state;
  z = ((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n) & mask;
  z = ((z ^ (z >> 27n)) * 0x94d049bb133111ebn) & mask;
  bytes.set(new FlatWriter(8).u64(z ^ (z >> 31n)).finish());
  return bytes;
};

let devices = [];
const edits = {
  add: (draft, [amount]) => draft.done.add(amount),
  insert: (draft, [tag]) => draft.tags.add(tag),
  remove: (draft, [tag]) => draft.tags.remove(tag),
  insertSize: (draft, [size]) => draft.sizes.add(size),
  removeSize: (draft, [size]) => draft.sizes.remove(size),
  insertItem: (draft, [text, index]) => draft.steps.insert(text, index ?? undefined),
  move: (draft, [from, to]) => draft.steps.move(from, to),
  removeItem: (draft, [index]) => draft.steps.remove(index),
  set: (draft, [text]) => { draft.text = text; },
};

await answer({
  // The last one of the devices is a page with the small core, which never writes.
  begin({ sites }) {
    devices = sites.map((site, at) => new Memory(site, at < sites.length - 1 ? core : small, model));
  },
  async create({ device, seed, id, values }) {
    state = BigInt(seed);
    await devices[device].transaction((t) => t.create(name, values, id));
  },
  async edit({ device, seed, list }) {
    state = BigInt(seed);
    await devices[device].transaction((t) => {
      for (const { id, act, about } of list) {
        const record = { entity: name, id };
        if (act === 'delete') t.delete(record);
        else if (act === 'assign') t.set(record, about[0]);
        else edits[act](t.edit(record), about);
      }
    });
  },
  meet({ device, other }) { devices[device].meet(devices[other]); },
  look({ device, ids }) {
    const cells = [];
    const records = [];
    for (const id of ids) {
      const row = devices[device].cells(number, id);
      if (!row) continue;
      // What the small core has kept whole comes to the same.
      const merged = core.merge(noCells, row.cells).row;
      cells.push(...lines(id, merged.subarray(1)));
      const { text, note, done, tags, sizes, steps, alive } =
        model.record(number, id, merged[0] === 1, merged.subarray(1));
      records.push({
        id, alive, text, note, done, tags: [...tags].sort(), sizes: [...sizes].sort((a, b) => a - b), steps,
      });
    }
    return { cells: cells.sort(), records };
  },
});
