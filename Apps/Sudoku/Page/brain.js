// Making, proving and explaining Sudokus: SudokuCore as WebAssembly, in a thread of its own. It is loaded
// when it is first asked, at the latest once the page rests.

import { notLoaded, puzzled } from './words.js';

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const waiting = new Map();
let worker; let last = 0;

function start() {
  worker = new Worker('/brain-worker.js', { type: 'module' });
  worker.onmessage = ({ data: { id, bytes, problem, isSentence } }) => {
    const { resolve, reject } = waiting.get(id);
    waiting.delete(id);
    if (bytes) resolve(bytes);
    else reject(new Error(isSentence ? problem : puzzled));
  };
  worker.onerror = () => {
    for (const { reject } of waiting.values()) reject(new Error(notLoaded));
    waiting.clear();
    worker.terminate();
    worker = null;
  };
}

function call(number, bytes) {
  if (!worker) start();
  return new Promise((resolve, reject) => {
    waiting.set(last += 1, { resolve, reject });
    worker.postMessage({ id: last, number, bytes });
  });
}

const puzzleOf = (bytes) => ({
  values: [...bytes.subarray(0, 81)], solution: [...bytes.subarray(81, 162)], grade: bytes[162],
});

/** A new puzzle of a grade, 1 to 4: `{values, solution, grade}`. */
export async function makePuzzle(grade) {
  const seed = crypto.getRandomValues(new Uint8Array(8));
  return puzzleOf(await call(1, Uint8Array.of(grade, ...seed)));
}

/** The puzzle of a text or a link; rejects with a sentence where it is none with one solution. */
export const readPuzzle = async (text) => puzzleOf(await call(2, encoder.encode(text)));

/** What follows next: `{kind, place, digit, removed, shown, houses, mistakes, sentence}`. */
export async function hintFor(printed, entered, struck) {
  const bytes = await call(3, Uint8Array.of(...printed, ...entered, ...struck.flat()));
  let at = 1;
  const list = () => Array.from({ length: bytes[at++] }, () => [bytes[at++], bytes[at++]]);
  const [first, removed, shown] = [list(), list(), list()];
  const houses = Array.from({ length: bytes[at++] }, () => bytes[at++]);
  return {
    kind: ['done', 'mistakes', 'step'][bytes[0]], removed, shown, houses,
    placed: bytes[0] === 2 ? first[0] ?? null : null,
    mistakes: bytes[0] === 1 ? first.map(([place]) => place) : [],
    sentence: decoder.decode(bytes.subarray(at)),
  };
}
