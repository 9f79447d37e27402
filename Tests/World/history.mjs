// One history of several browsers, drawn from a seed, and what must hold in it and at its end.

import { BrowserHistory, Violation, names } from './browser-history.mjs';
import { opening, writing } from './network.mjs';

const year = 365 * 86_400_000;

/** Runs a history; throws a `Violation` where a promise is broken. */
export class History extends BrowserHistory {
  #records = new Map(); #pairs = new Map();

  constructor(seed, browsers, bug) {
    super(seed, browsers, bug, { clockOffsets: [0, 200_000, -200_000, 10 * year, -10 * year] });
  }

  async run(steps) {
    await super.run(steps, this.#acts);
    await this.settle();
    for (const tab of this.tabs.keys()) {
      await this.network.tell({ do: 'happen', tab, event: 'visibilitychange', isHidden: false });
    }
    this.#nothingIsLost(await this.agree());
  }

  // What happens.

  #acts = [
    ...Array(3).fill(this.#create), ...Array(5).fill(this.#edit), this.#createBoth, this.#delete, this.#restore,
    this.#atOnce, this.#dieInWriting, this.#openMore, this.kill, this.leave, this.powerCut,
    this.cut, this.reach, this.clock, this.#hide, this.#renew, this.#together, this.#race,
    this.copy, this.#back, this.#back,
  ].map((act) => act.bind(this));

  /** A record that a tab shows, or null. */
  async #shownIn(tab, entity = 'photo') {
    const { records } = await this.network.look(tab);
    const found = records.filter((record) => record.entity === entity);
    // Pairs are only looked at.
    const free = found.filter(({ id }) => !id.startsWith('000000000'));
    return free.length ? this.chance.one(free) : null;
  }

  /** Writes, and notes what is on the disk. */
  async #write(tab, act, about = {}) {
    const effects = await this.network.tell({ ...writing(tab, act), ...about });
    const done = effects.find((effect) => effect.tab === tab && 'written' in effect);
    if (done?.failed) throw new Violation(`A write failed: ${done.failed}`);
    return done;
  }

  /** A photo and a heart for it in one action: nobody ever sees one of them alone. */
  async #createBoth() {
    const tab = await this.tab();
    const id = this.chance.hex(16);
    const [photo, heart] = [`0000000000${id.slice(10)}`, `0000000001${id.slice(10)}`];
    // Long, so that they go in two messages.
    const caption = `b${++this.count}${'x'.repeat(this.chance.one([0, 17_000]))}`;
    await this.network.tell(writing(tab, ['create', 'heart', { photo }, heart],
      ['create', 'photo', { caption }, photo]));
    this.#pairs.set(photo, heart);
  }

  /** Both of a pair are seen, or none. */
  async see() {
    const tab = await this.tab();
    const { records } = await this.network.look(tab);
    const ids = new Set(records.map(({ id }) => id));
    for (const [photo, heart] of this.#pairs) {
      if (ids.has(photo) !== ids.has(heart)) throw new Violation(`${tab} shows half an action`);
    }
  }

  async #create() {
    const [tab, entity] = [await this.tab(), this.chance.one(['photo', 'heart'])];
    const values = entity === 'photo' ? { caption: `c${++this.count}` } : {};
    const done = await this.#write(tab, ['create', entity, values]);
    if (done) {
      this.#records.set(done.value[0], {
        entity, browser: this.tabs.get(tab), at: this.count, isDeleted: false, writers: new Map(),
      });
      if (entity === 'photo') this.#wrote(done.value[0], tab, 'caption', values.caption);
    }
  }

  #wrote(id, tab, field, value) {
    const { writers } = this.#records.get(id) ?? {};
    if (!writers) return;
    if (!writers.has(field)) writers.set(field, { browsers: new Set(), value: null });
    const known = writers.get(field);
    known.browsers.add(this.tabs.get(tab));
    known.value = value;
  }

  async #edit() {
    const tab = await this.tab();
    const record = await this.#shownIn(tab);
    if (!record) return;
    const value = this.chance.happens(0.5) ? { caption: `e${++this.count}` } : { width: ++this.count };
    const [[field, written]] = Object.entries(value);
    const done = await this.#write(tab, ['set', 'photo', record.id, value]);
    if (!done) return;
    this.#wrote(record.id, tab, field, written);
    const now = (await this.network.look(tab)).records.find(({ id }) => id === record.id);
    if (now?.[field] !== written) {
      throw new Violation(`${tab} reads ${now?.[field]} after it wrote ${written}`);
    }
  }

  async #delete() {
    const [tab, entity] = [await this.tab(), this.chance.one(['photo', 'heart'])];
    const record = await this.#shownIn(tab, entity);
    if (!record) return;
    const known = this.#records.get(record.id);
    if (known) known.isDeleted = true;
    const done = await this.#write(tab, ['delete', entity, record.id]);
    const { records } = await this.network.look(tab);
    if (done && records.some(({ id }) => id === record.id)) {
      throw new Violation(`${tab} shows what it has deleted`);
    }
  }

  async #restore() {
    const tab = await this.tab();
    const record = await this.#shownIn(tab, 'photo');
    if (record) await this.#write(tab, ['restore', 'photo', record.id]);
    // What it wrote is what it saw, of every field.
    if (record) for (const field of ['caption', 'width']) this.#wrote(record.id, tab, field);
  }

  /** Two tabs of one browser write at one moment. */
  async #atOnce(on, known) {
    const tab = on ?? await this.tab();
    const others = [...this.tabs.keys()].filter((each) => each !== tab
      && this.tabs.get(each) === this.tabs.get(tab));
    const other = others.length ? this.chance.one(others) : await this.open(this.tabs.get(tab));
    const record = known ?? await this.#shownIn(tab);
    const caption = `m${++this.count}`;
    await this.network.together(writing(other, ['create', 'heart', {}]),
      ...record ? [writing(tab, ['set', 'photo', record.id, { caption }])] : []);
    if (!record) return;
    this.#wrote(record.id, tab, 'caption', caption);
    await this.network.pass(this.chance.below(500));
    const now = (await this.network.look(tab)).records.find(({ id }) => id === record.id);
    if (now?.caption !== caption) {
      throw new Violation(`${tab} reads ${now?.caption}, and it wrote ${caption} last of all`);
    }
  }

  /** A push of somebody whose clock is ahead is on the screen, and another tab commits: then an edit. */
  async #race() {
    const tab = await this.tab();
    const record = await this.#shownIn(tab);
    const from = [...this.tabs.keys()].find((each) => this.tabs.get(each) !== this.tabs.get(tab));
    if (!record || !from) return;
    await this.open(this.tabs.get(tab));
    await this.network.pass(3000);
    const there = await this.network.look(from);
    if (!there.records.some(({ id }) => id === record.id)) return;
    await this.network.tell({
      do: 'browser', browser: this.tabs.get(from), clockOffset: 250_000 });
    const value = `r${++this.count}`;
    await this.#write(from, ['set', 'photo', record.id, { caption: value }]);
    this.#wrote(record.id, from, 'caption', value);
    // The tab that speaks with the relay shows it first.
    for (let waited = 0; waited < 100; waited += 1) {
      for (const [one, browser] of this.tabs) {
        if (browser !== this.tabs.get(tab)) continue;
        const { records } = await this.network.look(one);
        const isThere = records.find(({ id }) => id === record.id)?.caption === value;
        if (isThere) return void await this.#atOnce(one, record);
      }
      await this.network.pass(4);
    }
  }

  /** Several tabs of one browser do things at one moment. */
  async #together() {
    const tab = await this.tab();
    const other = await this.open(this.tabs.get(tab));
    const third = `${this.tabs.get(tab)}${++this.count}`;
    this.tabs.set(third, this.tabs.get(tab));
    const id = (await this.#shownIn(other))?.id;
    const acts = [
      { do: 'renew', tab: other }, writing(tab, ['create', 'heart', {}]),
      opening(third, this.tabs.get(tab), { bug: this.network.bug }),
      { do: 'tasks', count: this.chance.below(12) },
      writing(other, id ? ['set', 'photo', id, { caption: `t${++this.count}` }] : ['create', 'heart', {}]),
    ];
    this.#wrote(id, other, 'caption');
    await this.network.together(...acts.filter(() => this.chance.happens(0.8)),
      { do: 'browser', browser: this.tabs.get(tab) });
    const { effects } = this.network;
    if (!effects.some((effect) => effect.tab === third && effect.open)) this.tabs.delete(third);
  }

  async #dieInWriting() {
    const tab = await this.tab();
    await this.#write(tab, ['create', 'heart', {}], { dies: { tab, after: this.chance.below(6) } });
    await this.gone(tab, 'kill');
  }

  async #openMore() {
    const name = this.chance.one(names);
    if ([...this.tabs.values()].filter((each) => each === name).length < 3) await this.open(name);
  }

  leave() { return this.tab().then((tab) => this.gone(tab, 'leave')); }

  async #hide() {
    const [tab, isHidden] = [await this.tab(), this.chance.happens(0.5)];
    await this.network.tell({ do: 'happen', tab, event: 'visibilitychange', isHidden });
  }
  async #renew() { await this.network.tell({ do: 'renew', tab: await this.tab() }); }

  /** What was in a browser alone is gone, for good; and it may write before it is connected. */
  async #back() {
    const tab = await this.goBack((browser, at) => {
      for (const record of this.#records.values()) {
        if (record.browser === browser && record.at > at) record.isDeleted = true;
        for (const known of record.writers.values()) {
          if (known.browsers.has(browser)) known.value = undefined;
        }
      }
      this.#pairs.clear();
    });
    for (let more = tab ? this.chance.below(12) : 0; more > 0; more -= 1) {
      await this.network.tell(writing(tab, ['create', 'heart', {}]));
    }
  }

  // What must hold.

  hear({ shown = [] }) { for (const record of shown) this.#whole(record); }

  /** No half of a push is seen: a photo and its caption were written in one action. */
  #whole(record) {
    if (record.entity === 'photo' && record.alive && record.caption === null) {
      throw new Violation(`Half of ${record.id} is shown`);
    }
  }

  #nothingIsLost(shown) {
    for (const [id, { entity, browser, isDeleted, writers }] of this.#records) {
      if (isDeleted) continue;
      if (!shown.has(id)) throw new Violation(`A ${entity} that ${browser} made is lost`);
      for (const [field, { browsers, value }] of writers) {
        if (browsers.size === 1 && value !== undefined && shown.get(id)[field] !== value) {
          throw new Violation(`${field} is ${shown.get(id)[field]}, and ${browser} wrote ${value} last`);
        }
      }
    }
  }
}
