// What version readers need, as a page says it: with its first write in a space, once, under a stamp of its own
// (docs/protocol.md 2.15).

import assert from 'node:assert/strict';
import { FlatReader } from '../core/flat.js';
import { space } from '../../Tests/World/network.mjs';
import { run as runIn, world } from './tabs-world.mjs';

const readerEntity = 16777212;
const entities = [{ number: 5, name: 'errand', fields: [{ number: 1, name: 'text', kind: 'text' }] }];
const next = { version: 3, minimumReader: 3, entities };

/** The same in a browser by its name. */
const run = (network, tab, browser, source) => runIn(network, tab, source, { browser });

/** What opens a page of a model and connects it. */
const page = (model, device) => `
import { Model } from '/reunion/replica/model.js';
import { Replica } from '/reunion/replica/replica.js';
import { Connection } from '/reunion/conversation/connection.js';
import { openCore } from '/reunion/core/calls.js';
import { runInOneTab } from '/reunion/replica/lease.js';
import { updateNeed } from '/reunion/writing/update-need.js';
const core = await openCore('/reunion/registers.wasm');
const model = ${JSON.stringify(model)};
const replica = await Replica.open({ space: '${space}', device: '${device}', model: new Model(model), core });
const connection = new Connection(replica);
const need = updateNeed(replica, model);
runInOneTab(replica, connection);
const write = (text) => replica.transaction((t) => t.create('errand', { text }));
const said = () => replica.cellsOf(${readerEntity}).length;
Object.assign(globalThis, { replica, connection, need, write, said });
export const result = 'open';
`;
const [ada, ben] = ['ad'.repeat(8), 'be'.repeat(8)];

/** What the relay has of it: the ids, and the cells of the first. */
function told(network) {
  const records = network.relay.content.filter(({ entity }) => entity === readerEntity);
  return { ids: records.map(({ id }) => id), cells: records.flatMap(({ cells }) =>
    new FlatReader(Uint8Array.from(cells)).cells()) };
}

world('the first write of a page in a space has older pages hear what it needs, once', async (network) => {
  await run(network, 'old', 'ben', page({ version: 1, entities }, ben));
  await run(network, 'new', 'ada', page(next, ada));
  assert.deepEqual(told(network).ids, [], 'A page that wrote nothing has said it');
  await run(network, 'new', 'ada', "export const result = await write('Bread');");
  const need = 'export const result = need.value;';
  assert.deepEqual(await run(network, 'old', 'ben', need), { isNeeded: true, needed: 3, version: 1 });
  assert.deepEqual(await run(network, 'new', 'ada', need), { isNeeded: false, needed: 3, version: 3 });
  const { ids, cells } = told(network);
  assert.deepEqual(ids, ['3'.padStart(32, '0')]);
  // As Swift writes it: the creation, and the version as a whole number, in a transaction of its own.
  assert.deepEqual(cells.map(({ field, kind, bytes }) => [field, kind, [...bytes]]),
    [[0, 0, []], [1, 2, [0, 0, 0, 0, 0, 0, 0, 3]]]);
  const others = network.relay.content.filter(({ entity }) => entity === 5).flatMap((record) =>
    new FlatReader(Uint8Array.from(record.cells)).cells().map(({ stamp }) => stamp));
  assert.equal(new Set(cells.map(({ stamp }) => stamp)).size, 1);
  assert.ok(others.length && !others.includes(cells[0].stamp));
  // Neither this page says it again, nor one that finds it said.
  await run(network, 'new', 'ada', "export const result = await write('Butter');");
  await run(network, 'again', 'ada', page(next, ada));
  await run(network, 'again', 'ada', "export const result = await write('Jam');");
  assert.deepEqual(told(network).cells, cells);
  assert.equal(network.relay.content.length, 4);
});

world('a page whose model asks for nothing says nothing, nor does what is no write of the app', async (network) => {
  await run(network, 'old', 'ben', page({ version: 3, entities }, ben));
  await run(network, 'old', 'ben', "await write('Milk'); export const result = said();");
  await run(network, 'new', 'ada', page(next, ada));
  const count = await run(network, 'new', 'ada', `
    import { merges } from '/reunion/core/flat.js';
    await replica.transaction((t) => t.stage(16777214, '0c'.repeat(16), (held, { site, stamp, seq }) => ({
      seq: seq + 1n, cells: [{ field: 0, merge: merges.creation, kind: 0, site, seq: seq + 1n, stamp, replaced: 0n,
        bytes: new Uint8Array(0) }] })));
    await replica.transaction(() => {});
    export const result = said();`);
  assert.equal(count, 0);
  assert.deepEqual(told(network).ids, []);
});

world('a write that fails leaves it to the next', async (network) => {
  await run(network, 'new', 'ada', page(next, ada));
  await network.tell({ do: 'browser', browser: 'ada', isFull: true });
  const failed = "export const result = [await write('Bread').catch(({ name }) => name), said()];";
  assert.deepEqual(await run(network, 'new', 'ada', failed), ['QuotaExceededError', 0]);
  await network.tell({ do: 'browser', browser: 'ada', isFull: false });
  assert.equal(await run(network, 'new', 'ada', "await write('Bread'); export const result = said();"), 1);
});

world('where a server takes no word of a guest, the rest stays, and it is not said again',
  async (network) => {
    await network.reach(false);
    await run(network, 'new', 'ada', page(next, ada));
    const result = await run(network, 'new', 'ada', `
      await write('Bread');
      const [first, { id }] = [said(), replica.cellsOf(${readerEntity})[0]];
      const stage = replica.stage();
      const sent = new Map([[replica.site, replica.seq]]);
      stage.add({ stamp: 1n, records: [], refusals: [{ entity: ${readerEntity}, id, sent, sentence: '' }] });
      await (await replica.applyPush(stage, {
        position: Uint8Array.of(1), vector: new Map(), server: 'ee'.repeat(16) })).kept;
      const taken = replica.cellsOf(${readerEntity}).filter(({ alive }) => alive).length;
      await write('Butter');
      const again = replica.cellsOf(${readerEntity}).filter(({ alive }) => alive).length;
      export const result = [first, taken, again, replica.records('errand').length];`);
    assert.deepEqual(result, [1, 0, 0, 2]);
  });
