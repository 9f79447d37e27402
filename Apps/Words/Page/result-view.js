// The end of a round: everyone's words with what they count, the longest that nobody found, and a rematch.

import { make, say } from '/reunion/elements.js';
import './ready-bar.js';
import { valuesOf, wordsOf } from './rules.js';
import { resultWords, scoreLine, winnerLine, wordLabel } from './words.js';

/** `<result-view>`: give it `store`. */
export class ResultView extends HTMLElement {
  #winner = make('h2', { tabIndex: -1 });
  #players = make('.results');
  #missed = make('p.missed');
  #bar = Object.assign(make('ready-bar'), { label: resultWords.again });
  #shown = '';

  connectedCallback() {
    if (this.children.length) return;
    this.#bar.store = this.store;
    this.append(this.#winner, this.#bar, this.#players, this.#missed);
  }

  /** The focus goes where a screen reader reads on. */
  begin() { this.#winner.focus({ preventScroll: true }); }

  show({ game, round }) {
    this.#bar.show(game);
    const scores = this.store.scoresOf(round);
    const key = JSON.stringify([round.id, round.missed, scores.map(({ points, words }) => [points, words])]);
    if (!scores.length || key === this.#shown) return;
    this.#shown = key;
    say(this.#winner, winnerLine(scores));
    const values = valuesOf(scores);
    this.#players.replaceChildren(...scores.map((score) => this.#card(score, scores, values)));
    const missed = wordsOf(round.missed);
    this.#missed.hidden = !missed.length;
    this.#missed.replaceChildren(make('span', {}, resultWords.missed, ': '), make('b', {}, missed.join(', ')));
  }

  #card(score, scores, values) {
    const words = wordsOf(score.words);
    const rank = scores.findIndex(({ points }) => points === score.points) + 1;
    return make('section.card', { 'data-player': score.color, ariaLabel: score.name },
      make('header', {}, make('b.rank', {}, String(rank)), make('span.words', {},
        make('b', { dir: 'auto' }, score.name), make('span.about', {}, scoreLine(score)))),
      make('ul.found', {}, ...words.map((word) => {
        const each = values.get(word);
        const kind = each.finders === 1 ? '.only' : each.finders === scores.length ? '.everyones' : '';
        return make(`li${kind}`, {}, make('span', { ariaHidden: 'true' }, word, make('small', {}, String(each.value))),
          make('span.unseen', {}, wordLabel(word, each, scores.length)));
      })), words.length ? '' : make('p.empty', {}, resultWords.noWords));
  }
}
customElements.define('result-view', ResultView);
