// One person: today, what is asked, how the devices stand; and on demand the days and the programs.

import { fill, make, say } from '/reunion/elements.js';
import { later } from '/kit/later.js';
import { notify } from '/kit/notices.js';
import {
  askLine, askWords, deviceLine, digitsOf, leftLine, limitWords, markedLine, missingLine, notLoaded, notedWords,
  ownWords, pageWords, presenceWords, programName, restLine, shortLeft, spokenTime, todayLine,
} from './words.js';

const failed = (error) => notify(error.message, { stays: true });
const button = (kind, text, act) => make(`button.${kind}`, { type: 'button', onclick: act }, text);
/** Shows a list, unless it is empty. */
function show(list, shown, rows) {
  fill(list, shown, rows);
  list.hidden = !list.childElementCount;
}

/** `<person-card>`: give it `person` and `page` before it is connected. */
export class PersonCard extends HTMLElement {
  #name = make('h2', { dir: 'auto' }); #digits = make('.digits', { ariaHidden: 'true' }); #today = make('p.today');
  #left = make('p.left'); #asks = make('ul.asks'); #budgets = make('ul.budgets'); #devices = make('ul.devices');
  #details = make('.details', { hidden: true }); #count = 7; #chart = make('.place'); #programs = make('ul.programs');
  #presence = make('p', { hidden: true }, ...presenceWords); #marked = make('p.marked', { hidden: true });
  #answer = make('p.answer', { role: 'status' });

  connectedCallback() {
    if (this.firstChild) return;
    const { person } = this;
    this.#more = make('button.quiet.more', { type: 'button', ariaExpanded: 'false', onclick: () => this.#toggle() },
      pageWords.details);
    const acts = make('.acts', {}, this.#more);
    if (person.mayDecide) {
      acts.append(button('quiet', pageWords.limit, () => this.#load('./limits-sheet.js', 'openLimits')),
        button('quiet', askWords.gift, () => person.give('day', 15).catch(failed)));
    }
    this.append(make('article', {},
      make('.glance', {}, make('.who', {}, this.#name, this.#today), this.#digits, this.#left),
      make('.glance.second', {}, this.#answer, this.#asks, this.#devices, this.#budgets),
      acts, this.#details));
    const spans = [7, 30].map((count) => make('label', {}, make('input', {
      type: 'radio', name: `span-${person.id}`, checked: count === 7,
      onchange: () => { this.#count = count; this.#drawDetails(); },
    }), make('span', {}, count === 7 ? pageWords.week : pageWords.month)));
    const act = (text, name) => button('quiet', text, () => this.#load('./menu-sheet.js', name));
    const own = make('.acts', {}, act(pageWords.export, 'saveHistory'));
    if (person.mayDecide) {
      own.append(act(pageWords.link, 'openDeviceLink'), act(pageWords.erase, 'openErase'),
        act(pageWords.end, 'openEnd'));
    }
    this.#details.append(
      make('fieldset.radios', {}, make('legend.unseen', {}, pageWords.span), ...spans), this.#chart,
      make('h3', {}, pageWords.programs), this.#programs, this.#marked,
      make('details.noted', {}, make('summary', {}, pageWords.noted), ...notedWords.map((line) => make('p', {}, line)),
        this.#presence), own);
    if (person.mayAsk) this.#toggle();
    this.draw(Date.now());
  }

  #more;

  #load(module, name) {
    return later(notLoaded, () => import(module), (loaded) => loaded[name](this.person, this.page));
  }

  async #toggle() {
    const isOpen = !this.#details.hidden;
    // A chart that came later would move the buttons below it away from under a finger.
    if (!isOpen) await import('./chart.js').catch(() => {});
    this.#details.hidden = isOpen;
    this.#more.setAttribute('aria-expanded', String(!isOpen));
    this.#drawDetails();
  }

  /** Shows how things stand at a moment. */
  draw(now) {
    const { person } = this;
    const used = person.timeOn(person.dayAt(now));
    const [budgets, rests] = [person.budgetsAt(now), person.restsAt(now)];
    say(this.#name, person.name);
    // A name comes in a space of its own: until then there is no heading, rather than an empty one.
    this.#name.hidden = !person.name;
    say(this.#digits, digitsOf(used));
    say(this.#today, todayLine(used));
    this.#drawLeft(budgets, rests.find(({ left }) => !left)?.rest);
    this.#drawAsks(now);
    this.#drawBudgets(budgets, rests);
    const devices = person.devicesAt(now).map((device) => ({ state: device.state, line: deviceLine(device, now) }));
    show(this.#devices, devices, () => (devices.length
      ? devices.map(({ state, line }) => make(`li.is-${state}`, {}, line)) : [make('li', {}, pageWords.noDevices)]));
    this.#drawDetails();
  }

  /** What decides: a rest that is on, else the whole day, else the category of which the least is left, by its name. */
  #drawLeft(budgets, rest) {
    const first = budgets.find(({ category }) => category === null)
      ?? budgets.reduce((one, other) => (one?.left <= other.left ? one : other), null);
    this.#left.hidden = !rest && !first;
    if (this.#left.hidden) return;
    say(this.#left, rest ? restLine(rest, 0)
      : first.category === null ? shortLeft(first) : leftLine(this.#nameOf(first.category), first));
    this.#left.classList.toggle('none', Boolean(rest) || !first.left);
  }

  #nameOf(category) {
    return category === null ? pageWords.everything
      : this.person.categories.find(({ id }) => id === category)?.name ?? '';
  }

  #what(target) {
    const { categories } = this.person;
    if (target?.startsWith('rest:')) {
      const rest = this.person.rests.find(({ id }) => target === `rest:${id}`);
      return rest ? restLine(rest, Infinity) : pageWords.everything;
    }
    return categories.find(({ id }) => target === `category:${id}`)?.name ?? pageWords.everything;
  }

  #drawAsks(now) {
    const { person } = this;
    const asks = person.asksAt(now);
    const answer = person.mayAsk && !asks.length ? person.answerAt(now) : null;
    say(this.#answer, person.mayAsk && asks.length ? ownWords.asked : answer ? ownWords.answered(answer.minutes) : '');
    this.#answer.hidden = !this.#answer.textContent;
    const rows = (person.mayAsk ? [] : asks).map((ask) =>
      ({ ask, line: askLine(person.name, this.#what(ask.target), Math.min(ask.minutes || 15, 240)) }));
    show(this.#asks, rows, () => rows.map(({ ask, line }) => make('li', {}, make('p', {}, line),
      person.mayDecide ? make('.acts', {},
        button('primary', askWords.give(15), () => person.answer(ask, 15).catch(failed)),
        button('quiet', askWords.give(30), () => person.answer(ask, 30).catch(failed)),
        button('quiet', askWords.no, () => person.answer(ask, 0).catch(failed))) : '')));
  }

  #drawBudgets(budgets, rests) {
    const { person } = this;
    const rows = [...budgets.map(({ category, target, ...state }) => ({
      target, what: this.#nameOf(category), line: leftLine(this.#nameOf(category), state),
      share: state.minutes ? state.left / (state.minutes * 60_000) : 0,
    })),
    ...rests.map(({ rest, left, target }) => ({ target, what: restLine(rest, Infinity), line: restLine(rest, left) }))];
    show(this.#budgets, rows.map(({ line, target }) => [line, target]), () =>
      rows.map(({ target, what, line, share }) => {
        const bar = share === undefined ? '' : make('span.share', { ariaHidden: 'true' }, make('span'));
        if (bar) bar.firstChild.style.inlineSize = `${Math.round(100 * share)}%`;
        return make('li', {}, make('p', {}, line), bar,
          person.mayAsk ? button('quiet', ownWords.ask(what), () => person.ask(target).catch(failed))
            // For everything there is a button beside the limits.
            : person.mayDecide && target !== 'day'
              ? button('quiet', askWords.giftOf(what), () => person.give(target, 15).catch(failed)) : '');
      }));
  }

  #drawDetails() {
    if (this.#details.hidden) return;
    const { person } = this;
    const today = person.dayAt(Date.now());
    this.#drawChart(today);
    const { kinds, categories } = person;
    const programs = person.programsOn(today);
    const lines = programs.map(({ name, time }) => [name, Math.floor(time / 60_000), kinds.get(name)]);
    const kindOf = (name) => categories.find(({ id }) => id === kinds.get(name))?.name ?? pageWords.noCategory;
    if (!this.#programs.contains(document.activeElement)) {
      show(this.#programs, [lines, categories], () => (programs.length ? programs.map(({ name, time }) => make('li', {},
        make('span.name', { dir: 'auto' }, programName(name)), make('span.time', {}, spokenTime(time)),
        person.mayDecide && name ? this.#choice(name, kinds.get(name), categories)
          : make('span.kind', { dir: 'auto' }, kindOf(name))))
        : [make('li', {}, pageWords.noPrograms)]));
    }
    this.#presence.hidden = !person.use.records('device').some(({ sees }) => sees === 'presence');
    const { markedCount, missingCount } = person;
    const odd = [markedCount && markedLine(markedCount), missingCount && missingLine(missingCount)].filter(Boolean);
    this.#marked.hidden = !odd.length;
    say(this.#marked, odd.join(' '));
  }

  #choice(program, chosen, categories) {
    return make('select', {
      ariaLabel: limitWords.of(program),
      onchange: ({ target }) => this.person.setKind(program, target.value || null).catch(failed),
    }, make('option', { value: '' }, pageWords.noCategory),
    ...categories.map(({ id, name }) => make('option', { value: id, selected: id === chosen }, name)));
  }

  async #drawChart(today) {
    const { person } = this;
    const key = JSON.stringify([today, this.#count, person.categories, Math.floor(person.timeOn(today) / 60_000),
      [...person.kinds], person.version]);
    if (this.#chart.dataset.key === key) return;
    this.#chart.dataset.key = key;
    try {
      const { chartOf } = await import('./chart.js');
      const isOpen = this.#chart.querySelector('details')?.open;
      this.#chart.replaceChildren(chartOf(person, today, this.#count));
      if (isOpen) this.#chart.querySelector('details').open = true;
    } catch (error) {
      console.warn(error);
      delete this.#chart.dataset.key;
    }
  }
}
customElements.define('person-card', PersonCard);
