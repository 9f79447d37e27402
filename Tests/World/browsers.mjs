// Browsers over a pipe: an event a line in, an answer a line out. README.md has the events.
//
//     node --no-warnings --experimental-vm-modules Tests/World/browsers.mjs SEED

import { createInterface } from 'node:readline';
import { World } from './world.mjs';

let world = new World({ seed: Number(process.argv[2] ?? 1) });
let broken = null;
process.on('unhandledRejection', (error) => { broken = String(error?.stack ?? error); });

for await (const line of createInterface({ input: process.stdin })) {
  let answer;
  try {
    const event = JSON.parse(line);
    // Another world, as if the program had just been started.
    if (event.do === 'begin') world = new World(event);
    answer = event.do === 'begin' ? { now: 0, next: null, effects: [] } : await world.handle(event);
  } catch (error) {
    answer = { error: String(error?.message ?? error) };
  }
  if (broken) answer.broken = broken;
  broken = null;
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
