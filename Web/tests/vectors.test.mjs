import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { startCore } from '../core/core.js';
import { runVectors } from '../../Tests/Vectors/vectors.mjs';
import { path, skip, smallPath } from './core.mjs';

const text = readFileSync(new URL('../../Tests/Vectors/core.txt', import.meta.url), 'utf8');
const start = (file) => startCore(new Uint8Array(readFileSync(file)));

test('the core in WebAssembly agrees with every vector', { skip }, async () => {
  const { count, failures } = runVectors(await start(path), text);
  assert.ok(count > 700);
  assert.deepEqual(failures, []);
});

test('the core that both apps ship agrees too, and keeps the cells of counters, sets and lists whole', { skip },
  async () => {
    const { count, kept, failures } = runVectors(await start(smallPath), text, { isSmall: true });
    assert.ok(count > 700 && kept > 40, `${kept} of ${count}`);
    assert.deepEqual(failures, []);
  });

test('a core that merges what it should keep is seen, and one that keeps what it should merge (negative control)',
  { skip }, async () => {
    const [whole, small] = [await start(path), await start(smallPath)];
    const merging = runVectors(whole, text, { isSmall: true }).failures.filter(({ name }) => /^merge/.test(name));
    const keeping = runVectors(small, text).failures.filter(({ name }) => /^merge/.test(name));
    assert.ok(merging.length > 40 && keeping.length === merging.length);
  });
