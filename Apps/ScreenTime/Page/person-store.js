// What is known of one person, derived from two replicas: of use and of limits.

import { standingOf } from '/kit/state-line.js';
import { Changes } from '/reunion/replica/state.js';
import { budgetOn, dayOf, grouped, place, timeOn, untilRest, weekdayOf } from './ledger.js';
import { offsetIn, ownZone } from './zone.js';

const encoder = new TextEncoder();
const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
const weekdayNames = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
/** A device whose open use was seen so lately is in use now; one that says nothing for longer is quiet. */
const freshMilliseconds = 45_000;
const quietMilliseconds = 360_000;
/** By their names. */
export const named = (one, other) => one.name.localeCompare(other.name) || (one.id < other.id ? -1 : 1);

/** Seconds east of UTC, here and at that moment. */
// The zones furthest from UTC are at 14 hours.
const offsetMost = 50_400;
const offsetAt = (moment) => -60 * new Date(moment).getTimezoneOffset();

/** Views read from it and hear of changes once a commit. */
export class PersonStore extends Changes {
  #uses = new Map(); #byDay = new Map(); #arrivals = new Map(); #stale = 'all';
  /** When a device was last heard of, `{seenAt, at}`: its own word, and the moment here. */
  #heard = new Map();
  #newest = null;
  #deciding = Promise.resolve();
  /** Another number whenever another day than today is no longer what it was. */
  version = 0;

  /** `mayDecide` for a parent, `mayAsk` for the person's own page. */
  constructor({ id, use, limits, connections, mayDecide, mayAsk }) {
    super();
    Object.assign(this, { id, use, limits, connections, mayDecide, mayAsk });
    use.subscribe('use', (records) => { this.#take(records); this.changed(); });
    limits.subscribe('arrival', () => { this.#stale = 'all'; this.changed(); });
    use.subscribe('device', (records) => { this.#hear(records); this.changed(); });
    use.subscribe('request', () => this.changed());
    for (const name of ['child', 'category', 'program', 'budget', 'rest', 'grant']) {
      limits.subscribe(name, () => this.changed());
    }
    this.#hear(use.records('device'), false);
    for (const connection of connections) connection.state.subscribe(() => this.changed());
    for (const replica of [use, limits]) replica.waiting.subscribe(() => this.changed());
    this.settle();
  }

  settle() {
    if (this.#stale === 'all') {
      this.#arrivals = new Map(this.limits.records('arrival').map(({ record, arrivedAt }) => [record, arrivedAt]));
      this.#uses.clear();
      this.#take(this.use.records('use'));
    }
    if (this.#stale) {
      this.#byDay = grouped(this.#uses.values(), ({ day }) => day);
      this.#newest = [...this.#uses.values()].reduce((one, other) => (one?.start > other.start ? one : other), null);
    }
    this.#stale = null;
  }

  /** Notes when devices say something, where it came at once: their clocks and this one may differ. */
  #hear(records, isLive = this.connections[0].state.value.phase === 'online') {
    for (const { id, seenAt } of records) {
      const before = this.#heard.get(id);
      if (seenAt !== before?.seenAt) this.#heard.set(id, { seenAt, at: before && isLive ? Date.now() : null });
    }
  }

  #take(records) {
    this.#stale ??= 'some';
    const today = this.dayAt(Date.now());
    for (const record of records) {
      const use = record.alive ? this.#placed(record) : null;
      if (use?.day !== today) this.version += 1;
      if (use) this.#uses.set(record.id, use);
      else this.#uses.delete(record.id);
    }
  }

  #placed(record) {
    const { id, device, number, program, startedAt, offset, milliseconds, ending } = record;
    const { moment, isMarked } = place(startedAt, this.#arrivals.get(id));
    return {
      id, device: device ?? '', number, program: program ?? '', start: moment, isMarked, ending, offset,
      day: dayOf(moment, offset), milliseconds: Math.max(0, milliseconds ?? 0),
    };
  }

  get name() { return this.child?.name ?? ''; }
  get child() { return this.limits.records('child')[0]; }
  get categories() { return this.limits.records('category').sort(named); }
  get kinds() {
    return new Map(this.limits.records('program').filter(({ category }) => category)
      .map(({ name, category }) => [name, category]));
  }

  get budgets() {
    const living = new Set(this.categories.map(({ id }) => id));
    return this.limits.records('budget')
      .filter(({ ofEverything, category }) => Boolean(ofEverything) !== living.has(category))
      .map((record) => ({
        record, category: record.ofEverything ? null : record.category,
        minutes: weekdayNames.map((name) => record[name] ?? 1440),
      })).sort((one, other) => (one.category === null ? -1 : other.category === null ? 1 : 0));
  }

  get rests() { return this.limits.records('rest').sort((one, other) => (one.from ?? 0) - (other.from ?? 0)); }

  get grants() {
    return this.limits.records('grant').map(({ id, request, target, minutes, grantedAt, askedAt }) => {
      const at = place(grantedAt, this.#arrivals.get(id)).moment;
      const asked = askedAt === null ? at : place(askedAt, this.#arrivals.get(request)).moment;
      return { id, request: request ?? '', target, minutes, at, asked };
    });
  }

  /** The family's zone; '' until somebody has said it. */
  get zone() { return this.child?.zone ?? ''; }

  /**
   * Seconds east of UTC in the family's zone. If nobody named one, they are those where the devices are: of their last
   * use, if this browser is in another zone.
   */
  offsetAt(now) {
    const family = offsetIn(this.zone, now);
    if (family !== undefined) return family;
    const last = this.#newest;
    const isElsewhere = last && Math.abs(last.offset) <= offsetMost && last.offset !== offsetAt(last.start);
    return isElsewhere ? last.offset : offsetAt(now);
  }
  dayAt(now) { return dayOf(now, this.offsetAt(now)); }

  usesOn(day) { return this.#byDay.get(day) ?? []; }
  get markedCount() { return [...this.#uses.values()].filter(({ isMarked }) => isMarked).length; }

  /** How many numbers are missing among the uses of the devices: what was noted, and is not here. */
  get missingCount() {
    return [...grouped(this.#uses.values(), ({ device }) => device).values()].reduce((sum, uses) => {
      const all = new Set(uses.map(({ number }) => number));
      return sum + Math.max(...all) - Math.min(...all) + 1 - all.size;
    }, 0);
  }

  /** The milliseconds of a day: of everything, or of a category; '' is what has none. */
  timeOn(day, category) {
    const { kinds } = this;
    return timeOn(this.usesOn(day), day,
      category === undefined ? undefined : (program) => (kinds.get(program) ?? '') === category);
  }

  /** The programs of a day with their times, longest first. */
  programsOn(day) {
    const uses = this.usesOn(day);
    const names = [...new Set(uses.map(({ program }) => program))];
    return names.map((name) => ({ name, time: timeOn(uses, day, (program) => program === name) }))
      .filter(({ time }) => time >= 1000).sort((one, other) => other.time - one.time);
  }

  /** Each budget of now, that of everything first: `{category, minutes, used, left, target}`. */
  budgetsAt(now) {
    const [offset, day] = [this.offsetAt(now), this.dayAt(now)];
    const known = { offset, categories: this.kinds, uses: this.usesOn(day), grants: this.grants };
    return this.budgets.filter(({ minutes }) => minutes[weekdayOf(day)] < 1440)
      .map((budget) => ({
        category: budget.category, target: budget.category === null ? 'day' : `category:${budget.category}`,
        ...budgetOn(budget, day, known),
      }));
  }

  /** The rests that are on or begin within a day: `{rest, left, target}`. */
  restsAt(now) {
    return this.rests.map((rest) => ({
      rest, target: `rest:${rest.id}`, left: untilRest(rest, now, this.offsetAt(now), this.grants),
    })).filter(({ left }) => left !== null);
  }

  /** The requests that nobody answered, of the last day. */
  asksAt(now) {
    const answered = new Set(this.limits.records('grant').map(({ request }) => request));
    return this.use.records('request').filter(({ id, askedAt }) =>
      !answered.has(id) && now - place(askedAt, this.#arrivals.get(id)).moment < 86_400_000);
  }

  /** The latest answer of the last hour: `{minutes}`; undefined if there was none. */
  answerAt(now) {
    return this.grants.filter(({ request, at }) => request && now - at < 3_600_000)
      .sort((one, other) => other.at - one.at)[0];
  }

  /** How each device stands: `{name, state, program, since}`; state is now, away, ended, quiet, ahead or new. */
  devicesAt(now) {
    const byDevice = grouped(this.#uses.values(), ({ device }) => device);
    return this.use.records('device').sort(named).map(({ id, name, sees, seenAt, ownOffset }) => {
      const last = (byDevice.get(id) ?? [])
        .reduce((one, other) => (other.number > one.number ? other : one), { number: 0 });
      const silence = now - (this.#heard.get(id)?.at ?? seenAt ?? 0);
      const isOpen = last.ending === 'open';
      const state = !seenAt ? 'new' : now - seenAt < -300_000 ? 'ahead'
        : isOpen && silence < freshMilliseconds ? 'now' : last.ending === 'stopped' ? 'ended'
          : isOpen || silence > quietMilliseconds ? 'quiet' : 'away';
      const end = last.number ? last.start + last.milliseconds : seenAt;
      const since = state === 'now' ? last.start : state === 'away' ? end : seenAt;
      return { id, name, state, sees, program: last.program, since, ownOffset: ownOffset ?? null };
    });
  }

  /** Asks for more, as the person whose devices these are. */
  ask(target) {
    return this.use.transaction((t) => t.create('request', { target, minutes: 15, askedAt: Date.now(), reason: '' }));
  }

  /** Answers a request; 0 minutes say no. */
  answer({ id, target, askedAt }, minutes) {
    return this.limits.transaction((t) => t.create('grant',
      { request: id, target, minutes, grantedAt: Date.now(), askedAt }));
  }

  /** Gives minutes that nobody asked for. */
  give(target, minutes) {
    return this.limits.transaction((t) => t.create('grant',
      { request: '', target, minutes, grantedAt: Date.now(), askedAt: null }));
  }

  /** The id of what is said of something: whoever says it apart writes the same record. */
  #idOf(kind, name) {
    const hasher = this.limits.core.hasher();
    hasher.update(encoder.encode(`screen time ${kind} ${name}`));
    return hex(hasher.finish().subarray(0, 16));
  }

  #put(entity, id, values) {
    return this.limits.transaction((t) => {
      const held = this.limits.get(entity, id);
      if (!held) return t.create(entity, values, id);
      if (!held.alive) t.restore(held);
      return t.set(held, values);
    });
  }

  /**
   * Says how many minutes a budget has on a weekday, from Monday, 0; null is no limit. `category` is null for
   * everything. The other days are left to those who changed them meanwhile.
   */
  setWeekday(category, weekday, minutes) {
    // Once the one before is kept: until then what is held does not show.
    const decided = this.#deciding.then(() => this.#decide(category, weekday, minutes));
    this.#deciding = decided.catch(() => {});
    return decided;
  }

  #decide(category, weekday, minutes) {
    const id = this.#idOf('budget', category ?? '');
    const held = this.limits.get('budget', id);
    const whole = held?.alive ? {} : { category, ofEverything: category === null };
    const before = held && !held.alive ? Object.fromEntries(weekdayNames.map((name) => [name, null])) : {};
    return this.limits.transaction((t) => {
      if (held && !held.alive) t.restore(held);
      // It is not created: that would write every day, over what another parent says of one.
      return t.set(held ?? { entity: 'budget', id }, { ...whole, ...before, [weekdayNames[weekday]]: minutes });
    });
  }

  setKind(program, category) {
    return this.#put('program', this.#idOf('program', program), { name: program, category });
  }

  addCategory(name) { return this.limits.transaction((t) => t.create('category', { name })); }
  remove(record) { return this.limits.transaction((t) => t.delete(record)); }
  addRest(from, to, weekdays) { return this.limits.transaction((t) => t.create('rest', { from, to, weekdays })); }
  rename(name) { return this.limits.transaction((t) => t.set(this.child, { name })); }
  setZone(zone) { return this.limits.transaction((t) => t.set(this.child, { zone })); }

  /** A parent's page says its own zone, once it knows that nobody else has said one. */
  sayZone() {
    if (!this.mayDecide) return;
    let isKnown = false;
    this.subscribe(() => {
      if (isKnown || !this.child || this.connections[1].state.value.phase !== 'online') return;
      isKnown = true;
      if (!this.child.zone) this.setZone(ownZone()).catch(() => {});
    });
  }

  keep(days) { return this.limits.transaction((t) => t.set(this.child, { keptDays: days })); }

  /** All that is kept, for a file. */
  export() {
    const of = (replica, ...names) => Object.fromEntries(names.map((name) => [name, replica.records(name)]));
    return {
      name: this.name, exportedAt: new Date().toISOString(),
      ...of(this.use, 'device', 'use', 'request'),
      ...of(this.limits, 'child', 'category', 'program', 'budget', 'rest', 'grant', 'arrival'),
    };
  }

  /** How things stand, for `stateLine`. */
  get standing() { return standingOf(this.connections, [this.use, this.limits]); }
}

