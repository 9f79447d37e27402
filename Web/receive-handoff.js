// What waits at an old page is taken over: the side of the album's new address.

import { word } from './handoff.js';

const first = 30_000;

/**
 * The new page's side: says that it is ready to the page that opened it, and asks its person with
 * `ask({origin, photos, changes})` before it takes anything, once it has `caughtUp` with the
 * server. Resolves with how much was taken, null where nobody offers.
 */
export function receiveHandoff({ replica, uploads, ask, caughtUp }) {
  const from = window.opener;
  if (!from) return Promise.resolve(null);
  return new Promise((resolve, reject) => {
    let origin;
    let [taken, left] = [0, 0];
    let turn = Promise.resolve();
    const finish = (value) => {
      removeEventListener('message', hear);
      resolve(value);
    };
    const say = (message) => from.postMessage({ word, ...message }, origin);
    const perform = async (data) => {
      if (data.step === 'offer' && data.space === replica.space) {
        if (!data.photos && !data.changes) return finish(null);
        if (await ask({ origin, photos: data.photos, changes: data.changes })) {
          say({ step: 'take' });
        } else {
          say({ step: 'declined' });
          finish(null);
        }
      } else if (data.step === 'writes') {
        await caughtUp;
        const count = await takeWrites(replica, data.writes);
        taken += count;
        left += data.writes.length - count;
      } else if (data.step === 'photo') {
        await uploads.adopt(data.row, data.body);
        if (data.row.use === 'original') taken += 1;
      } else if (data.step === 'end') {
        say({ step: 'done', taken, left });
        finish(taken);
      } else if (data.step === 'other') {
        finish(null);
      }
      return undefined;
    };
    const hear = (event) => {
      if (event.source !== from || event.data?.word !== word) return;
      origin ??= event.origin;
      if (event.origin !== origin) return;
      turn = turn.then(() => perform(event.data)).catch(reject);
    };
    addEventListener('message', hear);
    from.postMessage({ word, step: 'ready', space: replica.space }, '*');
    setTimeout(() => origin ?? finish(null), first);
  });
}

/**
 * Writes what waited elsewhere as this device's own; records that exist here are only edited.
 * Gives how many found their place.
 */
function takeWrites(replica, writes) {
  return replica.transaction((t) => writes.filter(({ entity, id, alive, creates, values }) => {
    const record = replica.get(entity, id);
    if (creates && alive && !record) t.create(entity, values, id);
    else if (record?.alive && !alive) t.delete(record);
    else if (record && alive) t.set(record, values);
    return record || creates;
  }).length);
}
