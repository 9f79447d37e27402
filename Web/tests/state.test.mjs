import assert from 'node:assert/strict';
import test from 'node:test';
import { Changes, State } from '../replica/state.js';

test('a state tells of what is another, now and after each change, until it is left', () => {
  const state = new State({ phase: 'off', count: 1 });
  const heard = [];
  const leave = state.subscribe((value) => heard.push(value));
  state.set({ count: 1 });
  state.set({ phase: 'online' });
  leave();
  state.set({ count: 2 });
  assert.deepEqual(heard, [{ phase: 'off', count: 1 }, { phase: 'online', count: 1 }]);
});

test('changes that come together are settled and told of once', async () => {
  const heard = [];
  class Store extends Changes {
    settle() { heard.push('settled'); }
  }
  const store = new Store();
  store.subscribe(() => heard.push('told'));
  store.changed();
  store.changed();
  assert.deepEqual(heard, ['told']);
  await null;
  store.changed();
  await null;
  assert.deepEqual(heard, ['told', 'settled', 'told', 'settled', 'told']);
});
