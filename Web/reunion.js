// Reunion in a browser: a local copy of a space that works offline and syncs when it can. The first
// start joins by the link, and those after it go on as the same device. docs/javascript.md explains it.
//
//     import {
//       Model, Replica, Session, ask, openCore, remembered, runInOneTab,
//     } from '/reunion/reunion.js';
//
//     const model = new Model({ entities: [
//       { number: 1, name: 'note', fields: [{ number: 1, name: 'text', kind: 'text' }] },
//     ] });
//     const invite = location.hash.slice('#join='.length);
//     const { space, device } = await remembered('member',
//       () => (invite ? ask('/join', { invite }) : ask('/session')));
//     history.replaceState(null, '', location.pathname);
//
//     const core = await openCore('/reunion/core.wasm');
//     const replica = await Replica.open({ space, device, model, core });
//     const session = new Session(replica);
//     runInOneTab(replica, session);
//
//     replica.subscribe('note', (notes) => console.log(notes.map(({ text }) => text)));
//     await replica.transaction((t) => t.create('note', { text: 'Hello' }));

export { ask, remembered } from './ask.js';
export { backoff } from './backoff.js';
export { openCore } from './core/calls.js';
export { draw, icon, iconButton, make, say } from './elements.js';
export { Handoff } from './handoff.js';
export { runInOneTab } from './lease.js';
export { Model, newRecordID } from './model.js';
export { Person } from './person.js';
export { receiveHandoff } from './receive-handoff.js';
export { Replica } from './replica.js';
export { Session } from './session.js';
export { SettingKey } from './setting-key.js';
export { Settings, settingsLimits } from './settings.js';
export { Changes, State } from './state.js';
export { updateNeed } from './update-need.js';
export { Uploads } from './uploads.js';
