// The days of a week or a month as bars, with the same numbers as a table.

import { make } from '/reunion/elements.js';
import { chartWords, dayName, pageWords, spokenTime } from './words.js';

const colours = 5;
const svg = (tag, attributes, ...children) => {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
};

/** What a day is made of: categories in their order, and what has none. */
export const partsOf = (person) => [...person.categories.map(({ id, name }) => ({ id, name })),
  { id: '', name: pageWords.noCategory }];

/** Bars of `count` days up to `today`, and a table. */
export function chartOf(person, today, count) {
  const parts = partsOf(person);
  const days = Array.from({ length: count }, (_, at) => today - count + 1 + at).map((day) => ({
    day, total: person.timeOn(day), times: parts.map(({ id }) => person.timeOn(day, id)),
  }));
  const most = Math.max(3_600_000, ...days.map(({ times }) => times.reduce((sum, time) => sum + time, 0)));
  const width = 100 / count;
  const bars = days.flatMap(({ times }, at) => {
    let top = 60;
    return times.map((time, part) => {
      const height = 56 * time / most;
      top -= height;
      return height ? svg('rect', {
        x: at * width + width * 0.14, y: top, width: width * 0.72, height, class: `c${part % colours}`,
      }) : null;
    }).filter(Boolean);
  });
  const shape = { viewBox: '0 0 100 60', preserveAspectRatio: 'none', class: 'bars', 'aria-hidden': 'true' };
  const picture = svg('svg', shape,
    svg('line', { x1: 0, x2: 100, y1: 60, y2: 60, class: 'ground' }), ...bars);
  const shown = parts.filter((_, at) => days.some(({ times }) => times[at]));
  const key = make('ul.key', {}, ...shown.map(({ id, name }) => make('li', {},
    make(`span.swatch.c${parts.findIndex((part) => part.id === id) % colours}`), make('span', { dir: 'auto' }, name))));
  const names = make('.days', { ariaHidden: 'true' },
    ...(count > 10 ? [days[0], days.at(-1)] : days).map(({ day }) => make('span', {}, dayName(day, count <= 10))));
  const row = ({ day, total, times }) => make('tr', {}, make('th', { scope: 'row' }, dayName(day)),
    make('td', {}, spokenTime(total)),
    ...shown.map(({ id }) => make('td', {}, spokenTime(times[parts.findIndex((part) => part.id === id)]))));
  const table = make('table', {}, make('caption.unseen', {}, chartWords.caption(person.name, count)),
    make('thead', {}, make('tr', {}, make('th', { scope: 'col' }, pageWords.day),
      make('th', { scope: 'col' }, pageWords.total),
      ...shown.map(({ name }) => make('th', { scope: 'col', dir: 'auto' }, name)))),
    make('tbody', {}, ...[...days].reverse().map(row)));
  return make('figure.chart', {}, make('figcaption', {}, chartWords.most(Math.max(...days.map(({ total }) => total)))),
    picture, names, key,
    make('details', {}, make('summary', {}, pageWords.table),
      make('.scroll', { tabIndex: 0, role: 'group', ariaLabel: pageWords.table }, table)));
}
