// One history of browsers that count, gather and order, drawn from a seed, and what must hold at its end: all
// hold and show the same, and no count, element or item that somebody has written is lost, or comes twice.

import { BrowserHistory, Violation } from './browser-history.mjs';
import { writing } from './network.mjs';

const model = { entities: [{ number: 5, name: 'errand', fields: [
  { number: 1, name: 'text', kind: 'text' }, { number: 2, name: 'done', kind: 'counter' },
  { number: 3, name: 'tags', kind: 'set', element: 'text' },
    { number: 4, name: 'steps', kind: 'list', element: 'text' },
] }] };

/** Runs a history; throws a `Violation` where a promise is broken. */
export class CollectionHistory extends BrowserHistory {
  #wentBack = new Set();
  #errands = []; // of each its id, the sums of the browsers, and who put which word where and took it away

  constructor(seed, browsers, bug) { super(seed, browsers, bug, { model, clockOffsets: [0, 200_000, -200_000] }); }

  async run(steps) {
    await super.run(steps, this.#acts);
    await this.settle();
    const shown = await this.agree();
    for (const errand of this.#errands) this.#isWhole(errand, shown.get(errand.id));
  }

  #acts = [
    this.#create, ...Array(7).fill(this.#edit), ...Array(2).fill(this.#together), this.#assign, this.kill,
    this.powerCut, this.cut, this.reach, this.clock, this.copy, this.copy, this.#back,
  ].map((act) => act.bind(this));

  async #shown(tab) {
    const { records } = await this.network.look(tab);
    const record = records.length ? this.chance.one(records) : null;
    return { record, errand: record && this.#errands.find(({ id }) => id === record.id) };
  }
  #word() { return `w${++this.count}`; }

  async #create() {
    const tab = await this.tab();
    const by = this.tabs.get(tab);
    const [tag, step] = [this.#word(), this.#word()];
    const effects = await this.network.write(
      tab, ['create', 'errand', { text: 'x', done: 1, tags: [tag], steps: [step] }]);
    const id = effects.find(({ written }) => written)?.value[0];
    if (!id) throw new Violation(`${tab} wrote nothing`);
    const at = this.count;
    this.#errands.push({
      id, by, at, counts: [{ by, at, amount: 1 }],
      words: new Map([[tag, { field: 'tags', by, at }], [step, { field: 'steps', by, at }]]),
    });
  }

  /** Changes of one record, and what is noted of them. */
  #changes(record, errand, by) {
    const [changes, notes] = [[], []];
    const at = ++this.count;
    const [steps, tags] = [[...record.steps], [...record.tags.$set]];
    for (let left = 1 + this.chance.below(4); left > 0; left -= 1) {
      const act = this.chance.below(6);
      const [word, place] = [this.#word(), steps.length ? this.chance.below(steps.length) : 0];
      if (act === 0) {
        const amount = this.chance.below(9) - 3;
        changes.push(['done', 'add', amount]);
        notes.push(() => errand.counts.push({ by, at, amount }));
      } else if (act === 1 || act === 2) {
        const field = act === 1 ? 'tags' : 'steps';
        changes.push(act === 1 ? ['tags', 'add', word] : ['steps', 'insert', word, place]);
        if (act === 2) steps.splice(place, 0, word);
        notes.push(() => errand.words.set(word, { field, by, at }));
      } else if (act === 3 && tags.length) {
        const gone = tags.splice(this.chance.below(tags.length), 1)[0];
        changes.push(['tags', 'remove', gone]);
        const known = errand.words.get(gone);
        if (known && this.chance.happens(0.3)) {
          changes.push(['tags', 'add', gone]);
          // It stays, whoever removes it meanwhile.
          notes.push(() => { known.isAgain = true; });
        } else notes.push(() => this.#take(errand, gone, by, at));
      } else if (act === 4 && steps.length > 1) {
        const [gone] = steps.splice(place, 1);
        changes.push(['steps', 'remove', place]);
        notes.push(() => this.#take(errand, gone, by, at));
      } else if (steps.length > 1) {
        const to = this.chance.below(steps.length);
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
    const tab = await this.tab();
    const { record, errand } = await this.#shown(tab);
    if (!errand) return;
    const { changes, note, steps } = this.#changes(record, errand, this.tabs.get(tab));
    if (!changes.length) return;
    await this.network.write(tab, ['edit', 'errand', record.id, changes]);
    this.check();
    note();
    const now = (await this.network.look(tab)).records.find(({ id }) => id === record.id);
    // Somebody else's change may have come while this one was written.
    const known = now.steps.filter((step) => steps.includes(step));
    if (known.length !== steps.length) throw new Violation(`${tab} shows ${now.steps} after it wrote ${steps}`);
  }

  /** A list that is written whole: others' items stay, where they were not seen. */
  async #assign() {
    const tab = await this.tab();
    const { record, errand } = await this.#shown(tab);
    if (!errand) return;
    const [by, at, word] = [this.tabs.get(tab), ++this.count, this.#word()];
    const wanted = [...record.steps, word].sort((one, other) => (this.chance.happens(0.5) ? 1 : one < other ? -1 : 1));
    await this.network.write(tab, ['set', 'errand', record.id, { steps: wanted }]);
    this.check();
    errand.words.set(word, { field: 'steps', by, at });
  }

  /** Two tabs of a browser change one record at one moment. */
  async #together() {
    const tab = await this.tab();
    const by = this.tabs.get(tab);
    const others = [...this.tabs].filter(([each, of]) => each !== tab && of === by).map(([each]) => each);
    const other = others.length ? this.chance.one(others) : await this.open(by);
    const { record, errand } = await this.#shown(tab);
    if (!errand) return;
    if (!(await this.network.look(other)).records.some(({ id }) => id === record.id)) return;
    const [one, two] = [this.#changes(record, errand, by), this.#changes(record, errand, by)];
    if (!one.changes.length || !two.changes.length) return;
    // What the second one does was worked out from what both show now.
    await this.network.together(writing(tab, ['edit', 'errand', record.id, one.changes]),
      writing(other, ['edit', 'errand', record.id, [['done', 'add', 1], ['tags', 'add', `t${++this.count}`]]]));
    await this.network.pass(300);
    this.check();
    one.note();
    const at = this.count;
    errand.counts.push({ by, at, amount: 1 });
    errand.words.set(`t${at}`, { field: 'tags', by, at });
  }

  /** What a browser alone had since its copy may be lost. */
  #back() {
    return this.goBack((browser, at) => {
      this.#wentBack.add(browser);
      const isUnsure = (each) => each.by === browser && each.at > at;
      for (const errand of this.#errands) {
        for (const each of [errand, ...errand.counts, ...errand.words.values()]) {
          if (isUnsure(each)) each.isUnsure = true;
          for (const gone of each.gone ?? []) if (isUnsure(gone)) gone.isUnsure = true;
        }
      }
    });
  }

  // What must hold.

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
      // A browser that went back may put it there once more, under another number.
      const most = this.#wentBack.has(by) ? Infinity : isAgain || gone.every((each) => each.isUnsure) ? 1 : 0;
      const least = isLost || gone.length ? 0 : 1;
      if (count < least || count > most) {
        throw new Violation(`${id} holds ${word} of ${field} ${count} times`);
      }
    }
  }
}
