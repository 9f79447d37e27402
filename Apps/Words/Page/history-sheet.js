// What the group has played: rounds, and a table of all times. It is loaded when somebody looks.

import { make } from '/reunion/elements.js';
import { openSheet } from '/reunion/sheets.js';
import { wordsOf } from './rules.js';
import { historyWords, placesLine, roundLine } from './words.js';

const shownMost = 30;

/** The table of all times: `{name, rounds, wins, points, best}` of each device that played, the best first. */
export function allTimes(rounds, scoresOf) {
  const players = new Map();
  // The last name of each stands: rounds come with the last first.
  for (const round of rounds) {
    const scores = scoresOf(round);
    for (const { player, name, points, words } of scores) {
      if (!players.has(player)) players.set(player, { name, rounds: 0, wins: 0, points: 0, best: '' });
      const each = players.get(player);
      const [longest = ''] = wordsOf(words);
      each.rounds += 1;
      each.points += points;
      if (points > 0 && points === scores[0].points) each.wins += 1;
      if ([...longest].length > [...each.best].length) each.best = longest;
    }
  }
  return [...players.values()].sort((one, other) => other.wins - one.wins || other.points - one.points);
}

export function openHistory(store) {
  const rounds = store.finished;
  const scoresOf = (round) => store.scoresOf(round);
  if (!rounds.length) return openSheet(historyWords.heading, make('p.empty', {}, historyWords.none));
  const head = make('tr', {}, ...['name', 'wins', 'games', 'points', 'best'].map((each) =>
    make('th', { scope: 'col' }, historyWords[each])));
  const table = make('table', {}, make('caption', {}, historyWords.table), make('thead', {}, head),
    make('tbody', {}, ...allTimes(rounds, scoresOf).map((each) => make('tr', {},
      make('th', { scope: 'row', dir: 'auto' }, each.name),
      ...[each.wins, each.rounds, each.points, each.best].map((value) => make('td', {}, String(value)))))));
  const list = make('ul.rounds', {}, ...rounds.slice(0, shownMost).map((round) => make('li.words', {},
    make('b', {}, placesLine(scoresOf(round))), make('span.about', {}, roundLine(round)))));
  return openSheet(historyWords.heading,
    make('.wide', { tabIndex: 0, role: 'group', ariaLabel: historyWords.table }, table),
    make('h3', {}, historyWords.games), list);
}
