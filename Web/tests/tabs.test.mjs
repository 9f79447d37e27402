import assert from 'node:assert/strict';
import test from 'node:test';
import { Network, opening, space, writing } from '../../Tests/World/network.mjs';
import { skip } from './core.mjs';

/** A test in a world of its own. */
const world = (sentence, body) => test(sentence, { skip }, async () => {
  const network = new Network(1);
  try {
    await body(network);
  } finally {
    network.end();
  }
});

const valueIn = async (network, tab, id) =>
  (await network.look(tab)).records.find((record) => record.id === id);

/** Makes a photo in a tab, and gives its id. */
async function photo(network, tab, values) {
  const effects = await network.write(tab, ['create', 'photo', values]);
  return effects.find(({ written }) => written).value[0];
}

world('what one browser writes is at the relay and in the other', async (network) => {
  await network.open('a', 'ada');
  await network.open('b', 'ben');
  const id = await photo(network, 'a', { caption: 'Hello' });
  await network.pass(3000);
  assert.equal((await valueIn(network, 'b', id)).caption, 'Hello');
  assert.equal((await network.look('a')).waiting, 0);
  assert.deepEqual(await network.content('ben'), network.relay.content);
});

world('what is committed while connected is pushed at once', async (network) => {
  await network.open('a', 'ada');
  await network.open('b', 'ben');
  await network.pass(3000);
  const id = await photo(network, 'a', { caption: 'Now' });
  await network.pass(100);
  assert.equal((await valueIn(network, 'b', id)).caption, 'Now');
});

/** Two tabs of Ada's; the first speaks with the relay, and shows what Ben wrote with a fast clock. */
async function twoTabs(network) {
  await network.open('a', 'ada');
  await network.pass(100);
  await network.open('a2', 'ada');
  await network.open('b', 'ben');
  const id = await photo(network, 'a', { caption: 'Ada' });
  await network.pass(3000);
  await network.tell({ do: 'browser', browser: 'ben', clockOffset: 200_000 });
  await network.write('b', ['set', 'photo', id, { caption: 'Ben' }]);
  // The push is on the screen, and not on the disk yet.
  for (let waited = 0; (await valueIn(network, 'a', id)).caption !== 'Ben'; waited += 1) {
    assert.ok(waited < 100, 'The push does not arrive');
    await network.pass(1);
  }
  const { records } = await network.stored('ada');
  assert.ok(records[0].cells.every(({ bytes }) => bytes !== Buffer.from('Ben').toString('hex')));
  return id;
}

world('an edit of what is on the screen wins, though another tab commits before it', async (network) => {
  const id = await twoTabs(network);
  await network.together(
    writing('a2', ['create', 'heart', {}]), writing('a', ['set', 'photo', id, { caption: 'Mine' }]));
  assert.equal((await valueIn(network, 'a', id)).caption, 'Mine');
  await network.pass(5000);
  for (const tab of ['a', 'a2', 'b']) {
    assert.equal((await valueIn(network, tab, id)).caption, 'Mine', tab);
  }
});

world('a commit of another tab takes nothing from the screen', async (network) => {
  const id = await twoTabs(network);
  await network.together(
    writing('a2', ['create', 'heart', {}]), writing('a', ['create', 'heart', {}]));
  assert.equal((await valueIn(network, 'a', id)).caption, 'Ben');
  await network.pass(5000);
  assert.deepEqual(await network.content('ada'), network.relay.content);
  assert.equal((await network.look('a2')).records.length, 3);
});

world('a tab that writes as a new site keeps what another tab commits meanwhile', async (network) => {
  const id = await twoTabs(network);
  await network.reach(false);
  const before = (await network.stored('ada')).site;
  await network.together(
    writing('a2', ['create', 'heart', {}]),
    writing('a2', ['set', 'photo', id, { width: 7 }]), { do: 'renew', tab: 'a' });
  const { site, records } = await network.stored('ada');
  assert.notEqual(site, before);
  assert.equal(records.length, 2);
  await network.reach(true);
  await network.pass(40_000);
  for (const tab of ['a', 'a2', 'b']) {
    assert.equal((await valueIn(network, tab, id)).width, 7, tab);
    assert.equal((await network.look(tab)).records.length, 2, tab);
  }
});

world('a renewal of another tab does not bring back the numbers of the old site', async (network) => {
  const id = await twoTabs(network);
  await network.reach(false);
  await network.write('a', ['set', 'photo', id, { width: 7 }], ['create', 'heart', {}]);
  await network.together({ do: 'renew', tab: 'a2' },
    writing('a', ['set', 'photo', id, { caption: 'After' }]));
  await network.reach(true);
  await network.pass(40_000);
  assert.deepEqual(await network.content('ada'), network.relay.content);
  assert.deepEqual(await network.content('ben'), network.relay.content);
  const { site, records } = await network.stored('ada');
  const width = records[0].cells.find(({ field }) => field === 4);
  assert.deepEqual([width.site, width.kind], [site, 2]);
});

world('two tabs that open a space at one moment write as one site', async (network) => {
  await network.together(opening('a', 'ada'), opening('a2', 'ada'));
  const sites = [(await network.look('a')).site, (await network.look('a2')).site];
  assert.equal(sites[0], sites[1]);
});

world('a tab that opens shows what another commits meanwhile', async (network) => {
  await network.open('a', 'ada');
  for (let after = 1; after < 14; after += 1) {
    const tab = `a${after}`;
    // The commit is somewhere in the middle of the opening.
    await network.together(opening(tab, 'ada'), { do: 'tasks', count: after },
      writing('a', ['create', 'heart', {}]));
    assert.equal((await network.look(tab)).records.length, after, `after ${after} tasks`);
    await network.tell({ do: 'kill', tab });
  }
});

world('a tab that dies in the middle of its commit leaves all of it or nothing', async (network) => {
  await network.open('a', 'ada');
  const seen = new Set();
  for (let after = 0; after < 12; after += 1) {
    const tab = `a${after}`;
    await network.open(tab, 'ada');
    const before = (await network.stored('ada')).records.length;
    const effects = await network.tell({
      ...writing(tab, ['create', 'heart', {}], ['create', 'photo', { caption: 'Both' }]),
      dies: { tab, after },
    });
    const more = (await network.stored('ada')).records.length - before;
    assert.ok(more === 0 || more === 2, `${more} of 2 records are there`);
    if (effects.some(({ written }) => written)) assert.equal(more, 2);
    seen.add(more);
    await network.tell({ do: 'kill', tab });
  }
  assert.deepEqual([...seen].sort(), [0, 2], 'it dies before and after the commit');
});

world('a power cut takes what was not forced to the disk, and it comes again', async (network) => {
  await network.open('a', 'ada');
  await network.open('b', 'ben');
  const mine = await photo(network, 'a', { caption: 'Mine' });
  const theirs = await photo(network, 'b', { caption: 'Theirs' });
  await network.pass(3000);
  assert.equal((await network.stored('ada')).records.length, 2);
  await network.tell({ do: 'powerCut', browser: 'ada' });
  const kept = (await network.stored('ada')).records.map(({ id }) => id);
  assert.deepEqual(kept, [mine], 'what was written here is kept, what was received is not');
  await network.open('a', 'ada');
  await network.pass(20_000);
  assert.equal((await valueIn(network, 'a', theirs)).caption, 'Theirs');
  assert.deepEqual(await network.content('ada'), network.relay.content);
});

world('a copy that went back and wrote on issues its changes anew, and loses nothing', async (network) => {
  await network.open('a', 'ada');
  await network.open('b', 'ben');
  const kept = await photo(network, 'a', { caption: 'Kept' });
  await network.pass(3000);
  await network.tell({ do: 'copy', browser: 'ada', as: 'backup' });
  const later = await photo(network, 'a', { caption: 'Later' });
  await network.pass(3000);
  await network.tell({ do: 'kill', tab: 'a' });
  await network.tell({ do: 'copy', browser: 'backup', as: 'ada' });
  await network.reach(false);
  const site = (await network.stored('ada')).site;
  await network.open('a', 'ada');
  // As many changes as were lost, and other ones: by their count nobody could tell.
  const other = await photo(network, 'a', { caption: 'Other' });
  await network.reach(true);
  await network.pass(60_000);
  assert.notEqual((await network.stored('ada')).site, site);
  for (const tab of ['a', 'b']) {
    for (const [id, caption] of [[kept, 'Kept'], [later, 'Later'], [other, 'Other']]) {
      assert.equal((await valueIn(network, tab, id))?.caption, caption, `${caption} in ${tab}`);
    }
  }
  assert.deepEqual(await network.content('ada'), network.relay.content);
  assert.ok(network.effects.some(({ tab, notice }) => tab === 'a' && /went back/.test(notice)),
    'its person is told');
});

world('what the server holds of a site that was given up is not waited for', async (network) => {
  await network.open('a', 'ada');
  await network.pass(3000);
  await network.write('a', ['create', 'heart', {}]);
  // The relay has the push, and the page has not heard of it.
  await network.pass(6);
  assert.equal(network.relay.content.length, 1);
  await network.reach(false);
  await network.tell({ do: 'renew', tab: 'a' });
  await network.reach(true);
  await network.pass(60_000);
  assert.equal((await network.look('a')).waiting, 0);
  assert.deepEqual(await network.content('ada'), network.relay.content);
});

world('a tab that opens beside another shows how the connection stands', async (network) => {
  await network.open('a', 'ada');
  await network.pass(3000);
  await network.open('a2', 'ada');
  await network.pass(3000);
  assert.equal((await network.look('a2')).phase, 'online');
});

world('what cannot be written is kept nowhere, and the rest goes on', async (network) => {
  await network.open('a', 'ada');
  await network.pass(3000);
  const wrong = [
    ['photo', { width: 'no' }], ['photo', { width: 1.5 }], ['photo', { width: { $int: String(2n ** 70n) } }],
    ['photo', { caption: 7 }], ['photo', { caption: 'x'.repeat(600_000) }],
    ['heart', { photo: { id: 'aa'.repeat(16) } }], ['heart', { photo: '00' }],
    ...['00', 'AA'.repeat(16), '', 7].map((id) => ['heart', {}, id]),
  ];
  for (const write of wrong) {
    const effects = await network.write('a', ['create', ...write]);
    assert.ok(effects.some(({ failed }) => failed), JSON.stringify(write).slice(0, 80));
  }
  const id = await photo(network, 'a', { caption: 'Right' });
  await network.pass(3000);
  assert.equal((await network.stored('ada')).records.length, 1);
  assert.deepEqual(network.relay.content.map((record) => record.id), [id]);
});

/** A program that puts rows into a browser's database: by key, of which record's row, and what becomes of it. */
const planting = (id, rows) => `
  import { Database, result as of } from '/reunion/replica/database.js';
  const database = await Database.open('reunion-${space}');
  await database.run(['records'], 'readwrite', async (store) => {
    const row = await of(store('records').get('3/${id}'));
    for (const [key, change] of [${rows}]) store('records').put(change(row), key);
  });
  export const result = true;`;

world('a page that is stuck on rows which cannot be read syncs again, and tells which', async (network) => {
  await network.open('a', 'ada');
  await network.open('b', 'ben');
  const theirs = await photo(network, 'b', { caption: 'Theirs' });
  const kept = await photo(network, 'a', { caption: 'Kept' });
  await network.pass(3000);
  await network.reach(false);
  const waiting = await photo(network, 'a', { caption: 'Waiting' });
  const cut = '0c'.repeat(16);
  await network.tell({ do: 'run', tab: 'a', source: planting(waiting, `
    ['3/00', (row) => row], ['3/undefined', (row) => row], ['4/' + '0A'.repeat(16), (row) => row],
    ['3/${theirs}', (row) => row.slice(0, 40)], ['3/${cut}', (row) => Uint8Array.of(...row, 7)],
    ['3/' + '0d'.repeat(16), () => 'nothing']`) });
  await network.pass(100);
  await network.tell({ do: 'kill', tab: 'a' });
  await network.open('a', 'ada');
  await network.reach(true);
  await network.pass(60_000);
  const { records, phase, waiting: left, unreadable } = await network.look('a');
  assert.deepEqual([phase, left], ['online', 0]);
  assert.deepEqual(records.map(({ caption }) => caption).sort(), ['Kept', 'Theirs', 'Waiting']);
  assert.deepEqual(unreadable.map(({ code, entity, id }) => `${code} ${entity} ${id}`).sort(), [
    'unreadable heart ' + '0A'.repeat(16),
    ...[cut, '00', 'undefined', theirs, '0d'.repeat(16)].map((id) => `unreadable photo ${id}`)].sort());
  assert.deepEqual(await network.content('ada'), network.relay.content);
  await network.tell({ do: 'kill', tab: 'a' });
  await network.open('a', 'ada');
  assert.deepEqual((await network.look('a')).unreadable, [], 'it is told once');
  assert.equal(records.length, 3, kept);
});

world('what a server claims to hold, and was never sent, is sent all the same', async (network) => {
  await network.open('a', 'ada');
  await photo(network, 'a', { caption: 'There' });
  await network.pass(3000);
  await network.reach(false);
  for (const caption of ['One', 'Two', 'Three', 'Four']) await photo(network, 'a', { caption });
  // Somebody told the server of half of it, and brought none.
  const { site } = await network.stored('ada');
  network.relay.vector = new Map([...network.relay.vector, [site, 9n]]);
  await network.reach(true);
  await network.pass(60_000);
  assert.deepEqual([(await network.look('a')).phase, (await network.look('a')).waiting], ['online', 0]);
  assert.equal(network.relay.content.length, 5);
  assert.deepEqual(await network.content('ada'), network.relay.content);
  assert.equal((await network.stored('ada')).site, site, 'no other site was needed');
});

world('a database that is away for seconds is asked again, and nothing is lost', async (network) => {
  await network.open('a', 'ada');
  await network.pass(3000);
  for (const seconds of [3, 20]) {
    await network.tell({ do: 'browser', browser: 'ada', isAway: true });
    await network.write('a', ['create', 'heart', {}]);
    await network.pass(seconds * 1000);
    assert.ok(!network.effects.some(({ failed, written }) => failed ?? written));
    await network.tell({ do: 'browser', browser: 'ada', isAway: false });
    await network.pass(30_000);
    assert.ok(network.effects.some(({ written }) => written), `after ${seconds} s`);
    network.effects.length = 0;
  }
  await network.tell({ do: 'browser', browser: 'ada', isAway: true });
  await network.write('a', ['create', 'heart', {}]);
  await network.pass(70_000);
  assert.match(network.effects.find(({ failed }) => failed).failed, /server lost/, 'in the end it is told');
  assert.equal(network.relay.content.length, 2);
});

world('a page that opens while the database is away opens when it is back', async (network) => {
  await network.open('a', 'ada');
  await network.tell({ do: 'kill', tab: 'a' });
  await network.tell({ do: 'browser', browser: 'ada', isAway: true });
  await network.open('a', 'ada');
  await network.pass(2000);
  await network.tell({ do: 'browser', browser: 'ada', isAway: false });
  await network.pass(10_000);
  assert.equal((await network.look('a')).phase, 'online');
});

world('a commit whose word is lost with the connection is not made twice', async (network) => {
  await network.open('a', 'ada');
  await network.tell({ do: 'browser', browser: 'ada', losesWord: true });
  await network.write('a', ['create', 'photo', { caption: 'Once' }]);
  await network.pass(5000);
  assert.ok(network.effects.some(({ written }) => written));
  const { records: [{ cells }] } = await network.stored('ada');
  assert.deepEqual(cells.map(({ seq }) => Number(seq)).sort(), [1, 2, 3]);
  assert.deepEqual(await network.content('ada'), network.relay.content);
});
