// What is known of one quake, on a card over the map.

import { icon, iconButton, make, say, sign } from './dom.js';
import { depthClass } from './geometry.js';
import { agoOf, coordinatesOf, depthNames, distanceOf, hereTime, magnitudeOf, placeOf, universalTime }
  from './words.js';

/** `<quake-details>`: sends `close`. */
export class QuakeDetails extends HTMLElement {
  #quake = null; #unit;
  #sign = make('span.size');
  #magnitude = make('b.magnitude');
  #heading = make('h2', { dir: 'auto', tabIndex: -1 });
  #kind = make('p.kind');
  #facts = {};
  #link = make('a.quiet', { target: '_blank', rel: 'noopener noreferrer' },
    'More about it', icon('out'));

  connectedCallback() {
    this.setAttribute('role', 'region');
    this.setAttribute('aria-label', 'Chosen earthquake');
    this.hidden = true;
    const list = make('dl');
    for (const name of ['When', 'Your time', 'UTC', 'Depth', 'Place', 'Updated']) {
      this.#facts[name] = make('dd');
      list.append(make('dt', {}, name), this.#facts[name]);
    }
    this.append(
      make('header', {}, this.#sign, make('.words', {}, this.#heading, this.#kind),
        iconButton('close', 'Close', () => this.dispatchEvent(new CustomEvent('close')), '.plain')),
      list, this.#link);
    this.addEventListener('keydown', ({ key }) => {
      if (key === 'Escape') this.dispatchEvent(new CustomEvent('close'));
    });
  }

  get quake() { return this.#quake; }

  /** Shows a quake as it is now, or nothing. */
  show(quake, unit) {
    [this.#quake, this.#unit] = [quake, unit];
    this.hidden = !quake;
    if (!quake) return;
    const depth = depthClass(quake.depth);
    this.#sign.replaceChildren(sign(depth), this.#magnitude);
    say(this.#magnitude, magnitudeOf(quake));
    say(this.#heading, placeOf(quake, unit));
    const known = quake.magnitude === null ? 'Magnitude not known yet'
      : `Magnitude ${magnitudeOf(quake)}`;
    say(this.#kind, quake.kind === 'Earthquake' ? known : `${quake.kind}, ${known.toLowerCase()}`);
    const facts = {
      'Your time': hereTime(quake.at), UTC: universalTime(quake.at),
      Depth: quake.depth === null ? 'unknown'
        : `${distanceOf(quake.depth, unit)}, ${depthNames[depth].toLowerCase()}`,
      Place: coordinatesOf(quake),
    };
    for (const [name, text] of Object.entries(facts)) say(this.#facts[name], text);
    if (this.#link.href !== quake.page) this.#link.href = quake.page;
    this.#link.hidden = !quake.page;
    this.tick();
  }

  /** Brings what is told from now on up to date. */
  tick() {
    if (!this.#quake) return;
    say(this.#facts.When, agoOf(this.#quake.at));
    say(this.#facts.Updated, this.#quake.updatedAt ? agoOf(this.#quake.updatedAt) : 'never');
  }

  focusHeading() { this.#heading.focus(); }
}
customElements.define('quake-details', QuakeDetails);
