// The modules of pages: each is reached, and none leads back to itself.

import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const apps = ['Shared', 'Albums', 'Quakes', 'Sudoku', 'Words', 'ScreenTime'];
const folders = ['Web', ...apps.map((app) => `Apps/${app}/Page`)];

const files = (folder, ending) => readdirSync(join(root, folder), { recursive: true })
  .filter((name) => name.endsWith(ending) && !name.startsWith('tests/')).map((name) => join(folder, name));

/** The modules that a module imports, at once or later, as their paths in this repository. */
function imports(path, text) {
  const found = [...text.matchAll(/^(?:import|export)\b[^;]*?from '([^']+)'|\bimport\('([^']+)'\)/gm)]
    .map(([, one, other]) => one ?? other);
  return found.map((name) => {
    if (name.startsWith('.')) return join(dirname(path), name);
    return name.replace(/^\/reunion\//, 'Web/').replace(/^\/kit\//, 'Apps/Shared/Page/');
  });
}

/** One circle of modules, as the path along it; null if the graph has no circle. */
function circle(graph) {
  const done = new Set();
  function walk(module, path) {
    if (path.includes(module)) return [...path.slice(path.indexOf(module)), module];
    if (done.has(module)) return null;
    done.add(module);
    for (const next of graph.get(module) ?? []) {
      const found = walk(next, [...path, module]);
      if (found) return found;
    }
    return null;
  }
  for (const module of graph.keys()) {
    const found = walk(module, []);
    if (found) return found;
  }
  return null;
}

const modules = folders.flatMap((folder) => files(folder, '.js'));
const graph = new Map(modules.map((path) =>
  [path, imports(path, readFileSync(join(root, path), 'utf8'))]));

test('no module leads back to itself', () => {
  const found = circle(graph);
  assert.equal(found, null, `A circle: ${found?.join(' → ')}. Move what both need into a module of its own.`);
  assert.ok([...graph.values()].flat().length > 100);
});

test('the library knows no page, and what pages share knows none of them', () => {
  const leads = (from, to) => [...graph].filter(([path]) => path.startsWith(from))
    .flatMap(([path, all]) => all.filter((name) => to.test(name)).map((name) => `${path} → ${name}`));
  assert.deepEqual(leads('Web/', /^Apps\//), []);
  assert.deepEqual(leads('Apps/Shared/', /^Apps\/(?!Shared\/)/), []);
  assert.ok(leads('Apps/Shared/', /^Web\//).length > 3);
});

test('a circle is found, by an import that comes later too (negative control)', () => {
  const texts = {
    'a.js': "import { b } from './b.js';", 'b.js': "const c = () => import('./c.js');",
    'c.js': "export { a } from './a.js';", 'd.js': "import {\n  a,\n} from './a.js';",
  };
  const seeded = new Map(Object.entries(texts).map(([path, text]) => [path, imports(path, text)]));
  assert.deepEqual(circle(seeded), ['a.js', 'b.js', 'c.js', 'a.js']);
  assert.deepEqual(seeded.get('d.js'), ['a.js']);
});

test('each module is named by a page, another module or a script', () => {
  const others = [...folders.flatMap((folder) => files(folder, '.html')), ...files('Scripts', '.sh'),
    ...files('Web/tests', '.mjs').filter((path) => !path.endsWith('modules.test.mjs'))];
  const texts = new Map([...modules, ...others].map((path) =>
    [path, readFileSync(join(root, path), 'utf8')]));
  const lonely = modules.filter((path) => ![...texts].some(([other, text]) =>
    other !== path && text.includes(basename(path))));
  assert.deepEqual(lonely, [], 'Nothing loads these: use them, or remove them.');
});
