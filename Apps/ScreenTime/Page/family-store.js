// The people who are followed, and the stores of each; a person's own page has one alone.

import { ask } from '/reunion/conversation/ask.js';
import { runInOneTab } from '/reunion/replica/lease.js';
import { tellIfOld } from '/kit/old-page.js';
import { Replica } from '/reunion/replica/replica.js';
import { Connection } from '/reunion/conversation/connection.js';
import { standingOf, worst } from '/kit/state-line.js';
import { Changes } from '/reunion/replica/state.js';
import { PersonStore, named } from './person-store.js';

const memory = 'screen-time-keys';
const memberMemory = 'screen-time-member';
const againMilliseconds = 3000;
const kept = () => JSON.parse(localStorage.getItem(memory)) ?? {};

/** Opens the copy of a space and connects it. */
export async function openSpace({ space, device }, { model, core }, tell) {
  const replica = await Replica.open({ space, device, model, core });
  const connection = new Connection(replica);
  connection.onnotice = tell.notice;
  connection.onrefused = tell.refused;
  runInOneTab(replica, connection);
  tellIfOld(replica);
  return { replica, connection };
}

/** Opens both spaces of a person. */
export async function openPerson(id, keys, means, tell, powers) {
  const [use, limits] = await Promise.all([openSpace(keys.use, means, tell), openSpace(keys.limits, means, tell)]);
  return new PersonStore({
    id, use: use.replica, limits: limits.replica, connections: [use.connection, limits.connection], ...powers,
  });
}

/** Views read `people` and hear of changes once a commit. */
export class FamilyStore extends Changes {
  people = [];
  #stores = new Map(); #opening = new Set(); #means; #tell;

  constructor({ means, tell, family, own, role }) {
    super();
    [this.#means, this.#tell] = [means, tell];
    Object.assign(this, { family, role });
    this.mayDecide = role === 'admin';
    if (own) {
      this.#keep(own);
      this.#endWhereOut(own.connections[0], own.use);
    }
    if (!family) return;
    this.#endWhereOut(family.connection, family.replica);
    family.replica.subscribe('followed', () => this.#follow());
    family.connection.state.subscribe(() => { this.changed(); this.#follow(); });
    this.#follow();
  }

  #keep(store) {
    this.#stores.set(store.id, store);
    store.subscribe(() => this.changed());
    this.changed();
  }

  settle() {
    this.people = [...this.#stores.values()].sort(named);
  }

  /** Opens whoever is new, and forgets whoever is gone. */
  #follow() {
    const living = new Map(this.family.replica.records('followed').map((record) => [record.id, record]));
    for (const id of living.keys()) {
      if (this.#stores.has(id) || this.#opening.has(id)) continue;
      this.#opening.add(id);
      this.#open(id).catch((error) => {
        console.warn(error);
        setTimeout(() => this.#follow(), againMilliseconds);
      }).finally(() => this.#opening.delete(id));
    }
    for (const [id, store] of this.#stores) if (!living.has(id)) this.#forget(id, store);
  }

  async #open(id) {
    const keys = kept()[id] ?? await this.#join(id);
    const powers = { mayDecide: this.mayDecide, mayAsk: false };
    const person = await openPerson(id, keys, this.#means, this.#tell, powers);
    this.#keep(person);
    person.sayZone();
  }

  async #join(person) {
    const secrets = await ask('/keys', { person });
    const keys = {
      use: await ask('/join', { invite: secrets.use }), limits: await ask('/join', { invite: secrets.limits }),
    };
    localStorage.setItem(memory, JSON.stringify({ ...kept(), [person]: keys }));
    return keys;
  }

  /** Called once this device was put out, and nothing is kept here any more. */
  onout = () => {};

  /** Ends where a device was put out. One that was only away for long comes back by a link, and keeps what it has. */
  #endWhereOut(connection, { space }) {
    connection.state.subscribe(async ({ phase }) => {
      if (phase !== 'out') return;
      const { standing } = await ask(`/session?space=${space}`).catch((error) => error);
      if (standing !== 'put-out') return;
      for (const store of this.#stores.values()) this.#drop(store);
      indexedDB.deleteDatabase(`reunion-${space}`);
      for (const name of [memory, memberMemory]) localStorage.removeItem(name);
      this.onout();
    });
  }

  #drop({ connections, use, limits }) {
    for (const connection of connections) connection.stop();
    for (const { space } of [use, limits]) indexedDB.deleteDatabase(`reunion-${space}`);
  }

  /** What this browser held of somebody goes. */
  #forget(id, store) {
    this.#drop(store);
    const { [id]: _, ...others } = kept();
    localStorage.setItem(memory, JSON.stringify(others));
    this.#stores.delete(id);
    this.changed();
  }

  /** How things stand, for `stateLine`: the worst of all. */
  get standing() {
    const all = this.people.map(({ standing }) => standing);
    if (this.family) all.push(standingOf([this.family.connection], [this.family.replica]));
    return { phase: worst(all.map(({ phase }) => phase)), records: all.reduce((sum, { records }) => sum + records, 0) };
  }
}
