// The page of a tab in the world: it opens the space, and does what the world asks of it.

import { openCore } from '/reunion/core/calls.js';
import { runInOneTab } from '/reunion/replica/lease.js';
import { Model } from '/reunion/replica/model.js';
import { Replica } from '/reunion/replica/replica.js';
import { Connection } from '/reunion/conversation/connection.js';

// JSON has no integers beyond 2^53, no bytes and no sets: {"$int": "…"}, {"$bytes": "hex"}, {"$set": […]}.
const pairs = /../g;
function taken(value) {
  if (Array.isArray(value)) return value.map(taken);
  if (value?.$int !== undefined) return BigInt(value.$int);
  if (value?.$number !== undefined) return Number(value.$number);
  if (value?.$bytes !== undefined) {
    return Uint8Array.from(value.$bytes.match(pairs) ?? [], (digits) => parseInt(digits, 16));
  }
  return value;
}
function told(value) {
  if (typeof value === 'bigint') return { $int: String(value) };
  if (value instanceof Set) return { $set: [...value].map(told) };
  if (Array.isArray(value)) return value.map(told);
  if (value instanceof Uint8Array) {
    return { $bytes: Array.from(value, (byte) => byte.toString(16).padStart(2, '0')).join('') };
  }
  if (typeof value === 'number' && (!Number.isFinite(value) || Object.is(value, -0))) {
    return { $number: Object.is(value, -0) ? '-0' : String(value) };
  }
  return value;
}
const mapped = (values, change) =>
  Object.fromEntries(Object.entries(values ?? {}).map(([name, value]) => [name, change(value)]));
const shown = (record) => record && mapped(record, told);

/** Opens the space; `tell` hears of everything that a page would show. */
export async function open({ space, device, model: schema, core: kind, everyTab }, tell) {
  const model = new Model(schema);
  const core = await openCore(`/reunion/${kind === 'apps' ? 'registers' : 'core'}.wasm`);
  const replica = await Replica.open({ space, device, model, core });
  const connection = new Connection(replica);
  connection.onnotice = (notice) => tell({ notice });
  connection.onrefused = (records) => tell({ refused: records.map(({ entity, id }) => ({ entity, id })) });
  connection.state.subscribe(({ phase }) => tell({ phase }));
  replica.waiting.subscribe(({ records }) => tell({ waiting: records }));
  for (const { name } of schema.entities) {
    replica.subscribe(name, (records) => tell({ shown: records.map(shown) }));
  }
  if (everyTab) connection.start();
  else runInOneTab(replica, connection, (isHeld) => tell({ lease: isHeld }));
  tell({ open: replica.site });

  const acts = {
    create: (t, entity, values, id) => t.create(entity, mapped(values, taken), id),
    set: (t, entity, id, values) => t.set(replica.get(entity, id), mapped(values, taken)),
    // A list of `[field, what, …about]`, such as `['steps', 'insert', 'Flour', 0]`.
    edit: (t, entity, id, list) => {
      const draft = t.edit({ entity, id });
      for (const [field, what, ...about] of list) draft[field][what](...about.map(taken));
    },
    delete: (t, entity, id) => t.delete(replica.get(entity, id)),
    restore: (t, entity, id) => t.restore(replica.get(entity, id)),
  };
  return {
    replica, connection,
    /** One action: a list of `[act, …]`; resolves once it is on the disk. */
    write: (list) => replica.transaction((t) => list.map(([act, ...rest]) => acts[act](t, ...rest))),
    look: ({ record, isBrief } = {}) => (record ? { record: shown(replica.get(...record)) ?? null } : {
      site: replica.site, seq: String(replica.seq), waiting: replica.waiting.value.records,
      phase: connection.state.value.phase, unreadable: replica.unreadable,
      vector: [...replica.vector].map(([site, seq]) => [site, String(seq)]),
      records: schema.entities.flatMap(({ name }) => replica.records(name)
        .map((each) => (isBrief ? { entity: name, id: each.id } : shown(each)))),
    }),
  };
}
