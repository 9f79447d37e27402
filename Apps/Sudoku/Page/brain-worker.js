// The thread in which SudokuCore computes.

import { startCore } from '/reunion/core/core.js';

const core = startCore(fetch('/sudoku.wasm'));

onmessage = async ({ data: { id, number, bytes } }) => {
  try {
    postMessage({ id, bytes: (await core).call(number, bytes) });
  } catch (error) {
    // What could not be loaded is asked for again by a new thread.
    if (error instanceof TypeError) setTimeout(() => { throw error; });
    else postMessage({ id, problem: error.message, isSentence: error.constructor === Error });
  }
};
