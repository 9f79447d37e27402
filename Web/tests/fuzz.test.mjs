// Hostile models, values, messages and windows: the part of the fuzzing that is JavaScript (FuzzTests has
// the other). REUNION_FUZZ=TARGET:SEED runs one input again.

import assert from 'node:assert/strict';
import test from 'node:test';
import { seeded } from './fuzz/mutation.mjs';
import { Wrong, seededBugs, targets } from './fuzz/targets.mjs';

const isFull = process.env.REUNION_FAULTS === 'full';
const [asked, askedSeed] = process.env.REUNION_FUZZ?.split(':') ?? [];
/** Of the 30 s in `make test`, for each. */
const seconds = 1.5;
/** By how much inputs may raise what is held. */
const growthBytesMax = 200 << 20;

/** Reads inputs from a seed on: how many, and what was wrong with which. */
async function fuzz(read, { first = 1, countMax = Infinity, secondsMax = Infinity }) {
  const start = performance.now();
  const held = process.memoryUsage().rss;
  let count = 0;
  let failure = null;
  for (let seed = first; count < countMax && !failure; seed++, count++) {
    if (count % 64 === 0) {
      await new Promise(setImmediate);
      if (process.memoryUsage().rss - held > growthBytesMax) failure = `before seed ${seed}: the memory grows`;
      if (performance.now() - start > secondsMax * 1000) break;
    }
    try {
      await read(seeded(seed));
    } catch (error) {
      const isTold = error instanceof Error && !(error instanceof Wrong)
        && !(error instanceof WebAssembly.RuntimeError);
      if (!isTold) failure = `at seed ${seed}: ${error}`;
    }
  }
  // A rejection that nobody hears fails the test by itself.
  await new Promise(setImmediate);
  return { count, failure };
}

let [inputs, spent, read] = [0, 0, 0];
for (const [name, { inputsInFull, reader }] of Object.entries(targets)) {
  test(`hostile ${name} trap nothing and cost no more than their size`, async (context) => {
    if (asked && asked !== name) return context.skip('another is asked for');
    const body = await reader();
    if (!body) return context.skip('the core is not built (make .build/web/.made)');
    const start = performance.now();
    const extent = askedSeed ? { first: Number(askedSeed), countMax: 1 }
      : isFull ? { countMax: inputsInFull } : { secondsMax: seconds };
    const { count, failure } = await fuzz(body, extent);
    inputs += count;
    spent += performance.now() - start;
    read += 1;
    assert.equal(failure, null, `${name} ${failure}; again: REUNION_FUZZ=${name}:SEED`);
  });
}

test('every seeded bug of a reader is found', async () => {
  for (const [name, reader] of Object.entries(seededBugs)) {
    const { failure } = await fuzz(reader(), { countMax: 2000 });
    assert.match(failure ?? '', /seed/, name);
  }
});

test('the count is said', () => {
  console.log(`fuzz: ${inputs} inputs over ${read} targets of the browser in ${(spent / 1000).toFixed()} s`);
});
