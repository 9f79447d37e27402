import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { openCore } from '../core/calls.js';
import { SettingKey } from '../settings/setting-key.js';
import { Settings } from '../settings/settings.js';
import { skip, smallPath } from './core.mjs';
import { Memory } from './memory.mjs';

const keys = {
  theme: new SettingKey('theme', { default: 'light' }),
  launches: new SettingKey('launches', { default: 0, merge: 'counter' }),
  favourites: new SettingKey('favourites', { default: new Set(), kind: 'text', merge: 'union' }),
  best: new SettingKey('best score', { default: 0, kind: 'int', merge: 'max' }),
  fastest: new SettingKey('fastest', { default: Infinity, kind: 'double', merge: 'min' }),
  tour: new SettingKey('has seen tour', { default: false, merge: 'or' }),
  owner: new SettingKey('owner', { default: '', merge: 'first' }),
};
const pair = () => {
  const [one, two] = [new Memory('aa'), new Memory('bb')];
  return { one, two, here: new Settings(one), there: new Settings(two) };
};

test('each rule brings together what two devices wrote apart', { skip }, async () => {
  const { one, two, here, there } = pair();
  await here.write((t) => {
    t.set(keys.theme, 'dark');
    t.add(keys.launches, 2);
    t.insert(keys.favourites, 'harbour');
    t.set(keys.best, 70);
    t.set(keys.fastest, -0.5);
    t.set(keys.owner, 'Ada');
  });
  await there.write((t) => {
    t.add(keys.launches, 3);
    t.insert(keys.favourites, 'harbour');
    t.insert(keys.favourites, 'park');
    t.set(keys.best, 90);
    t.set(keys.best, 50);
    t.set(keys.fastest, 1.5);
    t.set(keys.tour, true);
  });
  await here.remove(keys.favourites, 'harbour');
  two.meet(one);
  one.meet(two);
  for (const settings of [here, there]) {
    assert.equal(settings.value(keys.theme), 'dark');
    assert.equal(settings.value(keys.launches), 5);
    // An element that is inserted on one device while it is removed on another stays.
    assert.deepEqual([...settings.value(keys.favourites)].sort(), ['harbour', 'park']);
    assert.equal(settings.value(keys.best), 90);
    assert.equal(settings.value(keys.fastest), -0.5);
    assert.equal(settings.value(keys.tour), true);
    assert.equal(settings.value(keys.owner), 'Ada');
  }
  await there.clear(keys.launches);
  await there.set(keys.owner, 'Ben');
  one.meet(two);
  assert.equal(here.value(keys.launches), 0);
  assert.equal(here.value(keys.owner), 'Ada');
  assert.ok(!here.keys.has('launches') && here.keys.has('owner'));
});

test('subscribers hear the value now, and then why it changed', { skip }, async () => {
  const { one, two, here, there } = pair();
  const heard = [];
  const end = here.subscribe(keys.theme, ({ value, reason }) => heard.push([value, reason]));
  await here.set(keys.theme, 'dark');
  two.meet(one);
  await there.set(keys.theme, 'sepia');
  one.meet(two);
  await there.set(keys.theme, 'blue');
  one.meet(two);
  end();
  await here.set(keys.theme, 'green');
  assert.deepEqual(heard, [['light', null], ['dark', 'localWrite'], ['sepia', 'firstSync'], ['blue', 'otherDevice']]);
});

test('a value of more than a cell is whole, and shorter again afterwards', { skip }, async () => {
  const { here } = pair();
  const long = 'é'.repeat(400_000);
  await here.set(keys.theme, long);
  assert.equal(here.value(keys.theme), long);
  await here.set(keys.theme, 'short');
  assert.equal(here.value(keys.theme), 'short');
});

test('what does not fit, or was written as another type, is refused with the sentences of Swift', { skip },
  async () => {
    const one = new Memory('aa');
    const small = new Settings(one, { keysMax: 1, keyBytesMax: 10, bytesMax: 12 });
    const overQuota = [];
    small.onChange(({ keys: names, reason }) => reason === 'overQuota' && overQuota.push([...names]));
    await small.set(keys.theme, 'dark');
    const refused = async (act, sentence, code) => assert.rejects(act, (error) => {
      assert.equal(error.message, sentence);
      assert.equal(error.code, code);
      return true;
    });
    await refused(small.set(keys.launches, 1), '2 settings exceed the limit of 1: remove some.', 'overQuota');
    await refused(small.set(keys.theme, 'darkest of all'),
      'Settings of 14 bytes exceed the limit of 12: remove some.', 'overQuota');
    await refused(small.set(new SettingKey('n'.repeat(11), { default: '' }), ''),
      `The name of the setting "${'n'.repeat(11)}…" has 11 bytes, over the limit of 10: shorten it.`, 'overQuota');
    await refused(small.set(new SettingKey('', { default: '' }), ''), 'A setting needs a name.', 'invalidKey');
    await refused(small.set(keys.theme, 'x'.repeat((1 << 20) + 1)), 'The value of the setting "theme" has 1048577'
      + ' bytes, over the limit of 1048576: keep it in a record.', 'overQuota');
    await refused(small.set(new SettingKey('theme', { default: 0, kind: 'int' }), 1), 'The setting "theme" was written'
      + ' with another type or merge rule than its key has: give the key a new name.', 'wrongType');
    await refused(small.add(keys.theme, 1),
      'The setting "theme" is not a counter: set it, or give its key that rule.', 'wrongType');
    assert.equal(small.value(keys.theme), 'dark');
    assert.deepEqual(small.usage, { keys: 1, bytes: 4 });
    assert.equal(overQuota.length, 4);
    const settings = new Settings(new Memory('aa'));
    await settings.set(keys.tour, true);
    await refused(settings.clear(keys.tour),
      'The setting "has seen tour" only grows by its rule: it cannot be removed.', 'wrongType');
    assert.throws(() => new SettingKey('n', { default: 0 }), /Say of which kind the setting "n" is/);
    assert.throws(() => new SettingKey('n', { default: '', merge: 'max' }), /cannot merge by "max"/);
  });

test('the small core writes the latest of each, and keeps and reads the others', { skip }, async () => {
  const smallCore = await openCore(new Uint8Array(readFileSync(smallPath)));
  const [one, page] = [new Memory('aa'), new Memory('cc', smallCore)];
  const [whole, small] = [new Settings(one), new Settings(page)];
  for (const count of [1, 2]) {
    await whole.write((t) => {
      t.add(keys.launches, count);
      t.insert(keys.favourites, `place ${count}`);
      t.set(keys.best, count);
    });
    page.meet(one);
  }
  await whole.remove(keys.favourites, 'place 1');
  page.meet(one);
  assert.equal(small.value(keys.launches), 3);
  assert.deepEqual(small.value(keys.favourites), new Set(['place 2']));
  assert.equal(small.value(keys.best), 2);
  await small.set(keys.theme, 'dark');
  await assert.rejects(small.add(keys.launches, 1), /merges by "counter", and this page has the small core/);
  one.meet(page);
  assert.equal(whole.value(keys.theme), 'dark');
  // What it kept comes back as it was.
  const again = new Memory('dd');
  const restored = new Settings(again);
  again.meet(page);
  assert.equal(restored.value(keys.launches), 3);
  assert.deepEqual([...restored.value(keys.favourites)], ['place 2']);
  await small.clear(keys.theme);
  assert.equal(small.value(keys.theme), 'light');
});

test('the program of the page on settings runs as it stands', { skip }, async () => {
  const page = readFileSync(new URL('../../Sources/Reunion/Reunion.docc/settings.md', import.meta.url), 'utf8');
  const [, program] = page.match(/```js\n([^]*?)\n```/);
  const said = [];
  const run = new (async () => {}).constructor('SettingKey', 'Settings', 'replica', 'console', program);
  await run(SettingKey, Settings, new Memory('aa'), { log: (...words) => said.push(words.join(' ')) });
  assert.deepEqual(said, ['Theme: light at first', 'Theme: dark localWrite', '1 3']);
});

test('a value that a setting cannot hold is refused, and nothing of it is written', { skip }, async () => {
  const { one, here } = pair();
  const before = one.seq;
  const wrong = [
    (t) => t.set(keys.theme, 7), (t) => t.add(keys.launches, 1.5), (t) => t.add(keys.launches, 2n ** 70n),
    (t) => t.add(keys.launches, '1'), (t) => t.set(keys.favourites, 'abc'), (t) => t.set(keys.favourites, null),
    (t) => t.insert(keys.favourites, 7), (t) => t.insert(keys.favourites, null), (t) => t.set(keys.best, 2n ** 64n),
    (t) => t.set(keys.best, 'much'), (t) => t.set(keys.fastest, '1'), (t) => t.set(keys.tour, 'no'),
    (t) => t.set(keys.tour, null), (t) => t.set(keys.owner, undefined),
  ];
  for (const act of wrong) {
    await assert.rejects(here.write((t) => {
      t.set(keys.theme, 'dark');
      act(t);
    }), ({ code }) => code === 'invalidValue', String(act));
  }
  assert.equal(one.seq, before);
});
