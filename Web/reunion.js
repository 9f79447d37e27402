// Reunion in a browser: a local copy of a space that works offline and syncs when it can.
//
//     const core = await openCore('/reunion/core.wasm');
//     const model = new Model(await (await fetch('/model.json')).json());
//     const replica = await Replica.open({ space, device, model, core });
//     const session = new Session({ replica, url: `ws://${location.host}/sync` });
//     session.start();
//     replica.subscribe('photo', (photos) => { … });
//     await replica.transaction((t) => t.create('photo', { caption: 'Hello' }));

export { backoff } from './backoff.js';
export { openCore } from './core/calls.js';
export { Handoff, receiveHandoff } from './handoff.js';
export { Lease } from './lease.js';
export { Model, newRecordID } from './model.js';
export { Replica } from './replica.js';
export { Session } from './session.js';
export { State } from './state.js';
export { Uploads } from './uploads.js';
