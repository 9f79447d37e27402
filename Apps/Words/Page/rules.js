// Which words count, and how much: WordsCore as WebAssembly, the code by which the server judges.

import { startCore } from '/reunion/core/core.js';

const encoder = new TextEncoder();
const decoder = new TextDecoder();
let core;

/** Loads it, before anything else is called. */
export async function loadRules() { core = await startCore(fetch('/words.wasm')); }

/**
 * The word of a text, in small letters; throws an Error with a sentence where it does not count. `had` are the words
 * that one has, and `sieve` the bytes that say which words a round takes.
 */
export function readWord(text, { letters, sieve, had }) {
  // What is longer than any word is told as such, and not looked through.
  const typed = text.slice(0, 200).replaceAll('\0', ' ');
  const parts = encoder.encode(`${letters}\0${had.join(' ')}\0${typed}\0`);
  const bytes = new Uint8Array(parts.length + sieve.length);
  bytes.set(parts);
  bytes.set(sieve, parts.length);
  return decoder.decode(core.call(1, bytes));
}

/** What a word counts at the end, of which `finders` of `players` found it. */
export function valueOf(word, finders, players) {
  const [high, low] = core.call(2, Uint8Array.of([...word].length, finders, players));
  return high * 256 + low;
}

/** What it counts while the round runs. */
export const baseOf = (word) => valueOf(word, 1, 1);

/** Words with blanks between, as a list. */
export const wordsOf = (text) => (text ? text.split(' ') : []);

/** What each word of a finished round counts, of the scores of all: `Map` of word to `{value, finders}`. */
export function valuesOf(scores) {
  const values = new Map();
  for (const { words } of scores) {
    for (const word of wordsOf(words)) values.set(word, { finders: (values.get(word)?.finders ?? 0) + 1 });
  }
  for (const [word, each] of values) each.value = valueOf(word, each.finders, scores.length);
  return values;
}
