// How long a connection waits before it tries again, where no server answers.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { skip } from './core.mjs';
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
    const connection = Object.assign(new Connection({ space: '', hasSynced: true, onCommit: nothing }), about);
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

// Last: from here on the core is loaded. docs/protocol.md 2.19.
test('a page comes back no sooner than the server asks, spread over as much again', { skip }, async () => {
  const [{ setTimeout: after, WebSocket, fetch }, { random }] = [globalThis, Math];
  const [sockets, found] = [[], []];
  const module = readFileSync(new URL('../../.build/web/reunion/conversation.wasm', import.meta.url));
  globalThis.fetch = async () => new Response(module, { headers: { 'Content-Type': 'application/wasm' } });
  globalThis.WebSocket = class {
    constructor() { sockets.push(this); }
    send() {}
    close() {}
  };
  const [space, site] = ['00'.repeat(16), '11'.repeat(16)];
  const connection = new Connection({ space, site, seq: 0n, hasSynced: true, onCommit: nothing, settle: nothing });
  connection.isKnown = async () => true;
  try {
    connection.start();
    for (let tries = 0; tries < 5000 && !sockets.length; tries++) await new Promise((done) => after(done, 1));
    assert.equal(sockets.length, 1, 'no socket is opened');
    Math.random = () => 1;
    globalThis.setTimeout = (act, milliseconds) => { found.push(milliseconds); };
    sockets[0].onopen();
    // Version 1, type 16: 3,000 ms, and no sentence.
    sockets[0].onmessage({ data: Uint8Array.from([1, 16, 0xb8, 0x17, 0]).buffer });
    sockets[0].onclose();
    assert.deepEqual(found, [6000]);
  } finally {
    connection.stop();
    Object.assign(globalThis, { setTimeout: after, WebSocket, fetch });
    Math.random = random;
  }
});
