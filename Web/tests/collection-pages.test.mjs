// Counters, sets and lists in whole pages: two writes at once, what the small core kept, refusals, a copy that
// went back, and a hand-off.

import assert from 'node:assert/strict';
import { opening, space } from '../../Tests/World/network.mjs';
import { run, world } from './tabs-world.mjs';

const errand = { number: 5, name: 'errand', fields: [
  { number: 1, name: 'text', kind: 'text' }, { number: 2, name: 'done', kind: 'counter' },
  { number: 3, name: 'tags', kind: 'set', element: 'text' },
  { number: 4, name: 'steps', kind: 'list', element: 'text' },
] };
const whole = { entities: [errand] };
/** What an app knew before it had counters, sets and lists. */
const earlier = { entities: [{ ...errand, fields: errand.fields.slice(0, 1) }] };
const ada = 'ad'.repeat(8);

/** What opens a replica in a tab, with means to bring it something as a server does. */
const program = (core, model, device = ada) => `
import { Model } from '/reunion/replica/model.js';
import { Replica } from '/reunion/replica/replica.js';
import { openCore } from '/reunion/core/calls.js';
import { FlatWriter, FlatReader, noCells } from '/reunion/core/flat.js';
const core = await openCore('/reunion/${core}.wasm');
const replica = await Replica.open({
  space: '${space}', device: '${device}', model: new Model(${JSON.stringify(model)}), core,
});
const theirs = 'be'.repeat(8) + '01'.repeat(8);
const id = '0c'.repeat(16);
const text = (word) => ({ kind: 4, bytes: new TextEncoder().encode(word) });
const bytes = (...lists) => ({ kind: 5, bytes: Uint8Array.from(lists.flatMap((each) => [...each])) });
const site = new Uint8Array(16).fill(0xbe, 0, 8).fill(1, 8);
/** Cells of somebody else, [field, merge, seq, value] each, in the row of a record. */
const row = (list) => core.merge(noCells, new FlatWriter().cells(list.map(([field, merge, seq, { kind, bytes }]) =>
  ({ field, merge, kind, site: theirs, seq: BigInt(seq), stamp: BigInt(seq) << 16n, replaced: 0n,
   bytes }))).finish()).row;
const tally = (count) => ({ kind: 2, bytes: new FlatWriter(8).u64(count).finish() });
const empty = { kind: 0, bytes: new Uint8Array(0) };
let pushed = 0;
/** A push of the server's: records and refusals. */
async function push(records, refusals = []) {
  const stage = replica.stage();
  stage.add({ stamp: 1n, records: records.map((each) => ({ entity: 5, id, row: each })), refusals });
  const { kept } = await replica.applyPush(
   stage, { position: Uint8Array.of(++pushed), vector: new Map(), server: 'ee'.repeat(16) });
  await kept;
}
const told = () => {
  const { text, done, tags, steps, alive } = replica.get('errand', id) ?? {};
  return { text, done, tags: tags ? [...tags].sort() : null, steps: steps ? [...steps] : null, alive };
};
Object.assign(globalThis, {
   replica, core, row, push, told, text, bytes, tally, empty, site, id, theirs, FlatReader, FlatWriter });
`;

world('what is written at one moment comes in the order in which it was asked for', async (network) => {
  assert.deepEqual(await run(network, 'a', `${program('core', whole)}
    await replica.transaction((t) => t.create('errand', { steps: ['x'] }, id));
    const name = { entity: 'errand', id };
    const writing = ['a', 'b', 'c'].map((step) => replica.transaction((t) => {
      t.edit(name).steps.insert(step);
      t.edit(name).done.add(2);
      t.edit(name).steps.insert(step.toUpperCase(), 0);
    }));
    await Promise.all(writing);
    export const result = told();`),
  { text: null, done: 6, tags: [], steps: ['C', 'B', 'A', 'x', 'a', 'b', 'c'], alive: true });
});

const story = `
  [0, 0, 1, empty], [2, 4, 2, tally(3n)], [2, 4, 9, tally(5n)], [3, 5, 3, text('a')], [3, 5, 4, text('b')],
  [3, 6, 10, bytes([4, 1, 97, 1], site, [3])],
  [4, 7, 5, text('mix')], [4, 8, 6, bytes(site, [5], [0x81, 0, 1, 1, 1])],
  [4, 7, 7, text('bake')], [4, 8, 8, bytes(site, [7], [0x81, 1, 1, 1, 1])],
  [4, 8, 11, bytes(site, [7], [0x7f, 255, 1, 1, 1])],
  [4, 9, 12, bytes(site, [5])]`;
const outcome = { done: 5, tags: ['b'], steps: ['bake'] };

world('what an earlier version of the page kept whole, the next one reads and goes on with', async (network) => {
  // One by one, so that the small core holds each of them.
  await run(network, 'a', `${program('registers', earlier)}
    for (const cell of [${story}, [1, 2, 13, text('Bread')]]) await push([row([cell])]);
    export const result = new FlatReader(replica.cells(5, id).cells).cells().length;`)
    .then((count) => assert.equal(count, 13, 'nothing is merged'));
  await network.tell({ do: 'kill', tab: 'a' });
  assert.deepEqual(await run(network, 'b', `${program('core', whole)}
    export const result = told();`), { text: 'Bread', ...outcome, alive: true });
  assert.deepEqual(await run(network, 'b', `
    await replica.transaction((t) => {
      const { done, tags, steps } = t.edit({ entity: 'errand', id });
      done.add(1);
      tags.remove('b');
      steps.insert('eat');
    });
    export const result = [told(), new FlatReader(replica.cells(5, id).cells).cells().length];`),
  [{ text: 'Bread', done: 6, tags: [], steps: ['bake', 'eat'], alive: true }, 11]);
});

world('a page of the model on the small core says what to open', async (network) => {
  const [sentence] = await run(network, 'a', `
    import { Model } from '/reunion/replica/model.js';
    import { Replica } from '/reunion/replica/replica.js';
    import { openCore } from '/reunion/core/calls.js';
    const model = new Model(${JSON.stringify(whole)});
    const core = await openCore('/reunion/registers.wasm');
    const opening = Replica.open({ space: '${space}', device: '${ada}', model, core });
    export const result = [await opening.then(() => 'It opens.', ({ message }) => message)];`);
  assert.equal(sentence,
    'The model has counters, sets or lists, and this page has the small core, which only keeps them: '
    + 'open /reunion/core.wasm instead.');
});

world('what a server refuses of them is taken back, and what was written since stays', async (network) => {
  const before = { text: null, done: 5, tags: ['b'], steps: ['bake'], alive: true };
  assert.deepEqual(await run(network, 'a', `${program('core', whole)}
    const standing = row([${story}]);
    await push([standing]);
    const name = { entity: 'errand', id };
    const first = told();
    await replica.transaction((t) => {
      const { done, tags, steps } = t.edit(name);
      done.add(7);
      tags.remove('b');
      tags.add('mine');
      steps.insert('eat');
      steps.move(1, 0);
      steps.remove(1);
    });
    const written = told();
    const sent = new Map([[replica.site, replica.seq]]);
    await replica.transaction((t) => t.edit(name).tags.add('since'));
    await push([standing], [{ entity: 5, id, sent, sentence: 'No.' }]);
    export const result = [first, written, told()];`),
  [before, { ...before, done: 12, tags: ['mine'], steps: ['eat'] }, { ...before, tags: ['b', 'since'] }]);
});

world('a copy that went back issues anew what it had not sent, and keeps its order', async (network) => {
  const [shown, again, sites] = await run(network, 'a', `${program('core', whole)}
    const name = { entity: 'errand', id };
    await push([row([${story}])]);
    await replica.transaction((t) => {
      const { done, tags, steps } = t.edit(name);
      tags.add('c').add('d');
      tags.remove('c');
      steps.insert('eat');
      steps.insert('rest', 0);
      steps.insert('gone', 1);
      steps.move(2, 0);
    });
    await replica.transaction((t) => t.edit(name).steps.remove(2));
    await replica.transaction((t) => t.create('errand', { done: 4, text: 'New' }, '0d'.repeat(16)));
    const shown = told();
    const old = replica.site;
    await replica.renewSite();
    const named = new FlatReader(replica.cells(5, id).cells).cells().filter(({ site }) => site === old);
    export const result = [
       shown, told(), [old !== replica.site, named.length, replica.get('errand', '0d'.repeat(16)).done]];`);
  assert.deepEqual(shown.steps, ['bake', 'rest', 'eat']);
  assert.deepEqual(again, shown);
  assert.deepEqual(sites, [true, 0, 4]);
});

world('what waits in a page is taken over by another, as changes', async (network) => {
  const waiting = await run(network, 'a', `${program('core', whole)}
    const name = { entity: 'errand', id };
    await push([row([${story}])]);
    await replica.transaction((t) => {
      const { done, tags, steps } = t.edit(name);
      done.add(7);
      tags.remove('b');
      tags.add('mine');
      steps.insert('eat');
      steps.insert('knead', 0);
      steps.move(1, 0);
    });
    const cells = replica.model.parts.waiting(replica.changesBeyond()[0].cells);
    export const result = JSON.stringify(cells, (key, value) => typeof value === 'bigint' ? { big: String(value) }
      : value instanceof Uint8Array ? { raw: [...value] } : value);`);
  await network.tell({ do: 'kill', tab: 'a' });
  const taken = await run(network, 'c', `${program('core', whole, 'cc'.repeat(8))}
    await push([row([${story}, [4, 7, 20, text('cool')], [4, 8, 21, bytes(site, [20], [0x81, 2, 1, 1, 1])]])]);
    const cells = JSON.parse(${JSON.stringify(waiting)}, (key, value) =>
       typeof value?.big === 'string' ? BigInt(value.big)
      : value?.raw ? Uint8Array.from(value.raw) : value);
    await replica.transaction((t) => t.take({ entity: 'errand', id }, cells));
    export const result = told();`, { browser: 'cy' });
  assert.deepEqual([taken.done, taken.tags], [12, ['mine']]);
  assert.deepEqual(taken.steps.filter((step) => step !== 'cool'), ['bake', 'knead', 'eat']);
  assert.equal(taken.steps.length, 4);
});

world('a delete acts by its rules on what was written a moment before, too', async (network) => {
  const shelves = { entities: [{ number: 1, name: 'shelf', fields: [] }, { number: 2, name: 'book', fields: [
    { number: 1, name: 'shelf', kind: 'reference', target: 1, onDelete: 'delete' },
  ] }, { number: 3, name: 'loan',
    fields: [{ number: 1, name: 'book', kind: 'reference', target: 2, onDelete: 'refuse' }] }] };
  const [deleted, refused] = await run(network, 'a', `${program('registers', shelves)}
    const [shelf, book] = ['1', '2'].map((digit) => digit.repeat(32));
    await replica.transaction((t) => t.create('shelf', {}, shelf));
    const count = () => ['shelf', 'book', 'loan'].map((name) => replica.records(name).length);
    replica.transaction((t) => t.create('book', { shelf }, book));
    await replica.transaction((t) => t.delete({ entity: 'shelf', id: shelf }));
    const deleted = count();
    await replica.transaction((t) => {
      t.create('shelf', {}, '3'.repeat(32));
      t.create('book', { shelf: '3'.repeat(32) }, '4'.repeat(32));
    });
    replica.transaction((t) => t.create('loan', { book: '4'.repeat(32) }));
    const sentence = await replica.transaction((t) => t.delete({ entity: 'shelf', id: '3'.repeat(32) }))
      .then(() => 'It is deleted.', ({ message }) => message);
    export const result = [deleted, [sentence.slice(0, 8), ...count()]];`);
  assert.deepEqual(deleted, [0, 0, 0]);
  assert.deepEqual(refused, ['The book', 1, 1, 1]);
});
