// The tables of the word race, over records in memory.

import assert from 'node:assert/strict';
import test from 'node:test';
import { State } from '../../../../Web/replica/state.js';
import { Memory, replicaOf } from '../../../../Web/tests/pages.mjs';

globalThis.localStorage = new Memory();
const { TableStore } = await import('../store.js');

const tableOf = ({ group = [], own = replicaOf([]), now = 1_000_000_000, device = 'a' }) => {
  const connection = { state: new State({ phase: 'online' }) };
  return new TableStore({
    group: replicaOf(group), own, connection, ownConnection: connection, device, clock: { now: () => now },
  });
};
const game = { entity: 'game', id: 'g', alive: true, openedAt: 999_999_000, list: 'x', hasBot: false };
const seat = {
  entity: 'seat', id: 's', alive: true, game: 'g', creator: 'a', name: 'Ada', color: 0, ready: 1, done: 0,
};
const round = { entity: 'round', id: 'r', game: 'g', number: 1, startsAt: 900_000, endsAt: 990_000 };
const score = { entity: 'score', id: 'c', round: 'r', seat: 's', offset: 0, points: 0 };

test('that all words have arrived is said once the last one is on the disk and sent', async () => {
  let keep;
  const own = replicaOf([], new Promise((done) => { keep = done; }));
  const table = tableOf({ group: [game, seat, round, score], own });
  const entered = table.enter(round, 'late');
  table.noteDone(game, round);
  await null;
  assert.deepEqual(table.group.written, []);
  keep();
  await entered;
  own.waiting.set({ records: 1 });
  table.noteDone(game, round);
  own.waiting.set({ records: 0 });
  await null;
  assert.deepEqual(table.group.written, []);
  table.noteDone(game, round);
  await null;
  await null;
  assert.deepEqual(table.group.written, [['set', 'seat', { done: 1 }, 's']]);
});

test('a table that is dated in another century is none', () => {
  const forged = [2n ** 60n, -(2n ** 60n), null, 2 ** 50].map((openedAt, at) => ({ ...game, id: `f${at}`, openedAt }));
  const seats = [...forged, game].map(({ id }) => ({ ...seat, id: `s${id}`, game: id }));
  const older = { ...game, id: 'e', openedAt: 999_998_000 };
  const table = tableOf({ group: [older, ...forged, game, ...seats, { ...seat, id: 'o', game: 'e' }] });
  assert.deepEqual(table.games.map(({ id }) => id), ['g', 'e']);
});

test('four sit at a table, three where the bot is one of the players', async () => {
  for (const [hasBot, most] of [[false, 4], [true, 3]]) {
    const about = { ...game, hasBot };
    const seats = ['b', 'c', 'd', 'e', 'f'].map((creator, at) => ({ ...seat, id: `s${at}`, creator, color: at }));
    const few = tableOf({ group: [about, ...seats.slice(0, most - 1)] });
    assert.equal(few.isFull(about), false);
    assert.equal(await few.sit(about, 'Ada'), true);
    const all = tableOf({ group: [about, ...seats] });
    assert.equal(all.seatsOf(about).length, most);
    assert.equal(await all.sit(about, 'Ada'), false);
    // A device that has a seat may come again.
    assert.equal(await tableOf({ group: [about, ...seats], device: 'c' }).sit(about, 'Cy'), true);
  }
});
