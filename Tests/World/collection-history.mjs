// One history of browsers that count, gather and order, drawn from a seed, and what must hold at its end: all
// hold and show the same, and no count, element or item that somebody has written is lost, or comes twice.

import { isDeepStrictEqual } from 'node:util';
import { Chance } from './chance.mjs';
import { Violation } from './history.mjs';
import { Network, opening, writing } from './network.mjs';

const names = ['ada', 'ben', 'cy'];
const model = { entities: [{ number: 5, name: 'errand', fields: [
  { number: 1, name: 'text', kind: 'text' }, { number: 2, name: 'done', kind: 'counter' },
  { number: 3, name: 'tags', kind: 'set', element: 'text' },
    { number: 4, name: 'steps', kind: 'list', element: 'text' },
] }] };

/** Runs a history; throws a `Violation` where a promise is broken. */
export class CollectionHistory {
  #network; #chance; #tabs = new Map(); #count = 0; #isUp = true; #copies = new Map(); #wentBack = new Set();
  #errands = []; // of each its id, the sums of the browsers, and who put which word where and took it away
  log = [];

  constructor(seed, browsers, bug) {
    this.#chance = new Chance(seed);
    const latency = new Chance(seed ^ 0x77);
    this.#network = new Network(seed, { browsers, bug, latency: () => latency.below(80) });
  }

  async run(steps) {
    for (const name of names) await this.#open(name);
    for (let step = 0; step < steps; step += 1) {
      const act = this.#chance.one(this.#acts);
      this.log.push(act.name.replace('bound ', ''));
      await act();
      await this.#network.pass(this.#chance.below(this.#chance.one([20, 200, 4000])));
      this.#check();
    }
    await this.#end();
  }

  #acts = [
    this.#create, ...Array(7).fill(this.#edit), ...Array(2).fill(this.#together), this.#assign, this.#kill,
    this.#powerCut, this.#cut, this.#reach, this.#clock, this.#copy, this.#copy, this.#goBack,
  ].map((act) => act.bind(this));

  async #open(name) {
    const tab = `${name}${++this.#count}`;
    this.#tabs.set(tab, name);
    await this.#network.tell(opening(tab, name, { bug: this.#network.bug, model }));
    return tab;
  }
  async #tab() {
    const open = [...this.#tabs.keys()];
    return open.length ? this.#chance.one(open) : this.#open(this.#chance.one(names));
  }
  async #shown(tab) {
    const { records } = await this.#network.look(tab);
    const record = records.length ? this.#chance.one(records) : null;
    return { record, errand: record && this.#errands.find(({ id }) => id === record.id) };
  }
  #word() { return `w${++this.#count}`; }

  async #create() {
    const tab = await this.#tab();
    const by = this.#tabs.get(tab);
    const [tag, step] = [this.#word(), this.#word()];
    const effects = await this.#network.write(
      tab, ['create', 'errand', { text: 'x', done: 1, tags: [tag], steps: [step] }]);
    const id = effects.find(({ written }) => written)?.value[0];
    if (!id) throw new Violation(`${tab} wrote nothing`);
    const at = this.#count;
    this.#errands.push({
      id, by, at, counts: [{ by, at, amount: 1 }],
      words: new Map([[tag, { field: 'tags', by, at }], [step, { field: 'steps', by, at }]]),
    });
  }

  /** Changes of one record, and what is noted of them. */
  #changes(record, errand, by) {
    const [changes, notes] = [[], []];
    const at = ++this.#count;
    const [steps, tags] = [[...record.steps], [...record.tags.$set]];
    for (let left = 1 + this.#chance.below(4); left > 0; left -= 1) {
      const act = this.#chance.below(6);
      const [word, place] = [this.#word(), steps.length ? this.#chance.below(steps.length) : 0];
      if (act === 0) {
        const amount = this.#chance.below(9) - 3;
        changes.push(['done', 'add', amount]);
        notes.push(() => errand.counts.push({ by, at, amount }));
      } else if (act === 1 || act === 2) {
        const field = act === 1 ? 'tags' : 'steps';
        changes.push(act === 1 ? ['tags', 'add', word] : ['steps', 'insert', word, place]);
        if (act === 2) steps.splice(place, 0, word);
        notes.push(() => errand.words.set(word, { field, by, at }));
      } else if (act === 3 && tags.length) {
        const gone = tags.splice(this.#chance.below(tags.length), 1)[0];
        changes.push(['tags', 'remove', gone]);
        const known = errand.words.get(gone);
        if (known && this.#chance.happens(0.3)) {
          changes.push(['tags', 'add', gone]);
          // It stays, whoever removes it meanwhile.
          notes.push(() => { known.isAgain = true; });
        } else notes.push(() => this.#take(errand, gone, by, at));
      } else if (act === 4 && steps.length > 1) {
        const [gone] = steps.splice(place, 1);
        changes.push(['steps', 'remove', place]);
        notes.push(() => this.#take(errand, gone, by, at));
      } else if (steps.length > 1) {
        const to = this.#chance.below(steps.length);
        changes.push(['steps', 'move', place, to]);
        steps.splice(to, 0, steps.splice(place, 1)[0]);
      }
    }
    return { changes, note: () => notes.forEach((note) => note()), steps };
  }
  #take(errand, word, by, at) {
    const known = errand.words.get(word);
    if (known) (known.gone ??= []).push({ by, at });
  }

  async #edit() {
    const tab = await this.#tab();
    const { record, errand } = await this.#shown(tab);
    if (!errand) return;
    const { changes, note, steps } = this.#changes(record, errand, this.#tabs.get(tab));
    if (!changes.length) return;
    await this.#network.write(tab, ['edit', 'errand', record.id, changes]);
    this.#check();
    note();
    const now = (await this.#network.look(tab)).records.find(({ id }) => id === record.id);
    // Somebody else's change may have come while this one was written.
    const known = now.steps.filter((step) => steps.includes(step));
    if (known.length !== steps.length) throw new Violation(`${tab} shows ${now.steps} after it wrote ${steps}`);
  }

  /** A list that is written whole: others' items stay, where they were not seen. */
  async #assign() {
    const tab = await this.#tab();
    const { record, errand } = await this.#shown(tab);
    if (!errand) return;
    const [by, at, word] = [this.#tabs.get(tab), ++this.#count, this.#word()];
    const wanted = [...record.steps, word].sort((one, other) => (this.#chance.happens(0.5) ? 1 : one < other ? -1 : 1));
    await this.#network.write(tab, ['set', 'errand', record.id, { steps: wanted }]);
    this.#check();
    errand.words.set(word, { field: 'steps', by, at });
  }

  /** Two tabs of a browser change one record at one moment. */
  async #together() {
    const tab = await this.#tab();
    const by = this.#tabs.get(tab);
    const others = [...this.#tabs].filter(([each, of]) => each !== tab && of === by).map(([each]) => each);
    const other = others.length ? this.#chance.one(others) : await this.#open(by);
    const { record, errand } = await this.#shown(tab);
    if (!errand) return;
    if (!(await this.#network.look(other)).records.some(({ id }) => id === record.id)) return;
    const [one, two] = [this.#changes(record, errand, by), this.#changes(record, errand, by)];
    if (!one.changes.length || !two.changes.length) return;
    // What the second one does was worked out from what both show now.
    await this.#network.together(writing(tab, ['edit', 'errand', record.id, one.changes]),
      writing(other, ['edit', 'errand', record.id, [['done', 'add', 1], ['tags', 'add', `t${++this.#count}`]]]));
    await this.#network.pass(300);
    this.#check();
    one.note();
    const at = this.#count;
    errand.counts.push({ by, at, amount: 1 });
    errand.words.set(`t${at}`, { field: 'tags', by, at });
  }

  async #gone(tab) {
    this.#tabs.delete(tab);
    await this.#network.tell({ do: 'kill', tab }).catch(() => {});
  }
  async #kill() { await this.#gone(await this.#tab()); }
  async #powerCut() {
    const browser = this.#chance.one(names);
    for (const [tab, of] of this.#tabs) if (of === browser) this.#tabs.delete(tab);
    await this.#network.tell({ do: 'powerCut', browser });
  }
  async #cut() {
    const { links } = this.#network;
    if (links.length) await this.#network.cut(this.#chance.one(links));
  }
  async #reach() {
    this.#isUp = !this.#isUp;
    await this.#network.reach(this.#isUp);
  }
  async #clock() {
    const clockOffset = this.#chance.one([0, 200_000, -200_000]);
    await this.#network.tell({ do: 'browser', browser: this.#chance.one(names), clockOffset });
  }
  async #copy() {
    const browser = this.#chance.one(names);
    this.#copies.set(browser, ++this.#count);
    await this.#network.tell({ do: 'copy', browser, as: `${browser}, earlier` });
  }
  /** A browser goes back to what it was: what it alone had since may be lost. */
  async #goBack() {
    const browser = this.#chance.one([...this.#copies.keys(), null]);
    if (!browser) return;
    for (const [tab, of] of [...this.#tabs]) if (of === browser) await this.#gone(tab);
    await this.#network.tell({ do: 'copy', browser: `${browser}, earlier`, as: browser });
    this.#wentBack.add(browser);
    const isUnsure = (each) => each.by === browser && each.at > this.#copies.get(browser);
    for (const errand of this.#errands) {
      for (const each of [errand, ...errand.counts, ...errand.words.values()]) {
        if (isUnsure(each)) each.isUnsure = true;
        for (const gone of each.gone ?? []) if (isUnsure(gone)) gone.isUnsure = true;
      }
    }
    await this.#open(browser);
  }

  // What must hold.

  #check() {
    const { effects } = this.#network;
    const wrong = effects.find(({ warned, failed }) => warned || failed);
    if (wrong) throw new Violation(`${wrong.tab}: ${wrong.warned ?? wrong.failed}`);
    effects.length = 0;
  }

  async #end() {
    const network = this.#network;
    await network.reach(true);
    for (const browser of names) {
      await network.tell({ do: 'browser', browser, clockOffset: 0 });
      if (![...this.#tabs.values()].includes(browser)) await this.#open(browser);
    }
    await network.pass(120_000);
    this.#check();
    for (const browser of names) {
      if (!isDeepStrictEqual(await network.content(browser), network.relay.content)) {
        throw new Violation(`${browser} differs from the relay at the end`);
      }
    }
    let first;
    for (const tab of this.#tabs.keys()) {
      const { records } = await network.look(tab);
      const shown = new Map(records.map((record) => [record.id, record]));
      first ??= shown;
      if (!isDeepStrictEqual(shown, first)) throw new Violation(`${tab} shows something else than the first tab`);
    }
    for (const errand of this.#errands) this.#isWhole(errand, first.get(errand.id));
  }

  #isWhole({ id, isUnsure, counts, words }, record) {
    if (!record) {
      if (isUnsure) return;
      throw new Violation(`${id} is lost`);
    }
    const sum = counts.reduce((total, { amount }) => total + amount, 0);
    const isSure = !counts.some(({ by }) => this.#wentBack.has(by));
    if (isSure && record.done !== sum) throw new Violation(`${id} counts ${record.done} in place of ${sum}`);
    const shown = { tags: record.tags.$set, steps: record.steps };
    for (const [word, { field, by, isUnsure: isLost, isAgain, gone = [] }] of words) {
      const count = shown[field].filter((each) => each === word).length;
      // Who went back may put it there once more, under another number.
      const most = this.#wentBack.has(by) ? Infinity : isAgain || gone.every((each) => each.isUnsure) ? 1 : 0;
      const least = isLost || gone.length ? 0 : 1;
      if (count < least || count > most) {
        throw new Violation(`${id} holds ${word} of ${field} ${count} times`);
      }
    }
  }
}
