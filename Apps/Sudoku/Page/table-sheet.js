// The games of the table: open one, join one, race.

import { fill, make, say } from '/reunion/elements.js';
import { openSheet } from '/kit/sheets.js';
import { prefer, preferences } from './preferences.js';
import { gameLine, tableWords } from './words.js';

const shownMost = 20;

/** Opens the drawer, in which one goes to a game; the one that somebody was `invited` to stands first. */
export function openTable(page, together, invited) {
  const { table } = together;
  const name = make('input', {
    value: preferences.value.name, maxLength: 24, autocomplete: 'given-name', dir: 'auto', required: true,
  });
  const problem = make('p.problem', { role: 'alert' });
  const list = make('ul.games');
  let isGoing = false;
  const sheet = openSheet(tableWords.heading, make('p', {}, tableWords.about),
    make('label.named', {}, tableWords.name, name), problem,
    make('.grades', {}, ...[false, true].map((isRace) => make('button.grade', {
      type: 'button', onclick: () => go(() => together.openGame(isRace)),
    }, make('b', {}, isRace ? tableWords.race : tableWords.together),
    make('span', {}, isRace ? tableWords.raceHow : tableWords.togetherHow)))),
    make('h3', {}, tableWords.games), list);

  async function go(choose) {
    const called = name.value.trim();
    if (!called) {
      say(problem, tableWords.nameless);
      name.focus();
    }
    if (!called || isGoing) return;
    isGoing = true;
    try {
      prefer('name', called)?.catch((error) => console.warn(error));
      const game = await choose();
      if (await table.sit(game, called)) {
        sheet.close();
        await together.play(game);
      } else say(problem, tableWords.full);
    } catch ({ message }) {
      say(problem, message);
    } finally {
      isGoing = false;
    }
  }

  const end = table.subscribe(() => {
    const games = table.games.sort((one, other) => (other.id === invited) - (one.id === invited))
      .slice(0, shownMost);
    const rows = games.map((game) => ({
      game, isIn: Boolean(table.seatAt(game)), isFull: table.isFull(game),
      ...gameLine(game, table.seatsOf(game).map((seat) => seat.name)),
    }));
    const shown = rows.map(({ game, ...row }) => [game.id, row]);
    fill(list, shown, () => (rows.length ? rows.map(({ game, isIn, isFull, name, who }) => make('li', {},
      make('span.words', { dir: 'auto' }, make('b', {}, name), make('span.about', {}, who)),
      make('button.quiet', { type: 'button', disabled: isFull, onclick: () => go(() => game) },
        isIn ? tableWords.back : tableWords.join))) : [make('li.empty', {}, tableWords.none)]));
  });
  sheet.addEventListener('close', end);
  return sheet;
}
