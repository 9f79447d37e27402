// Reunion in a browser: a local copy of a space that works offline and syncs when it can. The first
// start joins by the link, and those after it go on as the same device. docs/javascript.md explains it.
//
//     import {
//       Model, Replica, Connection, ask, openCore, remembered, runInOneTab,
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
//     const connection = new Connection(replica);
//     runInOneTab(replica, connection);
//
//     replica.subscribe('note', (notes) => console.log(notes.map(({ text }) => text)));
//     await replica.transaction((t) => t.create('note', { text: 'Hello' }));

export { ask, remembered } from './conversation/ask.js';
export { backoff } from './conversation/backoff.js';
export { openCore } from './core/calls.js';
export { draw, icon, iconButton, make, say } from './elements.js';
export { Handoff } from './person/handoff.js';
export { runInOneTab } from './replica/lease.js';
export { Model, newRecordID } from './replica/model.js';
export { Presence } from './presence/presence.js';
export { Person } from './person/person.js';
export { receiveHandoff } from './person/receive-handoff.js';
export { Replica } from './replica/replica.js';
// Until version 0.3 it goes by its old name, too.
export { Connection, Connection as Session } from './conversation/connection.js';
export { Standing } from './standing/standing.js';
export { SettingKey } from './settings/setting-key.js';
export { Settings, settingsLimits } from './settings/settings.js';
export { Changes, State } from './replica/state.js';
export { updateNeed } from './writing/update-need.js';
export { Uploads } from './uploads/uploads.js';
