// The editor of a photo: a crop with handles, quarter turns, and shapes to choose from. It is loaded
// when somebody edits.

import { iconButton, make, say } from '/reunion/elements.js';
import { hex } from '/reunion/core/flat.js';
import { CropFrame } from './crop-frame.js';
import { editOf, fitted, heightOf, parts, turned, viewOf, whole, widthOf } from './crop.js';
import { drawEdit } from './edit-drawing.js';
import { editorWords } from './later-words.js';
import { largeURL, previewURL } from './pictures.js';
import { buttons } from './words.js';

const spokenAfter = 500;
// A picture, and an arrow around its corner.
const turnLeft = 'M10 12h11v9H10zM19 4h-8a7 7 0 0 0-7 7v4M1 12l3 3 3-3';
const turnRight = 'M3 12h11v9H3zM5 4h8a7 7 0 0 1 7 7v4M17 12l3 3 3-3';
// Width over height of a picture that lies; one that stands has them the other way around.
const { free, original, square } = editorWords.shapes;
const shapes = [[free, 0], [original, null], [square, 1], ['4:3', 4 / 3], ['3:2', 3 / 2],
  ['16:9', 16 / 9]];

let style;
/** The editor's own styles, once they are there. */
function styles() {
  style ??= new Promise((resolve, reject) => {
    document.head.append(make('link', {
      rel: 'stylesheet', href: '/photo-editor.css', onload: resolve, onerror: reject,
    }));
  });
  style.catch(() => { style = undefined; });
  return style;
}

/** Opens the editor over a photo; `done` gets the bytes of the new edit, null for none. */
export async function openEditor({ store, photo, done }) {
  await styles();
  const editor = new Editor(store, photo, done);
  editor.open();
}

class Editor {
  #store; #photo; #done; #view; #shape = 0; #angle; #speaking = 0; #before;
  #image = make('img', { alt: '', draggable: false });
  #frame; #chips; #dialog;
  #sizes = new ResizeObserver(() => this.#layOut());
  #back = () => this.#dialog.close();
  #size = make('p.measure', { ariaHidden: 'true' });
  #spoken = make('p.unseen', { role: 'status' });
  #reset = make('button.text', { type: 'button', onclick: () => this.#show(whole, 0, 0) }, editorWords.reset);
  #finish = make('button.primary', { type: 'button', onclick: () => this.#save() }, editorWords.done);

  constructor(store, photo, done) {
    this.#store = store;
    this.#photo = photo;
    this.#done = done;
    // An edit of a newer page is none here.
    this.#view = viewOf(photo.shown && photo.edit);
    this.#angle = this.#view.turns * 90;
    this.#frame = new CropFrame(this.#image, (rect) => this.#show(rect));
    this.#chips = shapes.map((_, index) => make('button.chip', {
      type: 'button', onclick: () => this.#choose(index),
    }));
    this.#dialog = make('dialog.editor', {
      ariaLabel: buttons.crop,
      // The album behind it has keys of its own.
      onkeydown: (event) => event.stopPropagation(),
      onclose: () => this.#closed(),
    }, make('header', {}, this.#size, this.#reset), this.#frame.stage, this.#spoken,
    make('.tools', {},
      make('.chips', { role: 'group', ariaLabel: editorWords.shape }, ...this.#chips),
      make('button.quiet', { type: 'button', onclick: () => this.#dialog.close() }, editorWords.cancel),
      make('.turns', { dir: 'ltr' },
        iconButton(turnLeft, editorWords.turnLeft, () => this.#turn(-1)),
        iconButton(turnRight, editorWords.turnRight, () => this.#turn(1))),
      this.#finish));
  }

  open() {
    this.#before = document.activeElement;
    history.pushState({ photo: true, editor: true }, '');
    this.#image.onload = () => this.#layOut();
    const plain = { ...this.#photo, shown: null };
    this.#image.src = previewURL(plain, this.#store.uploads) ?? largeURL(plain);
    const large = largeURL(plain);
    if (large) {
      const image = new Image();
      image.onload = () => { this.#image.src = large; };
      image.src = large;
    }
    document.body.append(this.#dialog);
    this.#dialog.showModal();
    this.#sizes.observe(this.#frame.stage);
    addEventListener('popstate', this.#back);
    this.#layOut();
  }

  /** The upright picture's size, turned as it is drawn. */
  get #turnedSize() {
    const { width, height } = this.#store.replica.get('photo', this.#photo.id) ?? this.#photo;
    const size = [Number(width) || this.#image.naturalWidth || 4,
      Number(height) || this.#image.naturalHeight || 3];
    return this.#view.turns % 2 ? size.reverse() : size;
  }

  /** The chosen shape as a ratio in parts of the sides, or 0 for any. */
  get #ratio() {
    const [width, height] = this.#turnedSize;
    const shape = shapes[this.#shape][1];
    if (shape === 0) return 0;
    const wanted = shape === null ? width / height : width < height ? 1 / shape : shape;
    return wanted * height / width;
  }

  #choose(index) {
    this.#shape = index;
    this.#chips[index].scrollIntoView({ block: 'nearest', inline: 'nearest' });
    this.#show(this.#ratio ? fitted(this.#view.rect, this.#ratio) : this.#view.rect);
  }

  #turn(by) {
    let { rect } = this.#view;
    for (let count = by < 0 ? 3 : 1; count > 0; count--) rect = turned(rect);
    this.#angle += by * 90;
    this.#view = { rect, turns: (this.#view.turns + by + 4) % 4 };
    // A shape turns with the picture, but not with one that is square.
    const ratio = this.#ratio;
    const isOther = ratio && Math.abs(widthOf(rect) / heightOf(rect) / ratio - 1) > 0.02;
    this.#show(isOther ? fitted(rect, ratio) : rect);
  }

  #show(rect, turns = this.#view.turns, shape = this.#shape) {
    if (turns === 0 && this.#view.turns !== 0 && rect === whole) this.#angle = 0;
    this.#view = { rect, turns };
    this.#shape = shape;
    this.#layOut();
  }

  #layOut() {
    const [width, height] = this.#turnedSize;
    this.#frame.show({ ...this.#view, width, height, angle: this.#angle, ratio: this.#ratio });
    const edit = editOf(this.#view);
    const upright = this.#view.turns % 2 ? [height, width] : [width, height];
    const plan = this.#store.replica.core.plan(...upright, 0, edit ?? undefined);
    say(this.#size, editorWords.size(plan));
    this.#reset.disabled = !edit && !this.#shape;
    this.#chips.forEach((chip, index) => {
      chip.setAttribute('aria-pressed', index === this.#shape);
      const [name] = shapes[index];
      say(chip, width < height ? name.split(':').reverse().join(':') : name);
    });
    clearTimeout(this.#speaking);
    const { left, top } = this.#view.rect;
    this.#speaking = setTimeout(() => say(this.#spoken,
      editorWords.sizeAndPlace(plan, left / parts, top / parts)), spokenAfter);
  }

  async #save() {
    const edit = editOf(this.#view);
    const before = this.#photo.edit;
    const isSame = (edit ? hex(edit) : '') === (before ? hex(before) : '');
    // Deleted by somebody meanwhile: an edit would bring it back.
    const writes = !isSame && this.#store.photo(this.#photo.id);
    if (writes && edit) await drawEdit(this.#store, this.#photo, edit, this.#image);
    this.#dialog.close();
    if (writes) this.#done(edit);
  }

  #closed() {
    clearTimeout(this.#speaking);
    this.#sizes.disconnect();
    removeEventListener('popstate', this.#back);
    if (history.state?.editor) history.back();
    this.#dialog.remove();
    this.#before?.focus?.();
  }
}
