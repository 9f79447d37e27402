// The program in the header of Web/reunion.js, as it is printed there.

import { readFileSync } from 'node:fs';

const header = readFileSync(new URL('../reunion.js', import.meta.url), 'utf8').split('\n\n')[0];
const lines = header.split('\n').filter((line) => line.startsWith('//     '))
  .map((line) => line.slice('//     '.length));

/** Its lines. */
export const program = lines.join('\n');

/**
 * The program as a module for a space and a device: `again()` does once more what its last line does.
 */
export const moduleOf = (space, device) => [
  "import { Model, Replica, Session, ask, openCore, runInOneTab } from '/reunion/reunion.js';",
  `const [space, device] = ['${space}', '${device}'];`,
  program, `globalThis.again = () => ${lines.at(-1).replace('await ', '')}`,
].join('\n');
