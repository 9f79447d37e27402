// What the group has played: rounds, and a table of all times. It is loaded when somebody looks.

import { fill, make } from '/reunion/elements.js';
import { openSheet } from '/kit/sheets.js';
import { wordsOf } from './rules.js';
import { historyWords, placesLine, roundLine } from './words.js';

const shownMost = 30;

/** The table of all times: `{name, rounds, wins, points, best}` of each device that played, the best first. */
export function allTimes(rounds) {
  const players = new Map();
  // The last name of each stands: rounds come with the last first.
  for (const { scores } of rounds) {
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

/** Opens the history, which follows the store until it is closed. */
export function openHistory(store) {
  const body = make('.history');
  const show = () => {
    const rounds = store.finished.map((round) => ({ ...round, scores: store.scoresOf(round) }));
    fill(body, rounds.map(({ id, scores }) => [id, scores]), () => (rounds.length
      ? [timesTable(rounds), make('h3', {}, historyWords.games), roundList(rounds)]
      : [make('p.empty', {}, historyWords.none)]));
  };
  openSheet(historyWords.heading, body).addEventListener('close', store.subscribe(show));
}

function timesTable(rounds) {
  const head = make('tr', {}, ...['name', 'wins', 'games', 'points', 'best'].map((each) =>
    make('th', { scope: 'col' }, historyWords[each])));
  const rows = allTimes(rounds).map((each) => make('tr', {},
    make('th', { scope: 'row', dir: 'auto' }, each.name),
    ...[each.wins, each.rounds, each.points, each.best].map((value) => make('td', {}, String(value)))));
  return make('.wide', { tabIndex: 0, role: 'group', ariaLabel: historyWords.table },
    make('table', {}, make('caption', {}, historyWords.table), make('thead', {}, head), make('tbody', {}, ...rows)));
}

const roundList = (rounds) => make('ul.rounds', {}, ...rounds.slice(0, shownMost).map((round) => make('li.words', {},
  make('b', {}, placesLine(round.scores)), make('span.about', {}, roundLine(round)))));
