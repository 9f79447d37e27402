// The program in the header of Web/reunion.js, as it is printed there.

import { readFileSync } from 'node:fs';

const header = readFileSync(new URL('../reunion.js', import.meta.url), 'utf8').split('\n\n')[0];
const start = '//     ';

/** Its lines. */
export const program = header.split('\n').filter((line) => line.startsWith(start) || line === '//')
  .map((line) => line.slice(start.length)).join('\n').trim();

/** The program as a module in which `again()` does once more what its last line does. */
export const module = [
  program, `globalThis.again = () => ${program.split('\n').at(-1).replace('await ', '')}`,
].join('\n');
