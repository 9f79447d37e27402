import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { startCore } from '../core/core.js';
import { runVectors } from '../../Tests/Vectors/vectors.mjs';
import { path, skip } from './core.mjs';

test('the core in WebAssembly agrees with every vector', { skip }, async () => {
  const core = await startCore(new Uint8Array(readFileSync(path)));
  const text = readFileSync(new URL('../../Tests/Vectors/core.txt', import.meta.url), 'utf8');
  const { count, failures } = runVectors(core, text);
  assert.ok(count > 700);
  assert.deepEqual(failures, []);
});
