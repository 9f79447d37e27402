import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import test from 'node:test';
import { photoFiles } from '../photo-files.js';
import { fateOf } from '../pictures.js';

const folder = new URL('../../Sources/Albums/Album.reunionmodel/', import.meta.url);
const newest = readdirSync(folder).filter((name) => name.endsWith('.model')).sort().at(-1);
const [, photo] = /^entity photo @\d+\n(.*?)^entity /ms.exec(readFileSync(new URL(newest, folder), 'utf8'));
const fields = new Map([...photo.matchAll(/^ {2}field (\w+) @\d+ (\w+)/gm)].map(([, name, kind]) => [name, kind]));

const files = photoFiles();
const chosen = { name: 'IMG_1.HEIC', type: 'image/heic', lastModified: 1_700_000_000_000 };
const about = files.about(chosen);

test('what is said of a photo’s file stands in fields that photos have', () => {
  assert.deepEqual([files.field, files.preview].map((name) => fields.get(name)), ['blob', 'blob']);
  const said = { ...about, ...files.stored({}, about), ...files.unsent };
  assert.deepEqual(Object.keys(said).filter((name) => !fields.has(name)), []);
  assert.ok(Object.keys(said).length > 5);
});

test('a chosen photo has its name, type and date; what the server found in it counts more', () => {
  assert.deepEqual(about, { fileName: 'IMG_1.HEIC', contentType: 'image/heic', takenAt: 1_700_000_000_000 });
  assert.equal(files.about({ ...chosen, type: '' }).contentType, null);
  assert.ok(files.about({ ...chosen, lastModified: 0 }).takenAt > 1_700_000_000_000);
  const answer = { hash: 'f0', bytes: 9, width: 4, height: 3, contentType: 'image/heif', color: 255 };
  assert.deepEqual(files.stored(answer, about),
    { width: 4, height: 3, contentType: 'image/heif', color: 255, takenAt: about.takenAt });
  assert.equal(files.stored({ ...answer, takenAt: 5 }, about).takenAt, 5);
  // Of an original that no rendition can be made of the server says less.
  assert.equal(files.stored({ hash: 'f0', bytes: 9 }, about).contentType, 'image/heic');
});

test('a photo whose original is refused has that fate, and one that this browser cannot read waits', async () => {
  assert.equal(fateOf(files.unsent), 'unkept');
  assert.equal(await files.prepare(new Blob(['no picture'])), null);
});
