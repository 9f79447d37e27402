// The other end of the pipe to the browsers, for tests in node.

import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('browsers.mjs', import.meta.url));

/** Browsers in a process of their own. */
export class Browsers {
  #process; #lines; #effects = [];
  /** Milliseconds since the world began, and when the next timer is due. */
  now = 0; next = null;

  constructor(seed = 1) {
    this.#process = spawn(process.execPath,
      ['--no-warnings', '--experimental-vm-modules', program, String(seed)],
      { stdio: ['pipe', 'pipe', 'inherit'] });
    this.#lines = createInterface({ input: this.#process.stdout })[Symbol.asyncIterator]();
  }

  /** Sends an event, and gives `{result, effects}`; throws where the world breaks. */
  async tell(event) {
    this.#process.stdin.write(`${JSON.stringify(event)}\n`);
    const { value } = await this.#lines.next();
    if (value === undefined) throw new Error(`The browsers ended at ${JSON.stringify(event)}.`);
    const answer = JSON.parse(value);
    const wrong = answer.error ?? answer.broken;
    if (wrong) throw new Error(`${wrong} (at ${JSON.stringify(event).slice(0, 300)})`);
    ({ now: this.now, next: this.next } = answer);
    return answer;
  }

  end() { this.#process.stdin.end(); }
}
