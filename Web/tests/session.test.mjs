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

// docs/protocol.md 2.19.
test('a page comes back no sooner than the server asks, spread over as much again', async () => {
  const [after, { WebSocket }, { random }] = [globalThis.setTimeout, globalThis, Math];
  const sockets = [];
  globalThis.WebSocket = class {
    constructor() { sockets.push(this); }
    send() {}
    close() {}
  };
  const replica = { space: '00'.repeat(16), site: '11'.repeat(16), seq: 0n, onCommit: nothing };
  const connection = new Connection(replica);
  connection.isKnown = async () => true;
  try {
    connection.start();
    while (!sockets.length) await new Promise((done) => after(done, 1));
    const found = [];
    Math.random = () => 1;
    globalThis.setTimeout = (act, milliseconds) => { found.push(milliseconds); };
    sockets[0].onopen();
    // Version 1, type 16: 3,000 ms, and no sentence.
    sockets[0].onmessage({ data: Uint8Array.from([1, 16, 0xb8, 0x17, 0]).buffer });
    sockets[0].onclose();
    assert.deepEqual(found, [6000]);
  } finally {
    globalThis.setTimeout = after;
    connection.stop();
    globalThis.WebSocket = WebSocket;
    Math.random = random;
  }
});

test('pauses grow to half a minute, or to what an app sets', async () => {
  assert.deepEqual(await pauses(8), [500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
  assert.deepEqual(await pauses(6, { pauseMillisecondsMax: 4000 }), [500, 1000, 2000, 4000, 4000, 4000]);
});
