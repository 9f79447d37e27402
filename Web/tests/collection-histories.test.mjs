import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { bugs, withBug } from '../../Tests/World/bugs.mjs';
import { Browsers } from '../../Tests/World/client.mjs';
import { CollectionHistory } from '../../Tests/World/collection-history.mjs';
import { skip } from './core.mjs';

const steps = 40;
const first = Number(process.env.REUNION_FIRST ?? 1);
const count = Number(process.env.REUNION_WEB_SEEDS ?? 16);

/** Runs a history, and gives why it is wrong, or null. */
async function run(browsers, seed, bug) {
  await browsers.tell({ do: 'begin', seed });
  try {
    await new CollectionHistory(seed, browsers, bug).run(steps);
    return null;
  } catch (error) {
    return error;
  }
}

/** A test with a process of browsers. */
const world = (sentence, body) => test(sentence, { skip }, async () => {
  const browsers = new Browsers();
  try {
    await body(browsers);
  } finally {
    browsers.end();
  }
});

world('browsers that count, gather and order end equal, and lose nothing of it, in every history', async (browsers) => {
  for (let seed = first; seed < first + count; seed += 1) {
    const error = await run(browsers, seed);
    const again = `REUNION_FIRST=${seed} REUNION_WEB_SEEDS=1 node --test Web/tests/collection-histories.test.mjs`;
    assert.equal(error, null, `${error?.stack}\nAgain: ${again}`);
  }
});

world('every seeded bug of counters, sets and lists is caught', async (browsers) => {
  const here = Object.entries(bugs).filter(([, { seed }]) => seed === 'collections');
  const missed = [];
  for (const [bug, { file }] of here) {
    withBug(bug, file, readFileSync(new URL(`../${file}`, import.meta.url), 'utf8'));
    let isCaught = false;
    for (let seed = 1; seed <= 40 && !isCaught; seed += 1) isCaught = await run(browsers, seed, bug) !== null;
    if (!isCaught) missed.push(bug);
  }
  console.log(`seeded bugs of counters, sets and lists: caught ${here.length - missed.length} / ${here.length}`);
  assert.ok(here.length > 4);
  assert.deepEqual(missed, []);
});
