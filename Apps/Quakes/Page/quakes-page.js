// The page: how things stand, the map, the chosen quake, the search and the list.

import { iconButton, make, say } from '/reunion/elements.js';
import { radiusOf } from './geometry.js';
import { closer, farther, sign, world } from './icons.js';
import './quake-details.js';
import './quake-list.js';
import './quake-map.js';
import './quake-search.js';
import { countLine, depthNames, depthRanges, newLine, pageWords, stateOf } from './words.js';

const tickMilliseconds = 15_000;
const spokenEvery = 3000;
const leasts = [[pageWords.all, null], ['2.5+', 2.5], ['4.5+', 4.5]];

/** `<quakes-page>`: give it `store` before it is connected. */
export class QuakesPage extends HTMLElement {
  #sentence = make('span', { role: 'status' });
  #time = make('span.time');
  #state = make('p.state', {}, this.#sentence, ' ', this.#time);
  #count = make('p.count');
  #map = make('quake-map');
  #details = make('quake-details');
  #search = make('quake-search');
  #list = make('quake-list');
  #legend = make('.legend', { role: 'group', ariaLabel: pageWords.legend });
  #spoken = make('.unseen', { role: 'status' });
  #unit = make('button.quiet.unit', { type: 'button', onclick: () => this.#changeUnit() });
  #chosenID = null; #news = []; #saying = 0; #opener = null;

  connectedCallback() {
    const { store } = this;
    this.#search.store = store;
    this.append(
      make('header.top', {}, make('.heading', {}, make('h1', {}, pageWords.heading), this.#state)),
      make('main', {},
        make('section.world', { ariaLabel: pageWords.map }, this.#map,
          make('.zoom', { role: 'group', ariaLabel: pageWords.zoom },
            iconButton(closer, pageWords.closer, () => this.#map.zoom(2)),
            iconButton(farther, pageWords.farther, () => this.#map.zoom(0.5)),
            iconButton(world, pageWords.world, () => this.#map.showWorld())),
          this.#legend, this.#details),
        make('section.side', { ariaLabel: pageWords.list }, this.#search,
          make('.bar', {}, this.#strengths(), this.#unit), this.#count, this.#list)),
      this.#spoken);
    for (const part of [this.#map, this.#list, this.#search]) {
      part.addEventListener('choose', ({ detail }) => this.choose(detail, part));
    }
    this.#details.addEventListener('close', () => this.#closeDetails());
    store.onnew = (quakes) => this.#welcome(quakes);
    store.subscribe(() => this.update());
    setInterval(() => this.update(), tickMilliseconds);
  }

  update() {
    const { store } = this;
    const { unit, quakes } = store;
    this.#tellState();
    this.#map.show(quakes);
    this.#list.show(quakes, unit, store.count ? pageWords.noneStrong : pageWords.none);
    say(this.#count, countLine(quakes.length, store.count, store.feed?.title) || '');
    this.#tellLegend(unit);
    const chosen = store.quake(this.#chosenID);
    if (this.#chosenID && !chosen) this.choose(null);
    else if (chosen) this.#details.show(chosen, unit);
  }

  /** Marks a quake on map and list and shows its card; null marks none. */
  choose(quake, from = null) {
    this.#chosenID = quake?.id ?? null;
    this.#opener = from;
    this.#map.choose(quake, { flies: from !== this.#map });
    this.#list.choose(quake);
    this.#details.show(quake, this.store.unit);
    if (!quake || from === this.#map && document.activeElement !== this.#map) return;
    if (from !== this.#map) this.#map.scrollIntoView({ block: 'nearest' });
    this.#details.focusHeading();
  }

  #closeDetails() {
    const id = this.#chosenID;
    const opener = this.#opener;
    this.choose(null);
    if (opener === this.#map) this.#map.focus();
    else this.#list.focusQuake(id);
  }

  #tellState() {
    const standing = { ...this.store.standing, now: Date.now() };
    const { sentence, time, isLive } = stateOf(standing);
    say(this.#sentence, sentence);
    say(this.#time, time);
    this.#state.dataset.phase = isLive ? 'live' : 'troubled';
  }

  #tellLegend(unit) {
    if (this.#legend.unit === unit) return;
    this.#legend.unit = unit;
    const sizes = [2, 4, 6].map((magnitude) => {
      const dot = make('i');
      dot.style.setProperty('--size', `${2 * radiusOf(magnitude)}px`);
      return make('li', {}, dot, pageWords.size(magnitude));
    });
    const depths = depthNames.map((name, depth) =>
      make('li', {}, sign(depth), make('span', {}, name, make('small', {}, depthRanges(unit)[depth]))));
    this.#legend.replaceChildren(make('ul.depths', { ariaLabel: pageWords.depth }, ...depths),
      make('ul.sizes', { ariaLabel: pageWords.magnitude }, ...sizes));
    say(this.#unit, unit);
    this.#unit.setAttribute('aria-label', pageWords.unit(unit));
  }

  #strengths() {
    const { choices } = this.store;
    const inputs = leasts.map(([, value]) => make('input', {
      type: 'radio', name: 'least', onchange: () => choices.set({ least: value }),
    }));
    choices.subscribe(({ least }) => inputs.forEach((input, index) => {
      input.checked = leasts[index][1] === least;
    }));
    return make('fieldset.strengths', {}, make('legend.unseen', {}, pageWords.magnitude),
      ...inputs.map((input, index) => make('label', {}, input, make('span', {}, leasts[index][0]))));
  }

  #changeUnit() {
    this.store.choices.set({ unit: this.store.unit === 'km' ? 'mi' : 'km' });
  }

  /** New ones pulse on the map, and are told to who listens, at most every few seconds. */
  #welcome(quakes) {
    const strong = quakes.filter((quake) => this.store.isStrong(quake));
    for (const quake of strong) this.#map.pulse(quake);
    this.#news.push(...strong);
    if (!this.#news.length) return;
    this.#saying ||= setTimeout(() => {
      say(this.#spoken, newLine(this.#news, this.store.unit));
      [this.#news, this.#saying] = [[], 0];
    }, spokenEvery);
  }
}
customElements.define('quakes-page', QuakesPage);
