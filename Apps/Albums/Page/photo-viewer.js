// One photo, large: over the album, with its caption, hearts and what may be done with it.

import { icon, iconButton, make } from '/reunion/elements.js';
import { notify } from '/kit/notices.js';
import * as icons from './icons.js';
import { viewerWords } from './later-words.js';
import { ratioOf } from './layout.js';
import {
  colorOf, fateOf, largeURL, originalURL, previewURL, renditionURL, showImage,
} from './pictures.js';
import { captionsOf, recordsOf } from './stacks.js';
import { altOf, buttons, dateOf, fateWords, notLoaded } from './words.js';

const swipe = 60;
const draft = 'reunion-draft';

const linkTo = (label, path) =>
  make('a.round', { ariaLabel: label, title: label }, icon(path));

/** `<photo-viewer>`: has `store` and `photos()`; `open(id)` it; it sends `closed`, `deleted`. */
export class PhotoViewer extends HTMLElement {
  #id = null; #index = 0; #drag = null; #removed = null;
  #small = make('img.small', { alt: '', draggable: false });
  #large = make('img.large', { draggable: false });
  #wait = make('p');
  #frame = make('.frame', {}, this.#small, this.#large, this.#wait);
  #caption = make('textarea.caption', {
    rows: 1, maxLength: 500, dir: 'auto', ariaLabel: viewerWords.caption,
    placeholder: viewerWords.addCaption, enterKeyHint: 'done', onblur: () => this.#save(),
    onkeydown: (event) => {
      if (event.key !== 'Enter' || event.isComposing) return;
      event.preventDefault();
      // A window without the focus tells of no blur.
      if (document.hasFocus()) this.#caption.blur();
      else this.#save();
    },
  });
  #text = make('p.caption', { dir: 'auto' });
  #fate = make('p.by');
  #author = make('bdi');
  #date = make('time');
  #count = make('span.count');
  #heart = make('button.round.heart', { type: 'button', onclick: () => this.#toggle() },
    icon(icons.heart), this.#count);
  #delete = iconButton(icons.trash, viewerWords.delete, () => this.#remove());
  #giveUp = iconButton(icons.trash, buttons.remove, () => this.store.uploads.giveUp(this.#id));
  #edit = iconButton(icons.crop, buttons.crop, () => this.#openEditor());
  #revert = iconButton(icons.undo, viewerWords.revert, () => this.#write(null));
  #download = linkTo(viewerWords.download, icons.save);
  #original = linkTo(viewerWords.original, icons.picture);
  #back = iconButton(icons.back, viewerWords.newer, () => this.#step(-1), '.back');
  #next = iconButton(icons.next, viewerWords.older, () => this.#step(1), '.next');
  #dialog = make('dialog.viewer', {
    ariaLabel: viewerWords.photo,
    onclose: () => this.#closed(),
  }, this.#frame, iconButton(icons.close, buttons.close, () => this.#dialog.close(), '.close'),
  this.#back, this.#next,
  make('.about', {},
    make('.words', {}, this.#caption, this.#text, this.#fate,
      make('p.by', {}, this.#author, ' · ', this.#date)),
    make('.acts', {}, this.#heart, this.#edit, this.#revert, this.#download,
      this.#original, this.#delete, this.#giveUp)));

  connectedCallback() {
    this.append(this.#dialog);
    this.#frame.addEventListener('pointerdown', (event) => this.#grab(event));
    this.#frame.addEventListener('pointermove', (event) => this.#pull(event));
    this.#frame.addEventListener('pointerup', () => this.#drop());
    this.#frame.addEventListener('pointercancel', () => this.#drop());
    addEventListener('popstate', () => history.state?.photo || this.#dialog.close());
    addEventListener('keydown', (event) => this.isOpen && this.#key(event));
    for (const name of ['pagehide', 'visibilitychange']) addEventListener(name, () => this.#keep());
    this.#takeUp();
  }

  get isOpen() { return this.#dialog.open; }

  /** Shows a photo; a phone's "back" closes it again. */
  open(id) {
    this.#id = id;
    if (!this.isOpen) {
      history.pushState({ photo: true }, '');
      this.#dialog.showModal();
      document.documentElement.classList.add('still');
    }
    this.update();
  }

  /** Derives everything from the store; a photo that went away makes room for the next. */
  update() {
    if (!this.isOpen) return;
    const photos = this.photos();
    const isIt = ({ id }) => id === this.#id;
    let index = photos.findIndex((each) => recordsOf(each).some(isIt));
    if (index < 0) {
      index = Math.min(this.#index, photos.length - 1);
      if (index < 0) return this.#dialog.close();
    }
    this.#id = photos[index].id;
    this.#index = index;
    const photo = photos[index];
    const { store } = this;
    const author = store.author(photo);
    this.#frame.style.setProperty('--ratio', ratioOf(photo));
    this.#small.style.backgroundColor = colorOf(photo);
    this.#large.alt = altOf(photo, author);
    const small = previewURL(photo, store.uploads);
    const fate = fateOf(photo);
    showImage(this.#small, small);
    showImage(this.#large, largeURL(photo));
    const canEdit = store.canEdit(photo);
    this.#caption.hidden = !canEdit;
    // By its record: others may add the same picture while somebody writes.
    const own = store.writtenOf(photo, 'caption');
    if (document.activeElement !== this.#caption || this.#caption.photo !== own.id) {
      this.#caption.value = own.caption ?? '';
      this.#caption.photo = own.id;
    }
    // What others say of the same picture stands beside what one may write.
    const others = () => recordsOf(photo).filter(({ caption }) => caption !== own.caption);
    const text = canEdit ? captionsOf(others()) : photo.caption;
    this.#text.hidden = !text;
    this.#text.textContent = text ?? '';
    this.#fate.hidden = !fate || !small;
    this.#fate.textContent = fateWords[fate];
    this.#author.textContent = author;
    this.#date.textContent = dateOf(photo.takenAt ?? photo.at ?? Date.now());
    const { count, mine } = store.hearts(photo);
    this.#heart.hidden = photo.isArriving || !store.canAdd;
    this.#heart.setAttribute('aria-label', viewerWords.heart(count, mine.length > 0));
    this.#heart.setAttribute('aria-pressed', mine.length > 0);
    this.#count.textContent = count || '';
    this.#giveUp.hidden = !photo.isArriving;
    this.#wait.hidden = !photo.isArriving && (!fate || !!small);
    this.#wait.textContent = fateWords[fate] ?? viewerWords.arriving;
    this.#delete.hidden = !canEdit;
    this.#edit.hidden = !canEdit || !!fate;
    this.#revert.hidden = !canEdit || !!fate || !store.writtenOf(photo, 'edit').edit;
    const isOwn = fate && (store.isHost || store.isMine(photo));
    this.#download.hidden = !photo.storedAt || (fate && !isOwn);
    this.#original.hidden = !photo.storedAt || !store.isHost || !photo.edit || !!fate;
    if (photo.storedAt) {
      const name = photo.fileName || 'photo';
      const asTaken = isOwn || (store.isHost && !photo.edit);
      this.#original.href = originalURL(photo);
      this.#original.download = name;
      this.#download.href = isOwn ? `${originalURL(photo)}?name=${encodeURIComponent(name)}`
        : asTaken ? originalURL(photo)
        : renditionURL(photo, store.isHost ? 'full' : 2048);
      this.#download.download = asTaken ? name : name.replace(/(\.\w+)?$/, '.jpg');
    }
    this.#back.disabled = index === 0;
    this.#next.disabled = index === photos.length - 1;
    for (const near of [photos[index + 1], photos[index - 1]]) {
      if (near && largeURL(near)) new Image().src = largeURL(near);
    }
    return undefined;
  }

  get #photo() { return this.store.photo(this.#id); }

  #step(by) {
    const photo = this.photos()[this.#index + by];
    if (!photo) return;
    this.#caption.blur();
    this.#id = photo.id;
    this.update();
  }

  #key(event) {
    if (event.target === this.#caption) return;
    const forward = getComputedStyle(this).direction === 'rtl' ? -1 : 1;
    const by = { ArrowRight: forward, ArrowLeft: -forward }[event.key];
    if (!by) return;
    event.preventDefault();
    this.#step(by);
  }

  /** Half a caption outlives its page: a database would be too late. */
  #keep() {
    if (document.activeElement !== this.#caption) return;
    const { photo, value } = this.#caption;
    localStorage.setItem(draft, JSON.stringify([photo, this.#captionOf(this.#photo), value.trim()]));
  }

  #takeUp() {
    const [id, before, caption] = JSON.parse(localStorage.getItem(draft)) ?? [];
    localStorage.removeItem(draft);
    const photo = this.store.photo(id);
    if (photo && this.#captionOf(photo) === (before || null)) this.store.setCaption(photo, caption);
  }

  /** What this person wrote, or changes. */
  #captionOf(photo) { return (photo && this.store.writtenOf(photo, 'caption').caption) || null; }

  #save() {
    localStorage.removeItem(draft);
    const photo = this.store.photo(this.#caption.photo);
    const caption = this.#caption.value.trim();
    if (photo && caption !== (this.#captionOf(photo) ?? '')) this.store.setCaption(photo, caption);
  }

  #toggle() { this.store.toggleHeart(this.#photo); }

  #openEditor() {
    const photo = this.#photo;
    import('./photo-editor.js').then(({ openEditor }) => openEditor({
      store: this.store, photo, done: (edit) => this.#write(edit, photo),
    })).catch(() => notify(notLoaded));
  }

  /** Writes an edit, with a way back. */
  #write(edit, photo = this.#photo) {
    const before = this.store.writtenOf(photo, 'edit').edit;
    this.store.setEdit(photo, edit);
    notify(viewerWords.edited(edit),
      { label: buttons.undo, act: () => this.store.setEdit(photo, before) });
  }

  #remove() {
    const photo = this.#photo;
    // The second of two quick taps: it has not gone yet.
    if (photo === this.#removed) return;
    this.#removed = photo;
    this.dispatchEvent(new CustomEvent('deleted', { detail: this.store.delete(photo) }));
  }

  #closed() {
    document.documentElement.classList.remove('still');
    if (history.state?.photo) history.back();
    this.dispatchEvent(new CustomEvent('closed', { detail: this.#id }));
  }

  #grab(event) {
    if (!event.isPrimary || event.pointerType === 'mouse') return;
    this.#drag = { x: event.clientX, y: event.clientY, by: 0, down: 0 };
  }

  #pull({ clientX, clientY, isPrimary }) {
    if (!this.#drag || !isPrimary) return;
    this.#drag.by = clientX - this.#drag.x;
    this.#drag.down = clientY - this.#drag.y;
    this.#frame.style.translate = `${this.#drag.by}px ${Math.max(0, this.#drag.down / 2)}px`;
  }

  #drop() {
    const drag = this.#drag;
    this.#drag = null;
    this.#frame.style.translate = '';
    if (!drag) return;
    const forward = getComputedStyle(this).direction === 'rtl' ? -1 : 1;
    if (Math.abs(drag.by) > swipe && Math.abs(drag.by) > Math.abs(drag.down)) {
      this.#step(-Math.sign(drag.by) * forward);
    } else if (drag.down > swipe * 2) this.#dialog.close();
  }
}
customElements.define('photo-viewer', PhotoViewer);
