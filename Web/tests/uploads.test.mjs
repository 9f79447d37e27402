// Files of records whose fields the library does not know: the app says what they are.

import assert from 'node:assert/strict';
import test from 'node:test';
import { skip } from './core.mjs';
import { Browser, fileOf, hashOf, until } from './uploads-page.mjs';

const fields = (...all) => all.map(([name, kind], at) => ({ number: at + 1, name, kind }));
const model = { entities: [
  { number: 1, name: 'letter', fields: fields(
    ['scan', 'blob'], ['small', 'blob'], ['title', 'text'], ['pages', 'int'], ['state', 'text']) },
  { number: 2, name: 'note', fields: fields(
    ['original', 'blob'], ['preview', 'blob'], ['fileName', 'text'], ['contentType', 'text'],
    ['takenAt', 'date'], ['width', 'int'], ['height', 'int'], ['color', 'int']) },
] };
const letters = {
  entity: 'letter', field: 'scan', preview: 'small',
  about: ({ name }) => ({ title: name }),
  prepare: async (body, { title }) => ({
    values: { pages: (await body.text()).length }, preview: new Blob([`small ${title}`]),
  }),
  stored: ({ pages }, { title }) => ({ pages, title: `${title}, stored` }),
  unsent: { state: 'unsent' },
};
const wanted = ({ title, pages, state, scan, small }) => ({ title, pages, state, scan, small });
const refOf = (text) => ({ hash: hashOf(text), size: text.length });

/** One browser and one page in it, whose app says this of its files. */
function page(name, app, body) {
  test(name, { skip }, async () => {
    const browser = new Browser();
    try {
      await body(browser, await browser.open(model, app));
    } finally {
      browser.end();
    }
  });
}
const isSent = (browser, { uploads, replica }) => until(
  async () => !uploads.state.value.files.size && !(await browser.rows({ replica })).length, 'all is sent');

page('a prepared file has its record at once, in the fields that the app names, and goes after its preview', letters,
  async (browser, it) => {
    await it.uploads.add([fileOf('a.txt', 'three')]);
    const [record] = it.replica.records('letter');
    assert.deepEqual(wanted(record), {
      title: 'a.txt', pages: 5, state: null, scan: refOf('three'), small: refOf('small a.txt'),
    });
    const [row] = it.uploads.state.value.files.values();
    assert.deepEqual([row.id, row.record, row.name, row.about], [record.id, record.id, 'a.txt', { title: 'a.txt' }]);
    assert.match(it.uploads.previewURL(record.small.hash), /^blob:/);
    browser.meet(it);
    await isSent(browser, it);
    assert.deepEqual(browser.taken.map(({ use, hash }) => [use, hash]),
      [['preview', hashOf('small a.txt')], ['original', hashOf('three')]]);
    // Of the server's answer only what had no record takes values.
    assert.equal(it.replica.get('letter', record.id).title, 'a.txt');
    await it.uploads.add([fileOf('b.txt', 'three')]);
    assert.deepEqual(it.notices, [['twice', 'b.txt', undefined]], 'the bytes are in a record of this device');
    await isSent(browser, it);
    assert.equal(it.replica.records('letter').length, 1);
  });

for (const [how, prepare] of Object.entries({
  'gives nothing': async () => null, 'throws': async () => { throw new Error('It cannot be read.'); },
  'is not there': undefined,
})) {
  page(`where \`prepare\` ${how} a record comes once the server has its file`, { ...letters, prepare },
    async (browser, it) => {
      await it.uploads.add([fileOf('a.txt', 'three')]);
      assert.deepEqual(it.replica.records('letter'), []);
      const [row] = it.uploads.state.value.files.values();
      assert.deepEqual([row.use, row.record, row.about], ['original', null, { title: 'a.txt' }]);
      browser.says = { pages: 7 };
      browser.meet(it);
      await isSent(browser, it);
      const [record] = it.replica.records('letter');
      assert.equal(record.id, row.id);
      assert.deepEqual(wanted(record),
        { title: 'a.txt, stored', pages: 7, state: null, scan: refOf('three'), small: null });
    });
}

page('an app that says nothing more has records of files alone', { entity: 'letter', field: 'scan' },
  async (browser, it) => {
    browser.meet(it);
    await it.uploads.add([fileOf('a.txt', 'three')]);
    await isSent(browser, it);
    assert.deepEqual(it.replica.records('letter').map(wanted),
      [{ title: null, pages: null, state: null, scan: refOf('three'), small: null }]);
  });

page('a record whose file is refused says what the app has it say', letters, async (browser, it) => {
  await it.uploads.add([fileOf('a.txt', 'three')]);
  browser.refusal = { status: 422, said: { error: 'No letter.', verdict: 'refused' } };
  browser.meet(it);
  await isSent(browser, it);
  assert.deepEqual(it.notices, [['unsent', 'a.txt', 'No letter.']]);
  assert.deepEqual(it.replica.records('letter').map(({ state, title }) => [state, title]), [['unsent', 'a.txt']]);
});

/** Rows as version 0.1 left them: a record by its entity's name, a file's name among what is said of it. */
function earlierRows(entity) {
  const about = (fileName) => ({ fileName, contentType: 'text/plain', takenAt: 1_700_000_000_000 });
  const common = { at: 1, dated: 1_700_000_000_000 };
  const row = (digit, more) => ({ id: digit.repeat(32), file: `${digit}f`.repeat(16), ...common, ...more });
  return {
    entered: row('1', {
      use: 'original', ...refOf('one'), about: about('1.txt'), [entity]: '1'.repeat(32), body: 'one',
    }),
    preview: row('2', { use: 'preview', ...refOf('small'), [entity]: '1'.repeat(32), body: 'small' }),
    unread: row('3', { use: 'original', ...refOf('three'), about: about('3.txt'), [entity]: null, body: 'three' }),
    kept: row('4', { use: 'kept', page: '0', ...refOf('four'), about: about('4.txt'), [entity]: null, body: 'four' }),
    missing: row('5', { use: 'chosen', page: '0', size: 4, about: about('5.txt'), [entity]: null }),
  };
}

const notes = {
  entity: 'note', field: 'original', preview: 'preview',
  about: ({ name }) => ({ fileName: name }),
  prepare: async (body) => ({ values: { width: body.size } }),
  stored: ({ width }) => ({ width }),
};
for (const [who, app] of Object.entries({ 'the app': notes, 'nobody, as in version 0.1,': { entity: 'note' } })) {
  const name = `what a page of version 0.1 left is shown and sent, where ${who} names the fields`;
  page(name, notes, async (browser, before) => {
    before.uploads.isActive = false;
    const rows = earlierRows('note');
    await before.replica.transaction((t) => t.create('note', {
      fileName: '1.txt', original: refOf('one'), preview: refOf('small'),
    }, rows.entered.id));
    await browser.leave(before, Object.values(rows));
    const it = await browser.open(model, app);
    const { files, missing } = it.uploads.state.value;
    assert.deepEqual([...files.values()].map(({ name, record }) => [name, record]).sort(),
      [['1.txt', rows.entered.id], ['3.txt', null], ['4.txt', null]]);
    assert.deepEqual(missing.map(({ id, name, about }) => [id, name, about.contentType]),
      [[rows.missing.id, '5.txt', 'text/plain']]);
    assert.match(it.uploads.previewURL(hashOf('small')), /^blob:/);
    // Chosen again it goes on as the row that it was.
    await it.uploads.add([fileOf('5.txt', 'five')]);
    assert.deepEqual(it.uploads.state.value.missing, []);
    browser.says = { width: 9, height: 9 };
    browser.meet(it);
    await isSent(browser, it);
    assert.deepEqual(browser.taken.map(({ hash }) => hash).sort(),
      ['one', 'small', 'three', 'four', 'five'].map(hashOf).sort());
    const records = it.replica.records('note');
    assert.deepEqual(records.map(({ id }) => id).sort(),
      [rows.entered, rows.unread, rows.kept, rows.missing].map(({ id }) => id));
    assert.deepEqual(records.map(({ fileName }) => fileName).sort(), ['1.txt', '3.txt', '4.txt', '5.txt']);
  });
}

page('an app that names its entity alone has the fields of version 0.1', { entity: 'note' }, async (browser, it) => {
  browser.says = { width: 4, height: 3, color: 255, contentType: 'image/png', takenAt: 5 };
  browser.meet(it);
  await it.uploads.add([fileOf('a.png', 'png', 'image/png')]);
  await isSent(browser, it);
  const [{ fileName, contentType, takenAt, width, height, color, original }] = it.replica.records('note');
  assert.deepEqual({ fileName, contentType, takenAt, width, height, color, original }, {
    fileName: 'a.png', contentType: 'image/png', takenAt: 5, width: 4, height: 3, color: 255, original: refOf('png'),
  });
});
