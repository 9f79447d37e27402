import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import test from 'node:test';
import { bugs, withBug } from '../../Tests/World/bugs.mjs';
import { Browsers } from '../../Tests/World/client.mjs';
import { History } from '../../Tests/World/history.mjs';
import { skip } from './core.mjs';

const steps = 40;
const first = Number(process.env.REUNION_FIRST ?? 1);
const count = Number(process.env.REUNION_WEB_SEEDS ?? 24);

/** Runs a history, and gives why it is wrong, or null. */
async function run(browsers, seed, bug) {
  await browsers.tell({ do: 'begin', seed });
  try {
    await new History(seed, browsers, bug).run(steps);
    return null;
  } catch (error) {
    return error;
  }
}

test('browsers end equal, and lose and show nothing wrong, in every history', { skip }, async () => {
  const browsers = new Browsers();
  try {
    for (let seed = first; seed < first + count; seed += 1) {
      const error = await run(browsers, seed);
      const again = `REUNION_FIRST=${seed} REUNION_WEB_SEEDS=1 node --test Web/tests/histories.test.mjs`;
      assert.equal(error, null, `${error?.stack}\nAgain: ${again}`);
    }
  } finally {
    browsers.end();
  }
});

/** Whether Web/tests/tabs.test.mjs fails with a bug. */
async function isCaughtByTabs(bug) {
  const { NODE_TEST_CONTEXT, ...environment } = process.env;
  const child = spawn(process.execPath,
    ['--test', fileURLToPath(new URL('tabs.test.mjs', import.meta.url))],
    { env: { ...environment, REUNION_BUG: bug }, stdio: 'ignore' });
  const [code] = await once(child, 'exit');
  return code !== 0;
}

test('every seeded bug of the library is caught', { skip }, async () => {
  const browsers = new Browsers();
  const missed = [];
  for (const [bug, { file }] of Object.entries(bugs)) {
    // One that fits no longer would be an error, and no bug that was caught.
    withBug(bug, file, readFileSync(new URL(`../${file}`, import.meta.url), 'utf8'));
  }
  const here = Object.entries(bugs).filter(([, { seed }]) => !['world', 'collections', 'older'].includes(seed));
  try {
    for (const [bug, { seed }] of here) {
      const isCaught = seed ? await run(browsers, seed, bug) : await isCaughtByTabs(bug);
      if (!isCaught) missed.push(bug);
    }
  } finally {
    browsers.end();
  }
  const all = here.length;
  console.log(`seeded bugs of the browser: caught ${all - missed.length} / ${all}`);
  assert.deepEqual(missed, []);
});
