// Reunion in a browser: a local copy of a space that works offline and syncs when it can.
//
//     const core = await openCore('/reunion/core.wasm');
//     const model = new Model(await ask('/model.json'));
//     const replica = await Replica.open({ space, device, model, core });
//     runInOneTab(replica, new Session(replica));
//     replica.subscribe('note', (notes) => console.log(notes));
//     await replica.transaction((t) => t.create('note', { text: 'Hello' }));

export { ask, remembered } from './ask.js';
export { backoff } from './backoff.js';
export { openCore } from './core/calls.js';
export { draw, icon, iconButton, make, say } from './elements.js';
export { Handoff } from './handoff.js';
export { runInOneTab } from './lease.js';
export { Model, newRecordID } from './model.js';
export { receiveHandoff } from './receive-handoff.js';
export { Replica } from './replica.js';
export { Session } from './session.js';
export { Changes, State } from './state.js';
export { Uploads } from './uploads.js';
