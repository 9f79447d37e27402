// A program that answers a test in Swift, which does the same to its own: an event is a line of JSON on stdin, its
// answer a line on stdout (Tests/ReunionStoreTests/Model/InJavaScript.swift).

import { createInterface } from 'node:readline';
import { FlatReader, hex } from '../../Web/core/flat.js';

let now = 0;
Date.now = () => now;

/** What is held of a cell's bytes: all of a short value, the end of a long one. */
const ends = (bytes) => (bytes.length > 200 ? `${bytes.length}:${hex(bytes.subarray(-8))}` : hex(bytes));
const line = ({ field, merge, kind, site, seq, stamp, replaced, bytes }) =>
  [field, merge, kind, site, seq, stamp, replaced, ends(bytes)].join(' ');

/** The cells of a record, each in a line behind its id. */
export const lines = (id, cells) => new FlatReader(cells).cells().map((cell) => `${id} ${line(cell)}`);

/** Does each event's act, `do`, with what stands beside it; `at` is when. */
export async function answer(acts) {
  for await (const event of createInterface({ input: process.stdin })) {
    const { do: act, at, ...about } = JSON.parse(event);
    now = at ?? now;
    process.stdout.write(`${JSON.stringify({ result: await acts[act](about) ?? null })}\n`);
  }
}
