// Shows who plays: each in a colour of their own, and how far they are. Its style comes with it, for a page that has
// the colours `--raised` and `--line`; it has `--player` for whatever has the colour of a seat as its `data-player`.

import { arrange, make, say } from '/reunion/elements.js';

/** `<players-strip>`: what an app puts into it stands below the players. */
export class PlayersStrip extends HTMLElement {
  #list = make('ul');
  #rows = new Map();

  connectedCallback() { if (!this.#list.isConnected) this.prepend(this.#list); }

  /** Shows `{id, name, about, color, count, of}` of each; where `of` is 0 there is no bar. */
  show(players) {
    arrange(this.#list, players.map((player) => this.#row(player)));
  }

  /** Marks whose colour it is; undefined for nobody. */
  mark(color) {
    for (const row of this.#list.children) row.classList.toggle('marked', row.dataset.player === String(color));
  }

  #row({ id, name, about, color, count, of }) {
    let row = this.#rows.get(id);
    if (!row) {
      // What the bar shows is said beside it.
      const bar = make('progress', { ariaHidden: true });
      const parts = { name: make('b', { dir: 'auto' }), about: make('span.about'), bar };
      row = make('li', {}, make('i.dot'), make('span.words', {}, parts.name, parts.about), bar);
      row.parts = parts;
      this.#rows.set(id, row);
    }
    row.dataset.player = color;
    say(row.parts.name, name);
    row.parts.name.title = name;
    say(row.parts.about, about);
    row.parts.bar.hidden = !of;
    Object.assign(row.parts.bar, { max: of || 1, value: Number(count) });
    return row;
  }
}
customElements.define('players-strip', PlayersStrip);
document.head.append(make('link', { rel: 'stylesheet', href: new URL('players.css', import.meta.url).href }));
