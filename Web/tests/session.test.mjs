// How long a connection waits before it tries again, where no server answers.

import assert from 'node:assert/strict';
import test from 'node:test';
import './pages.mjs';

const nothing = () => {};
Object.assign(globalThis, { location: new URL('http://127.0.0.1:1'), addEventListener: nothing });
const { Connection } = await import('../conversation/connection.js');

/** The longest pauses before the first attempts, in milliseconds. */
async function pauses(count, about = {}) {
  const found = [];
  const [{ setTimeout: after, WebSocket }, { random }] = [globalThis, Math];
  await new Promise((done) => {
    Math.random = () => 1;
    globalThis.WebSocket = class { close() {} };
    globalThis.setTimeout = (act, milliseconds) => {
      // The watch over a socket that stays silent is another one.
      if (milliseconds !== 15_000) found.push(milliseconds);
      if (found.length < count) after(act);
      else done();
    };
    const connection = Object.assign(new Connection({ space: '', onCommit: nothing }), about);
    connection.isKnown = async () => true;
    connection.start();
  });
  Object.assign(globalThis, { setTimeout: after, WebSocket });
  Math.random = random;
  return found;
}

test('pauses grow to half a minute, or to what an app sets', async () => {
  assert.deepEqual(await pauses(8), [500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
  assert.deepEqual(await pauses(6, { pauseMillisecondsMax: 4000 }), [500, 1000, 2000, 4000, 4000, 4000]);
});
