// What is known of one quake, on a card over the map.

import { icon, iconButton, make, say } from '/reunion/elements.js';
import { depthClass } from './geometry.js';
import { close, out, sign } from './icons.js';
import {
  agoOf, coordinatesOf, detailWords, hereTime, magnitudeOf, pageWords, placeOf, universalTime,
} from './words.js';

/** `<quake-details>`: sends `close`. */
export class QuakeDetails extends HTMLElement {
  #quake = null; #unit;
  #magnitude = make('span');
  #size = make('span.size', {},
    make('b.magnitude', {}, make('span.unseen', {}, `${pageWords.magnitude} `), this.#magnitude));
  #heading = make('h2', { dir: 'auto', tabIndex: -1 });
  #kind = make('p.kind');
  #facts = {};
  #link = make('a.quiet', { target: '_blank', rel: 'noopener noreferrer' },
    detailWords.more, icon(out));

  connectedCallback() {
    this.setAttribute('role', 'region');
    this.setAttribute('aria-label', pageWords.chosen);
    this.hidden = true;
    const list = make('dl');
    for (const [fact, name] of Object.entries(detailWords.facts)) {
      this.#facts[fact] = make('dd');
      list.append(make('dt', {}, name), this.#facts[fact]);
    }
    this.append(
      make('header', {}, this.#size, make('.words', {}, this.#heading, this.#kind),
        iconButton(close, pageWords.close, () => this.dispatchEvent(new CustomEvent('close')), '.plain')),
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
    this.#size.replaceChildren(sign(depth), this.#size.lastChild);
    say(this.#magnitude, magnitudeOf(quake));
    say(this.#heading, placeOf(quake, unit));
    say(this.#kind, detailWords.kind(quake));
    const facts = {
      here: hereTime(quake.at), universal: universalTime(quake.at),
      depth: detailWords.depth(quake, depth, unit), place: coordinatesOf(quake),
    };
    for (const [fact, text] of Object.entries(facts)) say(this.#facts[fact], text);
    // Where its reader's time is UTC, it is said once.
    const { here } = this.#facts;
    here.hidden = here.previousSibling.hidden = !new Date(quake.at).getTimezoneOffset();
    if (this.#link.href !== quake.page) this.#link.href = quake.page;
    this.#link.hidden = !quake.page;
    this.tick();
  }

  /** Brings what is told from now on up to date. */
  tick() {
    if (!this.#quake) return;
    say(this.#facts.when, agoOf(this.#quake.at));
    say(this.#facts.updated,
      this.#quake.updatedAt ? agoOf(this.#quake.updatedAt) : detailWords.never);
  }

  focusHeading() { this.#heading.focus(); }
}
customElements.define('quake-details', QuakeDetails);
