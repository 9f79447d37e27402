// Blocks as a page takes them, made here by what docs/protocol.md 6.1 and 6.2 say.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { deflateSync } from 'node:zlib';
import test from 'node:test';
import { takeBlock } from '../conversation/block.js';
import { startCore } from '../core/core.js';
import { FlatReader, FlatWriter, unhex } from '../core/flat.js';
import { Stage } from '../replica/stage.js';
import { core, skip } from './core.mjs';

const [space, server, site] = ['5a'.repeat(16), '5e'.repeat(16), 'ab'.repeat(16)];
const built = new URL('../../.build/web/reunion/conversation.wasm', import.meta.url);
const conversations = skip ? null : await startCore(new Uint8Array(readFileSync(built)));

const varint = (value) => {
  const bytes = [];
  let rest = BigInt(value);
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  return [...bytes, Number(rest)];
};
const difference = (value, base) => {
  const by = BigInt(value) - BigInt(base);
  return varint(by < 0n ? -by * 2n - 1n : by * 2n);
};
const sized = (bytes) => [...varint(bytes.length), ...bytes];
const id = (number) => new FlatWriter(16).u64(number).u64(7).finish();

/** Records 1 to `count` of entity 3, each with a creation and a caption. */
function part(count) {
  const numbers = Array.from({ length: count }, (_, index) => index + 1);
  const texts = numbers.map((number) => [...new TextEncoder().encode(`photo ${number}`)]);
  const none = numbers.flatMap(() => [0, 0]);
  return Uint8Array.from([
    1, ...unhex(site),
    2, 3, 0, 0, 0, 3, 4, 2, 4,
    1, 2, 0, 1,
    ...sized(numbers.map(() => 0)),
    ...sized(numbers.flatMap((number) => difference(number, number - 1))),
    ...numbers.flatMap(() => [0, 0, 0, 0, 0, 0, 0, 7]),
    ...sized(none),
    ...sized(none),
    ...sized(numbers.flatMap((number) => [...difference(1000 + number, number > 1 ? 999 + number : 0), 0])),
    ...sized(none), ...sized(none), ...sized([]),
    0,
    3, ...sized(texts.map((text) => text.length)), ...texts.flat(),
  ]);
}

function block(counts = [5, 300]) {
  const head = new FlatWriter(56).u32(0x52424c4b).u32(0x01010000).id(space).id(server).u64(305)
    .u32(counts.length).u32(305).finish();
  const end = new FlatWriter().bytes(head).sized(Uint8Array.of(9, 9)).vector(new Map([[site, 610n]])).finish();
  const frames = [...counts.map(part), end].flatMap((bytes) => {
    const deflated = deflateSync(bytes);
    return [...new FlatWriter(8).u32(deflated.length).u32(bytes.length).finish(), ...deflated];
  });
  return Uint8Array.from([...head, ...frames]);
}

/** A copy that holds nothing. */
function empty(about = {}) {
  const pushes = [];
  return Object.assign({
    space, pushes, hasSynced: false, own: () => new Map(),
    stage: () => new Stage(() => new Uint8Array(4), ({ entity, id: record, row }) =>
      ({ changed: true, row, entry: { entity, id: record, cells: row.subarray(1) } })),
    async applyPush(stage, end) {
      pushes.push({ stage, end });
      return { kept: Promise.resolve() };
    },
  }, about);
}

const answer = (bytes, status = 200) => new Response(bytes, { status, headers: { ETag: '"a"' } });
const never = async () => answer(null, 204);
/** Makes an answer break off after a number of bytes. */
const cut = (bytes, count, status = 200) => {
  const parts = count ? [bytes.slice(0, count)] : [];
  return answer(new ReadableStream({
    pull(controller) {
      if (parts.length) controller.enqueue(parts.shift());
      else controller.error(new TypeError('The link is gone.'));
    },
  }, { highWaterMark: 0 }), status);
};

test('all records of a block are taken at once, with its vector and position', { skip }, async () => {
  const replica = empty();
  await takeBlock(replica, conversations, answer(block()), never);
  assert.equal(replica.pushes.length, 1);
  const { stage, end } = replica.pushes[0];
  assert.deepEqual(end, { position: Uint8Array.of(9, 9), vector: new Map([[site, 610n]]), server });
  assert.equal(stage.outcomes.size, 300);
  assert.equal(stage.stamp, 1300n << 16n);
  const { row } = stage.outcomes.get(`3/${'0'.repeat(14)}2a${'0'.repeat(15)}7`);
  assert.equal(row[0], 1);
  const [creation, caption] = new FlatReader(row, 1).cells();
  assert.deepEqual([creation.merge, creation.seq, creation.stamp, creation.replaced], [0, 83n, 1042n << 16n, 0n]);
  assert.equal(new TextDecoder().decode(caption.bytes), 'photo 42');
  assert.deepEqual([caption.field, caption.site, caption.seq], [4, site, 84n]);
  assert.equal(core.merge(new Uint8Array(4), row.subarray(1)).row.length, row.length);
});

test('where the link breaks it goes on from there, and where it stays broken nothing is shown', { skip }, async () => {
  const bytes = block([5]);
  for (let at = 0; at < bytes.length; at += 3) {
    const [asked, replica] = [[], empty()];
    await takeBlock(replica, conversations, cut(bytes, at), async (headers) => {
      asked.push(headers);
      return answer(bytes.slice(at), 206);
    });
    assert.deepEqual(asked, [{ Range: `bytes=${at}-`, 'If-Range': '"a"' }]);
    assert.equal(replica.pushes[0].stage.outcomes.size, 5);
    const half = empty();
    await assert.rejects(takeBlock(half, conversations, cut(bytes, at), async () => cut(bytes, 0, 206)));
    // Another block has taken its place meanwhile.
    await assert.rejects(takeBlock(half, conversations, cut(bytes, at), async () => answer(bytes)));
    assert.deepEqual(half.pushes, []);
  }
});

test('a flipped bit anywhere shows nothing, or all as it was', { skip }, async () => {
  const bytes = block([5]);
  const rows = ({ pushes }) => pushes.map(({ stage, end }) =>
    [end, [...stage.outcomes].map(([key, { row }]) => [key, row])]);
  const whole = empty();
  await takeBlock(whole, conversations, answer(bytes), never);
  let taken = 0;
  for (let at = 0; at < bytes.length; at++) {
    const replica = empty();
    const damaged = bytes.slice();
    damaged[at] ^= 0x20;
    await takeBlock(replica, conversations, answer(damaged), never).catch(() => {});
    if (!replica.pushes.length) continue;
    // Of the last byte of a stream a few bits mean nothing.
    taken += 1;
    assert.deepEqual(rows(replica), rows(whole), `byte ${at}`);
  }
  assert(taken < 4, `${taken} flips were taken`);
});

test('a copy that holds something by now, and one whose device wrote before, take none', { skip }, async () => {
  for (const about of [{ hasSynced: true }, { own: () => new Map([[site, 1n]]) }, { space: '00'.repeat(16) }]) {
    const replica = empty(about);
    await takeBlock(replica, conversations, answer(block()), never);
    assert.deepEqual(replica.pushes, []);
  }
  await takeBlock(empty(), conversations, answer(null, 204), never);
  await takeBlock(empty(), conversations, undefined, never);
});
