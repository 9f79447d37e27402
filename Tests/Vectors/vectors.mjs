// The core's vectors, for JavaScript: `core.txt` has a line each, `name function-number hex-in
// hex-out`, or `!` and the error's sentence where the core must refuse.

const digits = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
const bytesOf = (text) => Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));

/**
 * Runs the vectors in a core (`startCore` of Web/core/core.js), in node or in a browser.
 * Gives `{count, failures: [{name, expected, actual}]}`.
 */
export function runVectors(core, text) {
  const failures = [];
  let count = 0;
  for (const line of text.split('\n')) {
    const [, name, number, input, expected] = /^(\S+) (\d+) (\S*) (.*)$/.exec(line) ?? [];
    if (!name) continue;
    count += 1;
    let actual;
    try {
      actual = digits(core.call(Number(number), bytesOf(input)));
    } catch (error) {
      actual = error instanceof WebAssembly.RuntimeError ? `trap: ${error.message}`
        : `!${error.message}`;
    }
    if (actual !== expected) failures.push({ name, expected, actual });
  }
  return { count, failures };
}
