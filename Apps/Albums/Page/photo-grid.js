// The album's rows: boxes reserved from the photos' sizes, elements only near the window.

import { draw, icon, make } from '/reunion/elements.js';
import { heart, picture } from './icons.js';
import { justify, visibleRange } from './layout.js';
import { colorOf, fateOf, previewURL, showImage } from './pictures.js';
import { recordsOf } from './stacks.js';
import { albumWords, altOf, fateWords } from './words.js';

const gap = 4;
const fromTop = 60;
const tilesAFrame = 12;
const circle = (name) => ['circle', { cx: 12, cy: 12, r: 9, pathLength: 100, class: name }];
const hearts = () => make('span.hearts', {}, icon(heart), make('span'));
const fate = () => make('span.fate', {}, icon(picture), make('span'));
const idsOf = (photos) => new Set(photos.flatMap(recordsOf).map(({ id }) => id));
const ring = () => draw('ring', circle('track'), circle('done'));

/** `<photo-grid>`: give it `store`, then call `update()`; it sends `open` and `held` events. */
export class PhotoGrid extends HTMLElement {
  #list = make('ul', { role: 'list', ariaLabel: albumWords.photos });
  #photos = []; #known = new Set(); #boxes = []; #tiles = new Map(); #current = null;
  #width = 0; #frame = 0; #sign = 1;

  connectedCallback() {
    this.append(this.#list);
    addEventListener('scroll', () => {
      this.#drawSoon();
      if (this.#isAtTop && this.held) this.release();
    }, { passive: true });
    new ResizeObserver(() => {
      if (this.clientWidth === this.#width) return;
      this.#width = this.clientWidth;
      this.#arrange();
    }).observe(this);
    this.#list.addEventListener('keydown', (event) => this.#move(event));
  }

  get #isAtTop() { return this.getBoundingClientRect().top > -fromTop; }

  /** The photos in their order, without those that are held back. */
  get photos() { return this.#photos; }
  /** How many new photos wait above, so that nothing moves under the finger. */
  held = 0;

  /** Takes the store's photos; new ones of others wait while the person is further down. */
  update() {
    const { photos } = this.store;
    const isNew = (photo) => !recordsOf(photo).some(({ id }) => this.#known.has(id));
    const isOwnNew = this.#known.size > 0
      && photos.some((photo) => isNew(photo) && this.store.isMine(photo));
    if (this.#isAtTop || isOwnNew || !this.#known.size) this.#photos = photos;
    else this.#photos = photos.filter((photo) => !isNew(photo));
    if (isOwnNew && !this.#isAtTop) scrollTo({ top: 0 });
    this.#known = idsOf(this.#photos);
    this.#hold(photos.length - this.#photos.length);
    this.#arrange();
  }

  /** Shows what was held back. */
  release() {
    this.#photos = this.store.photos;
    this.#known = idsOf(this.#photos);
    this.#hold(0);
    this.#arrange();
  }

  /** Puts the focus on a photo's tile. */
  focusPhoto(id) {
    id = this.store.photo(id)?.id;
    const index = this.#photos.findIndex((photo) => photo.id === id);
    const box = this.#boxes[index];
    if (!box) return;
    this.#current = id;
    const top = this.getBoundingClientRect().top + box.top;
    if (top < 0 || top + box.height > innerHeight) scrollBy(0, top - innerHeight / 3);
    this.#draw(id);
    this.#tiles.get(id)?.button.focus({ preventScroll: true });
  }

  #hold(count) {
    if (this.held === count) return;
    this.held = count;
    this.dispatchEvent(new Event('held'));
  }

  #arrange() {
    if (!this.#width) return;
    const before = this.#anchor();
    const { boxes, height } = justify(this.#photos, { width: this.#width, gap });
    this.#boxes = boxes;
    this.#sign = getComputedStyle(this).direction === 'rtl' ? -1 : 1;
    this.#list.style.height = `${height}px`;
    if (before) {
      const index = this.#photos.findIndex(({ id }) => id === before.id);
      if (index >= 0 && boxes[index].top !== before.top) scrollBy(0, boxes[index].top - before.top);
    }
    this.#draw();
  }

  /** The first photo in the window and its place, where the person has scrolled. */
  #anchor() {
    if (this.#isAtTop) return null;
    const [first] = visibleRange(this.#boxes, -this.getBoundingClientRect().top, Infinity);
    for (const [id, tile] of this.#tiles) {
      if (tile.index === first) return { id, top: this.#boxes[first].top };
    }
    return null;
  }

  #drawSoon() { this.#frame ||= requestAnimationFrame(() => this.#draw()); }

  /** Builds the tiles near the window: some a frame, those in the window first. */
  #draw(focused) {
    this.#frame = 0;
    const { top } = this.getBoundingClientRect();
    const [first, end] = visibleRange(this.#boxes, -top - innerHeight, -top + innerHeight * 2);
    const wanted = new Set();
    for (let index = first; index < end; index++) wanted.add(this.#photos[index].id);
    if (!wanted.has(this.#current)) this.#current = this.#photos[first]?.id;
    for (const [id, tile] of this.#tiles) {
      if (wanted.has(id)) continue;
      tile.item.remove();
      this.#tiles.delete(id);
    }
    const seen = visibleRange(this.#boxes, -top, -top + innerHeight);
    const inOrder = [focused, ...this.#photos.slice(...seen).map((photo) => photo.id), ...wanted];
    const missing = new Set(inOrder.filter((each) => wanted.has(each) && !this.#tiles.has(each)));
    for (const each of [...missing].slice(0, tilesAFrame)) this.#tiles.set(each, this.#tile(each));
    if (missing.size > tilesAFrame) this.#drawSoon();
    let place = this.#list.firstChild;
    for (let index = first; index < end; index++) {
      const photo = this.#photos[index];
      const tile = this.#tiles.get(photo.id);
      if (!tile) continue;
      this.#fill(tile, photo, index);
      if (tile.item === place) place = place.nextSibling;
      else this.#list.insertBefore(tile.item, place);
    }
  }

  #tile(id) {
    const image = make('img', { decoding: 'async', draggable: false });
    const button = make('button.tile', {
      type: 'button',
      onclick: () => {
        this.#current = id;
        this.dispatchEvent(new CustomEvent('open', { detail: id }));
      },
      onfocus: () => { this.#current = id; },
    }, image);
    return { item: make('li', {}, button), button, image };
  }

  #fill(tile, photo, index) {
    const { item, button, image } = tile;
    const { left, top, width, height } = this.#boxes[index];
    if (tile.index !== index) item.setAttribute('aria-posinset', index + 1);
    tile.index = index;
    const { length } = this.#photos;
    if (tile.length !== length) item.setAttribute('aria-setsize', tile.length = length);
    const place = `${left} ${top} ${width} ${height}`;
    if (tile.place !== place) {
      tile.place = place;
      // Moved, not laid out again: new photos push the others down, and no text is measured anew.
      item.style.cssText = `translate:${left * this.#sign}px ${top}px;width:${width}px;height:${height}px`;
    }
    const tabIndex = photo.id === this.#current ? 0 : -1;
    if (button.tabIndex !== tabIndex) button.tabIndex = tabIndex;
    const { count, mine } = this.store.hearts(photo);
    const share = this.store.progress(photo);
    const alt = altOf(photo, this.store.author(photo));
    const url = previewURL(photo, this.store.uploads);
    const what = !url && fateOf(photo);
    const seen = [alt, url, count, mine.length, share, photo.color, what].join();
    if (tile.seen === seen) return;
    tile.seen = seen;
    image.alt = alt;
    button.style.backgroundColor = colorOf(photo);
    showImage(image, url);
    this.#mark(tile, 'fate', what, fate, (mark) => { mark.lastChild.textContent = fateWords[what]; });
    this.#mark(tile, 'hearts', count > 0, hearts, (mark) => {
      mark.classList.toggle('mine', mine.length > 0);
      mark.lastChild.textContent = count;
    });
    this.#mark(tile, 'ring', share !== undefined, ring, (mark) =>
      mark.lastChild.setAttribute('stroke-dasharray', `${Math.max(share * 100, 4)} 100`));
  }

  #mark(tile, name, isShown, build, fill) {
    if (isShown && !tile[name]) tile.button.append(tile[name] = build());
    if (isShown) return fill(tile[name]);
    tile[name]?.remove();
    return delete tile[name];
  }

  #move(event) {
    const index = this.#photos.findIndex(({ id }) => id === this.#current);
    const box = this.#boxes[index];
    if (!box) return;
    const forward = getComputedStyle(this).direction === 'rtl' ? -1 : 1;
    const beside = (step) => {
      const middle = box.left + box.width / 2;
      let found = index;
      while (this.#boxes[found + step] && this.#boxes[found].top === box.top) found += step;
      const { top } = this.#boxes[found];
      for (let at = found; this.#boxes[at]?.top === top; at += step) {
        found = at;
        if (Math.abs(this.#boxes[at].left + this.#boxes[at].width / 2 - middle)
          <= this.#boxes[at].width / 2) break;
      }
      return found;
    };
    const to = {
      ArrowRight: () => index + forward, ArrowLeft: () => index - forward,
      ArrowDown: () => beside(1), ArrowUp: () => beside(-1),
      Home: () => 0, End: () => this.#photos.length - 1,
    }[event.key]?.();
    if (to === undefined || !this.#photos[to]) return;
    event.preventDefault();
    this.focusPhoto(this.#photos[to].id);
  }
}
customElements.define('photo-grid', PhotoGrid);
