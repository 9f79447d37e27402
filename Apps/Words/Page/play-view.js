// A round: the countdown, the letters, what one types, and everybody's points.

import { fill, icon, iconButton, make, say } from '/reunion/elements.js';
import { announce, notify } from '/kit/notices.js';
import * as icons from './icons.js';
import { baseOf, readWord } from './rules.js';
import { countsLine, lobbyWords, playWords, scoreLine, secondsLine, typingLine } from './words.js';

const beatMilliseconds = 100;
const told = [60, 30, 10];

/** `<play-view>`: give it `store` and `round`. */
export class PlayView extends HTMLElement {
  #clock = make('.clock', { role: 'timer', ariaLabel: playWords.left });
  #bar = make('i');
  #said = make('p.said', { role: 'status' });
  #tiles = make('.tiles', { role: 'group', ariaLabel: playWords.letters });
  #input = make('input', {
    ariaLabel: playWords.word, autocomplete: 'off', autocapitalize: 'off', spellcheck: false, inputMode: 'none',
    maxLength: 200, dir: 'auto', oninput: () => this.#edit(),
  });
  #form = make('form.typing', { onsubmit: (event) => { event.preventDefault(); this.#enter(); } },
    this.#input, iconButton(icons.back, playWords.clear, () => this.#take('')),
    make('button.primary', {}, playWords.enter));
  #shuffle = make('button.quiet', {
    type: 'button', onclick: () => this.#lay([...this.#order].sort(() => Math.random() - 0.5)),
  }, icon(icons.shuffle), playWords.shuffle);
  #players = make('players-strip');
  #found = make('ul.found');
  #order = []; #beat; #phase = ''; #score; #last;

  connectedCallback() {
    if (this.children.length) return;
    this.append(make('.time', {}, this.#clock, make('.bar', {}, this.#bar)), this.#tiles, this.#said, this.#form,
      this.#shuffle, this.#players, make('section.mine', { ariaLabel: playWords.found },
        make('h2', {}, playWords.found), this.#found));
    this.#beat = setInterval(() => this.#tick(), beatMilliseconds);
  }

  disconnectedCallback() { clearInterval(this.#beat); }

  show({ game, round }) {
    this.round = round;
    this.game = game;
    this.#score = this.store.scoreIn(round);
    const entries = this.store.entriesIn(round);
    const own = entries.reduce((sum, { word }) => sum + baseOf(word), 0);
    const scores = this.store.scoresOf(round).map((score) => (score.id === this.#score?.id
      // One's own words are there before the server says so.
      ? { ...score, points: own, count: entries.length, name: lobbyWords.mine } : score));
    const most = Math.max(20, ...scores.map(({ points }) => points));
    const typists = this.store.typistsIn(round);
    this.#players.show(scores.map((score) => ({
      id: score.id, name: score.name, color: score.color, count: score.points, of: most,
      about: typists.has(score.seat) ? typingLine(score) : scoreLine(score),
    })));
    const list = entries.map(({ word }) => word);
    fill(this.#found, list, () => (list.length
      ? list.map((word) => make('li', {}, word, make('small', {}, baseOf(word))))
      : [make('li.empty', {}, playWords.none)]));
    this.#tick();
  }

  /** What the time asks for. */
  #tick() {
    const { store, round } = this;
    if (!round) return;
    const now = store.clock.now(this.#score?.offset);
    const phase = now < round.startsAt ? 'get' : now < round.endsAt ? 'play' : 'over';
    if (phase !== this.#phase) this.#turn(phase);
    const left = Math.ceil(((phase === 'get' ? round.startsAt : round.endsAt) - now) / 1000);
    say(this.#clock, String(Math.max(0, left)));
    this.#clock.classList.toggle('last', phase === 'play' && left <= 10);
    const part = (round.endsAt - now) / (round.endsAt - round.startsAt);
    this.#bar.style.inlineSize = `${Math.max(0, Math.min(1, part)) * 100}%`;
    if (phase === 'play' && told.includes(left) && this.#last !== left) {
      this.#last = left;
      announce(secondsLine(left));
    }
    if (phase === 'over') store.noteDone(this.game, round);
  }

  #turn(phase) {
    this.#phase = phase;
    this.dataset.phase = phase;
    const plays = phase === 'play' && Boolean(this.#score);
    say(this.#said, phase === 'over' ? playWords.counting : !this.#score ? playWords.watch
      : phase === 'get' ? playWords.get : playWords.go);
    this.#form.hidden = this.#shuffle.hidden = !plays;
    this.#lay(phase === 'get' ? [] : [...this.round.letters].map((letter, index) => ({ letter, index })));
    if (plays) this.#input.focus({ preventScroll: true });
  }

  #lay(order) {
    this.#order = order;
    const blank = [...this.round.letters].map(() => make('span.tile.blank', {}, '?'));
    this.#tiles.replaceChildren(...(order.length ? order.map(({ letter }) => make('button.tile', {
      type: 'button', onclick: () => this.#take(letter),
    }, letter)) : blank));
    this.#mark();
  }

  /** Adds a letter to the word, or takes the last one away. */
  #take(letter) {
    this.#input.value = letter ? this.#input.value + letter : [...this.#input.value].slice(0, -1).join('');
    this.#edit();
    this.#input.focus({ preventScroll: true });
  }

  /** Shows the word here, and to the others that one types. */
  #edit() {
    this.#mark();
    if (this.#phase === 'play') this.store.typing?.type(this.round);
  }

  /** Shows which letters the word uses. */
  #mark() {
    const used = [...this.#input.value.normalize('NFC').toLowerCase().replaceAll('ß', 'ss')];
    this.#order.forEach(({ letter }, at) => {
      const index = used.indexOf(letter);
      if (index >= 0) used.splice(index, 1);
      this.#tiles.children[at].classList.toggle('used', index >= 0);
    });
  }

  #enter() {
    const { store, round } = this;
    const text = this.#input.value;
    this.#input.value = '';
    this.#mark();
    store.typing?.stop();
    if (this.#phase !== 'play' || !text.trim()) return;
    try {
      const had = store.entriesIn(round).map(({ word }) => word);
      const word = readWord(text, { letters: round.letters, sieve: round.sieve, had });
      store.enter(round, word).catch((error) => notify(error.message, { stays: true }));
      this.#tell(countsLine(word, baseOf(word)), false);
    } catch ({ message }) {
      this.#tell(message, true);
    }
  }

  #tell(sentence, isWrong) {
    this.#said.textContent = sentence;
    this.#said.classList.toggle('wrong', isWrong);
  }
}
customElements.define('play-view', PlayView);
