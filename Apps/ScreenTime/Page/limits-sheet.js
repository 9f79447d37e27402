// What parents agree on with a child: minutes a day, times of rest, categories, and how long the history is kept.

import { make } from '/reunion/elements.js';
import { notify } from '/kit/notices.js';
import { lineForm, openSheet } from '/kit/sheets.js';
import { limitWords, timeValue, weekdays } from './words.js';
import { zonesWith } from './zone.js';

const failed = (error) => notify(error.message, { stays: true });
/** A whole number that was entered, within bounds. */
const within = (value, usual, least, most) => Math.min(Math.max(Math.round(Number(value)) || usual, least), most);
const numberOf = ({ value }) => (value === '' ? null : within(value, 0, 0, 1440));
const minutesOf = (text) => Number(text.slice(0, 2)) * 60 + Number(text.slice(3, 5));

function budgetRow(person, category, name, remove) {
  const inputs = weekdays.map((weekday, at) => make('label.minutes', {},
    make('span', { ariaHidden: 'true' }, weekday),
    make('input', {
      type: 'number', min: 0, max: 1440, inputMode: 'numeric', ariaLabel: limitWords.minutes(name, weekday),
      onchange: ({ target }) => person.setWeekday(category, at, numberOf(target)).catch(failed),
    })));
  return make('fieldset.budget', {}, make('legend', { dir: 'auto' }, name), make('.week', {}, ...inputs), remove ?? '');
}

/** Shows the minutes of a budget, but where somebody writes just now. */
function fill(row, minutes) {
  [...row.querySelectorAll('input')].forEach((input, at) => {
    if (input !== document.activeElement) input.value = minutes && minutes[at] < 1440 ? minutes[at] : '';
  });
}

const removal = (person, name, record) => make('button.quiet', {
  type: 'button', onclick: () => person.remove(record).catch(failed),
}, limitWords.remove(name));

function restForm(person) {
  const from = make('input', { type: 'time', required: true, value: '20:30' });
  const to = make('input', { type: 'time', required: true, value: '07:00' });
  const days = weekdays.map((weekday) => make('label', {},
    make('input', { type: 'checkbox', checked: true }), make('span', {}, weekday)));
  return make('form.rest', {
    onsubmit: (event) => {
      event.preventDefault();
      const bits = days.reduce((sum, { firstChild }, at) => sum | (firstChild.checked ? 1 << at : 0), 0);
      person.addRest(minutesOf(from.value), minutesOf(to.value), bits).catch(failed);
    },
  }, make('label', {}, limitWords.from, from), make('label', {}, limitWords.to, to),
  make('fieldset.radios', {}, make('legend', {}, limitWords.weekdays), ...days),
  make('button.primary', {}, limitWords.addRest));
}

function zoneChoice(person) {
  const options = zonesWith(person.zone).map((zone) =>
    make('option', { value: zone, selected: zone === person.zone }, zone.replaceAll('_', ' ')));
  if (!person.zone) options.unshift(make('option', { value: '', selected: true }, limitWords.noZone));
  return make('label.keep', {}, limitWords.zone, make('select', {
    onchange: ({ target }) => target.value && person.setZone(target.value).catch(failed),
  }, ...options));
}

export function openLimits(person) {
  const budgets = make('.budgets'); const rests = make('ul.rests');
  const draw = () => {
    const { categories } = person;
    const held = (category) => person.budgets.find((budget) => budget.category === category)?.minutes;
    const key = JSON.stringify([categories, person.rests]);
    if (budgets.dataset.key !== key) drawRows(categories);
    budgets.dataset.key = key;
    [null, ...categories.map(({ id }) => id)].forEach((id, at) => fill(budgets.children[at], held(id)));
  };
  const drawRows = (categories) => {
    budgets.replaceChildren(budgetRow(person, null, limitWords.everything),
      ...categories.map((category) => budgetRow(person, category.id, category.name,
        removal(person, category.name, category))));
    rests.replaceChildren(...person.rests.map((rest) => {
      const name = `${timeValue(rest.from)} – ${timeValue(rest.to)}`;
      const days = weekdays.filter((_, at) => rest.weekdays & (1 << at)).join(' ');
      return make('li', {}, make('span', {}, `${name}, ${days}`), removal(person, name, rest));
    }));
  };
  const sheet = openSheet(limitWords.heading(person.name), make('p', {}, limitWords.how), budgets,
    lineForm({
      label: limitWords.category, placeholder: limitWords.category, button: limitWords.addCategory, maxLength: 40,
      save: (name) => person.addCategory(name).catch(failed),
    }),
    make('p.plain', {}, limitWords.programs),
    make('h3', {}, limitWords.rests), rests, restForm(person),
    make('label.keep', {}, limitWords.keep, make('input', {
      type: 'number', min: 1, max: 3650, value: person.child?.keptDays ?? 90,
      onchange: ({ target }) => person.keep(within(target.value, 90, 1, 3650)).catch(failed),
    })), zoneChoice(person), make('p.plain', {}, limitWords.zoneHow));
  const end = person.subscribe(draw);
  sheet.addEventListener('close', () => end());
  return sheet;
}
