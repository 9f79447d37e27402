// Whole pages in the tabs of browsers, against a server in memory, for tests in node.

import assert from 'node:assert/strict';
import test from 'node:test';
import { Network } from '../../Tests/World/network.mjs';
import { skip } from './core.mjs';

/** A test with a network of its own. */
export const world = (sentence, body) => test(sentence, { skip }, async () => {
  const network = new Network(1);
  try {
    await body(network);
  } finally {
    network.end();
  }
});

/** A program in a tab, beside the library: what it exports as `result`. */
export async function run(network, tab, source, about = {}) {
  const effects = await network.tell({ do: 'run', tab, browser: 'ada', source, ...about });
  await network.pass(1000);
  const ran = [...effects, ...network.effects].findLast((effect) => effect.tab === tab && 'ran' in effect);
  const failed = network.effects.find((effect) => effect.failed || effect.warned);
  assert.ok(ran && !failed, failed?.failed ?? failed?.warned ?? 'The program did not end.');
  network.effects.length = 0;
  return ran.ran;
}
