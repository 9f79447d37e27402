import assert from 'node:assert/strict';
import test from 'node:test';
import { Network, space } from '../../Tests/World/network.mjs';
import { skip } from './core.mjs';
import { module, program } from './program.mjs';

const note = {
  entities: [{ number: 1, name: 'note', fields: [{ number: 1, name: 'text', kind: 4 }] }],
};
const device = 'ad'.repeat(8);

/** The program in a tab; its page was opened with that fragment. */
const start = (network, tab, files, hash) => network.tell({
  do: 'run', tab, browser: 'ada', files, hash, source: module,
});

test('the program in the header of reunion.js joins, sends what it commits, and starts again alone',
  { skip }, async () => {
    assert.match(program, /new Connection\(replica\)/);
    const network = new Network(1);
    try {
      const texts = async () => (await network.look('b')).records.map(({ text }) => text);
      await network.tell({
        do: 'open', tab: 'b', browser: 'ben', space, model: note,
        device: 'be'.repeat(8),
      });
      await start(network, 'a', { '/join': { space, device } }, '#join=secret');
      await network.pass(3000);
      assert.deepEqual(await texts(), ['Hello']);
      await network.tell({ do: 'run', tab: 'a', source: 'await again()' });
      await network.pass(1000);
      assert.deepEqual(await texts(), ['Hello', 'Hello']);
      assert.deepEqual(await network.content('ada'), network.relay.content);

      // The link is in the address no more, and no server answers.
      await network.tell({ do: 'kill', tab: 'a' });
      await network.reach(false);
      await network.tell({ do: 'browser', browser: 'ada', isMember: null });
      await start(network, 'c', { '/join': null });
      await network.pass(3000);
      assert.deepEqual(await texts(), ['Hello', 'Hello']);
      await network.tell({ do: 'browser', browser: 'ada', isMember: true });
      await network.reach(true);
      await network.pass(60_000);
      assert.deepEqual(await texts(), ['Hello', 'Hello', 'Hello']);
    } finally {
      network.end();
    }
  });
