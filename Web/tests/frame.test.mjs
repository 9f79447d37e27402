// The frame of all pages: what is an app's own goes in, and browsers are told of each module that a page begins with.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const framed = (folder, page) => execFileSync('perl',
  [join(root, 'Scripts/frame.pl'), join(folder, 'Web'), join(folder, 'Apps/Shared/Page'), join(folder, page)],
  { encoding: 'utf8' });

/** A page of a few modules, and what it becomes. */
function made(texts) {
  const folder = mkdtempSync(join(tmpdir(), 'frame-'));
  try {
    mkdirSync(join(folder, 'Web/core'), { recursive: true });
    mkdirSync(join(folder, 'Page'));
    mkdirSync(join(folder, 'Apps/Shared/Page'), { recursive: true });
    const frame = 'Apps/Shared/Page/frame.html';
    writeFileSync(join(folder, frame), readFileSync(join(root, frame)));
    for (const [path, text] of Object.entries(texts)) writeFileSync(join(folder, path), text);
    return framed(folder, 'Page');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const texts = {
  'Page/index.html': '<title>Notes</title>\n<noscript>Notes need JavaScript.</noscript>\n',
  'Page/main.js': "import './notes.js';\nimport {\n  a,\n} from '/reunion/a.js';\n\nimport('./later.js');\n",
  'Page/notes.js': "// It says: import './none.js'.\nimport { b } from '/reunion/core/b.js';\nimport '/kit/d.js';\n"
    + "const from = 'x.js';\n",
  'Page/later.js': '',
  'Apps/Shared/Page/d.js': "import { c } from '/reunion/c.js';\n",
  'Web/a.js': "export { c } from './c.js';\nexport const text = 'd.js';\n",
  'Web/c.js': "import { a } from './a.js';\n",
  'Web/core/b.js': "import { c } from '../c.js';\n",
};
const preloads = (page) => [...page.matchAll(/<link rel="modulepreload" href="([^"]+)">/g)].map(([, path]) => path);

test('modules that main.js imports, and these, are told of once each; those that come later are not', () => {
  const page = made(texts);
  assert.deepEqual(preloads(page), ['/notes.js', '/kit/d.js', '/reunion/a.js', '/reunion/c.js', '/reunion/core/b.js']);
  assert.match(page, /<head>\n[^]*<title>Notes<\/title>[^]*<\/head>\n<body>\n<noscript>Notes need/);
  assert.doesNotMatch(page, /[{}]/);
});

test('a page without its own words, or with a module that is not there, is none', () => {
  const quietly = (changed) => assert.throws(() => made({ ...texts, ...changed }));
  quietly({ 'Page/index.html': '<title>Notes</title>\n' });
  quietly({ 'Page/notes.js': "import './none.js';\n" });
});

test('each page begins with what the library does', () => {
  for (const app of ['Albums', 'Quakes', 'Sudoku', 'Words', 'ScreenTime']) {
    const told = preloads(framed(root, `Apps/${app}/Page`));
    for (const path of ['/start.js', '/words.js', '/model.js', '/reunion/replica/replica.js',
      '/reunion/core/calls.js']) {
      assert.ok(told.includes(path), `${app} is not told of ${path}`);
    }
  }
});
