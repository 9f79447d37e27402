// What in the browser reads what others wrote. Each target reads one input of a seed: it returns, or throws
// an Error of JavaScript; `Wrong` is a promise that was broken.

import { readFileSync, existsSync } from 'node:fs';
import { Conversation } from '../../conversation/conversation.js';
import { FlatWriter } from '../../core/flat.js';
import { startCore } from '../../core/core.js';
import { Model, decodeValue } from '../../replica/model.js';
import { mutatedBytes, mutatedValue } from './mutation.mjs';

/** A promise that was broken. */
export class Wrong extends Error {}

const require = (isSo, sentence) => { if (!isSo) throw new Wrong(sentence); };
const text = new TextEncoder();

// The model, and values in records

const model = {
  entities: [{
    number: 3, name: 'photo', fields: [
      { number: 1, name: 'original', kind: 9 }, { number: 3, name: 'caption', kind: 'text' },
      { number: 6, name: 'takenAt', kind: 6 }, { number: 11, name: 'edit', kind: 5 },
    ],
  }, { number: 4, name: 'heart', fields: [{ number: 1, name: 'photo', kind: 8 }] }],
};
const cell = (field, kind, bytes) => ({
  field, merge: field ? 2 : 0, kind, bytes, site: 'ab'.repeat(16), seq: 1n, stamp: 1n, replaced: 0n,
});
const cells = new FlatWriter().cells([
  cell(0, 0, new Uint8Array(0)), cell(3, 4, text.encode('Hi')), cell(1, 9, new Uint8Array(34)),
  cell(6, 6, new Uint8Array(8)),
]).finish();

function models() {
  return (random) => {
    const read = new Model(mutatedValue(model, random));
    const record = read.record(3, 'ab', true, mutatedBytes([cells], random));
    require(Object.getPrototypeOf({}) === Object.prototype && ({}).alive === undefined,
      'a model changed what all objects have');
    require(record === null || Object.isFrozen(record), 'a record can be changed');
  };
}

const lengths = { 1: 1, 2: 8, 3: 8, 6: 8, 7: 16, 8: 16 };
function values() {
  const samples = [new Uint8Array(33), new Uint8Array(8), new Uint8Array(16), text.encode('Été'),
    Uint8Array.of(1, 2, 255), new Uint8Array(0)];
  return (random) => {
    const [kind, bytes] = [random.below(14), mutatedBytes(samples, random)];
    const value = decodeValue(kind, bytes);
    if (kind in lengths) {
      require(value === null || bytes.length === lengths[kind], `kind ${kind} of ${bytes.length} bytes`);
    }
    if (kind === 9 && value !== null && !(value instanceof Uint8Array)) {
      require(value.hash.length === 64 && value.size >= 0, `a blob ${JSON.stringify(value)}`);
    }
  };
}

// Messages of a server, by the core

const built = (name) => {
  const path = new URL(`../../../.build/web/${name}`, import.meta.url);
  return existsSync(path) ? new Uint8Array(readFileSync(path)) : null;
};
const [space, mine, theirs] = ['0f'.repeat(16), 'aa'.repeat(16), 'bb'.repeat(16)];

async function messages() {
  const [whole, small] = [built('reunion/core.wasm'), built('reunion/conversation.wasm')];
  if (!whole || !small) return null;
  const encoder = await startCore(whole);
  const entry = new Map([[theirs, 3n]]);
  const write = (type) => new FlatWriter().u8(type);
  const samples = [
    write(1).id(space).id(theirs).u8(0).u64(3n),
    write(2).sized(new Uint8Array(0)).u8(1).vector(entry),
    write(3).u64(0n).u32(1).u32(3).id('cd'.repeat(16)).u8(1).bytes(cells),
    write(4).u64(1n).sized(Uint8Array.of(1, 2)).u32(1).u32(0).id(theirs).u64(3n),
    write(5).u64(1n), write(6).u32(1).u32(3).id('cd'.repeat(16)).vector(entry).sized(Uint8Array.of(78, 111)),
    write(7).u32(9), write(8).u32(9),
  ].map((writer) => encoder.call(2, writer.finish()));
  let core = await startCore(small);
  return async (random) => {
    const conversation = new Conversation(core, {
      send() {}, stage() {}, acknowledged() {}, have() {}, close() {},
      lookUp: () => conversation.lookedUp(new Uint8Array(0), new Map()),
      resume: () => conversation.resumed(0n, 0n, random.happens(0.5)),
      readWindow: () => conversation.windowRead([], 1n, new Uint8Array(0), new Map()),
      apply: ({ cursor }) => conversation.applied(cursor), renew: () => conversation.renewed(),
    });
    try {
      conversation.opened(space, mine, 0n);
      for (const sample of samples.slice(0, random.below(9))) conversation.received(sample);
      for (let left = 1 + random.below(4); left > 0; left--) {
        conversation.received(mutatedBytes(samples, random));
      }
      conversation.end();
    } catch (error) {
      if (error instanceof WebAssembly.RuntimeError) {
        core = await startCore(small);
        throw new Wrong(`the core trapped: ${error}`);
      }
      conversation.end();
      throw error;
    }
  };
}

// What another window says

async function handoffs() {
  const said = [];
  const opener = { postMessage: (message, origin) => said.push({ message, origin }) };
  let hear;
  globalThis.window = { opener };
  globalThis.addEventListener = (name, body) => { hear = body; };
  const { receiveHandoff } = await import('../../person/receive-handoff.js');
  const { word } = await import('../../person/handoff.js');
  const [secret, good] = ['SECRET', 'https://old.example'];
  const warn = console.warn;
  return async (random) => {
    said.length = 0;
    let [asked, isAgreed, taken] = [0, false, 0];
    console.warn = () => {};
    const answer = random.of([true, false, 'throw', 'never']);
    const replica = {
      space, get: () => null,
      transaction: (body) => { taken += 1; return body({ create() {}, delete() {}, set() {} }); },
    };
    receiveHandoff({
      replica, uploads: { entity: 'photo', adopt: async () => { taken += 1; } }, secret, caughtUp: Promise.resolve(),
      async ask() {
        asked += 1;
        if (answer === 'throw') throw new Error('asked');
        if (answer === 'never') return new Promise(() => {});
        isAgreed = answer;
        return answer;
      },
    });
    const turns = async () => { for (let left = 0; left < 12; left++) await null; };
    let knows = false;
    for (let left = 1 + random.below(8); left > 0; left--) {
      const ticket = said.find(({ message }) => message.step === 'take')?.message.ticket;
      const message = mutatedValue(random.of([
        { word, step: 'offer', secret: random.happens(0.8) ? secret : 'guessed', space, photos: 1, changes: 2 },
        { word, step: 'writes', ticket, writes: [
          { entity: 'photo', id: 'ab', alive: true, creates: true, values: {} }] },
        { word, step: 'photo', ticket, row: { id: 'ab' }, body: new Uint8Array(3) },
        { word, step: 'end', ticket },
      ]), random);
      const origin = random.of([good, good, good, 'https://evil.example', 'null']);
      const source = random.happens(0.9) ? opener : {};
      const before = taken;
      if (message?.secret === secret && message.step === 'offer' && source === opener) knows = true;
      hear({ source, origin, data: message });
      await turns();
      require(taken === before || (isAgreed && origin === said[0]?.origin && source === opener
        && message.ticket === ticket), 'something was taken of a page that nobody agreed to');
      require(knows || (!said.length && !asked), 'a page that does not know the link was answered');
      require(said.every((each) => each.origin === said[0].origin), 'two pages were answered');
    }
    console.warn = warn;
  };
}

// A seeded bug each, which the harness must find.

const bugs = {
  'seeded-trap': () => (random) => { if (random.below(100) === 7) throw new WebAssembly.RuntimeError('unreachable'); },
  'seeded-wrong': () => (random) => require(random.below(100) !== 7, 'seven'),
};

/** What is read, its inputs of the 300,000 in `make faults`, and what makes a reader (null: not built). */
export const targets = {
  models: { inputsInFull: 100_000, reader: models },
  values: { inputsInFull: 100_000, reader: values },
  messages: { inputsInFull: 50_000, reader: messages },
  handoffs: { inputsInFull: 50_000, reader: handoffs },
};
export const seededBugs = bugs;
