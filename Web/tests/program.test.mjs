import assert from 'node:assert/strict';
import test from 'node:test';
import { Network, model, space } from '../../Tests/World/network.mjs';
import { skip } from './core.mjs';
import { moduleOf, program } from './program.mjs';

test('the program in the header of reunion.js sends what it commits, while it is connected too',
  { skip }, async () => {
    assert.match(program, /new Session\(replica\)/);
    const network = new Network(1);
    try {
      const texts = async () => (await network.look('b')).records.map(({ text }) => text);
      await network.open('b', 'ben');
      await network.tell({
        do: 'run', tab: 'a', browser: 'ada', core: 'apps', files: { '/model.json': model },
        source: moduleOf(space, 'ad'.repeat(8)),
      });
      await network.pass(3000);
      assert.deepEqual(await texts(), ['Hello']);
      await network.tell({ do: 'run', tab: 'a', source: 'await again()' });
      await network.pass(1000);
      assert.deepEqual(await texts(), ['Hello', 'Hello']);
      assert.deepEqual(await network.content('ada'), network.relay.content);
    } finally {
      network.end();
    }
  });
