// The program of the page on models, as it stands, on the model of its example.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { Network, space } from '../../Tests/World/network.mjs';
import { skip } from './core.mjs';

const page = readFileSync(new URL('../../Sources/Reunion/Reunion.docc/models.md', import.meta.url), 'utf8');
const block = (language) => page.match(new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``))[1];

// What `reunion model generate --javascript` makes of the example; a journey runs that.
const model = `{ entities: [
  { number: 1, name: 'list', fields: [{ number: 1, name: 'name', kind: 'text', initial: '' }] },
  { number: 2, name: 'errand', fields: [
    { number: 1, name: 'text', kind: 'text', initial: 'Untitled' },
    { number: 3, name: 'list', kind: 'reference', target: 1, onDelete: 'delete' },
    { number: 6, name: 'done', kind: 'counter' }, { number: 7, name: 'tags', kind: 'set', element: 'text' },
    { number: 8, name: 'steps', kind: 'list', element: 'text' },
  ] },
] }`;

test('the program of the page on models prints what the page says', { skip }, async () => {
  const network = new Network(1);
  try {
    const program = block('js').replace("import { errands } from './model.js';", `const errands = ${model};`);
    await network.tell({
      do: 'run', tab: 'a', browser: 'ada', files: { '/join': { space, device: 'ad'.repeat(8) } }, hash: '#join=secret',
      source: `const said = [];\nconsole.log = (...words) => said.push(words.join(' '));\n${program}\n`
        + 'export const result = said;',
    });
    await network.pass(3000);
    const { ran, failed } = network.effects.find((effect) => 'ran' in effect || effect.failed);
    assert.equal(failed, undefined);
    assert.equal(ran.join('\n'), block('log').trim());
    assert.deepEqual(await network.content('ada'), network.relay.content);
  } finally {
    network.end();
  }
});
