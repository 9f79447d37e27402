// What a page knows of a person: how devices stand, where their day is, and what is written of limits.

import assert from 'node:assert/strict';
import test from 'node:test';
import '../../../../Web/tests/pages.mjs';

const { PersonStore } = await import('../person-store.js');

/** A replica that holds records, and tells of those that a test puts into it. */
class Held {
  #records = new Map(); #listeners = new Map();
  waiting = { value: { records: 0 }, subscribe() {} };
  core = { hasher: () => ({ update() {}, finish: () => new Uint8Array(32) }) };

  records(name) { return [...this.#records.values()].filter(({ entity, alive }) => entity === name && alive); }
  subscribe(name, listener) { this.#listeners.set(name, listener); }
  get(name, id) { return this.#records.get(id); }
  put(entity, id, values) {
    this.#records.set(id, { ...this.#records.get(id), id, entity, alive: true, ...values });
    this.#listeners.get(entity)?.([this.#records.get(id)]);
  }
  async transaction(body) {
    return body({
      create: (entity, values, id = 'new') => this.put(entity, id, values),
      restore: ({ entity, id }) => this.put(entity, id, {}),
      set: ({ entity, id }, values) => this.put(entity, id, values),
    });
  }
}

/** A person's store over two replicas, of which a test may say how its connection stands. */
function opened(...records) {
  const [use, limits] = [new Held(), new Held()];
  for (const record of records) use.put(...record);
  const state = { value: { phase: 'connecting' }, subscribe() {} };
  const store = new PersonStore({ id: 'ada', use, limits, connections: [{ state }], mayDecide: true });
  return { store, use, limits, be: (phase) => { state.value = { phase }; } };
}
const now = Date.UTC(2026, 10, 26, 12);
const laptop = (seenAt) => ['device', 'laptop', { name: 'Laptop', sees: 'programs', seenAt }];
const used = (number, startedAt, more = {}) => ['use', `use${number}`, {
  device: 'laptop', number, program: 'game', startedAt, offset: 0, milliseconds: 60_000, ending: 'open', ...more,
}];
const stateAt = ({ store }, now) => store.devicesAt(now).map(({ state }) => state).join();

test('a device whose clock differs by minutes is in use while it says so, and quiet once it does not', (t) => {
  t.mock.method(Date, 'now', () => now);
  for (const skew of [-200_000, -50_000, 0, 50_000, 200_000]) {
    const page = opened(laptop(now - 3_600_000 + skew), used(1, now - 3_600_000 + skew));
    assert.equal(stateAt(page, now), 'quiet', `${skew}`);
    // What comes while the page catches up may be old.
    page.use.put(...laptop(now - 600_000 + skew));
    assert.equal(stateAt(page, now), 'quiet', `${skew}`);
    page.be('online');
    // A device that nobody knew may have been known elsewhere for long.
    page.use.put('device', 'other', { name: 'Other', seenAt: now - 3_600_000 });
    assert.equal(stateAt(page, now), 'quiet,quiet', `${skew}`);
    page.use.put('device', 'other', { alive: false });
    page.use.put(...laptop(now + skew));
    assert.equal(stateAt(page, now + 1000), 'now', `${skew}`);
    assert.equal(stateAt(page, now + 60_000), 'quiet', `${skew}`);
  }
});

test('a day is that of the devices, wherever the page is read', async () => {
  const start = Date.UTC(2026, 10, 26, 20, 30);
  const page = opened(laptop(start), used(1, start, { offset: 9 * 3600 }), used(2, start - 86_400_000, { offset: 0 }));
  await 0;
  // It is 5:30 of the next day there.
  assert.equal(page.store.dayAt(start), Date.UTC(2026, 10, 27) / 86_400_000);
  assert.equal(page.store.timeOn(page.store.dayAt(start)), 60_000);
  // No zone is a month away.
  page.use.put(...used(3, start + 1000, { offset: 86_400 * 30 }));
  await 0;
  assert.ok(Math.abs(page.store.dayAt(start) - Date.UTC(2026, 10, 26) / 86_400_000) <= 1);
  // Where it is as here, summer time is that of here.
  const here = -60 * new Date(start).getTimezoneOffset();
  const same = opened(laptop(start), used(1, start, { offset: here }));
  for (const month of [0, 6]) {
    const moment = new Date(2026, month, 3, 0, 30).getTime();
    assert.equal(same.store.offsetAt(moment), -60 * new Date(moment).getTimezoneOffset());
  }
});

test('a use of another day that comes late is another version, and one of today is none', async (t) => {
  t.mock.method(Date, 'now', () => now);
  const page = opened(laptop(now), used(1, now));
  await 0;
  const before = page.store.version;
  page.use.put(...used(2, now, { milliseconds: 5 }));
  assert.equal(page.store.version, before);
  page.use.put(...used(3, now - 5 * 86_400_000));
  assert.notEqual(page.store.version, before);
});

test('a weekday that is changed leaves the others as they are', async () => {
  const { store, limits } = opened();
  await store.setWeekday(null, 0, 60);
  const [{ id }] = limits.records('budget');
  // Another parent's.
  limits.put('budget', id, { tuesday: 90 });
  await store.setWeekday(null, 2, 30);
  assert.deepEqual(store.budgets.map(({ minutes }) => minutes), [[60, 90, 30, 1440, 1440, 1440, 1440]]);
  // What was removed comes back with the new day alone.
  limits.put('budget', id, { alive: false });
  await store.setWeekday(null, 0, 15);
  assert.deepEqual(store.budgets[0].minutes.slice(0, 3), [15, 1440, 1440]);
});

test('weekdays that are changed at once, or apart, leave each other as they are', async () => {
  const { store, limits } = opened();
  // What is written shows once it is on the disk.
  const { transaction } = limits;
  limits.transaction = (body) => {
    const later = [];
    const kept = transaction.call({ put: (...record) => later.push(record) }, body);
    return new Promise((done) => setTimeout(done, 5)).then(() => {
      for (const record of later) limits.put(...record);
      return kept;
    });
  };
  await Promise.all([store.setWeekday(null, 0, 60), store.setWeekday(null, 1, 90)]);
  assert.deepEqual(store.budgets[0].minutes.slice(0, 3), [60, 90, 1440]);
  const [{ id }] = limits.records('budget');
  // Another parent makes the same budget apart: each has written a day alone.
  const apart = opened();
  await apart.store.setWeekday(null, 3, 30);
  const [{ entity, alive, ...written }] = apart.limits.records('budget');
  assert.deepEqual(written, { id, category: null, ofEverything: true, thursday: 30 });
});
