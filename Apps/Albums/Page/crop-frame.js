// The picture under a crop: its frame, and the handles that pull it, by finger, mouse and keys.

import { moved, parts, resized } from './crop.js';
import { make } from '/reunion/elements.js';
import { editorWords } from './later-words.js';

const margin = 26;
const step = parts / 100;
const edges = ['left', 'top', 'right', 'bottom'];
const corners = ['top left', 'top right', 'bottom left', 'bottom right'];
const keys = {
  ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1],
};

/** `stage` is its element; `show(…)` draws a view, and `changed(rect)` hears of a new crop. */
export class CropFrame {
  #image; #changed; #view; #drag = null; #handles = new Map();
  #window = make('.window');
  #area = make('button.area', {
    type: 'button', ariaLabel: editorWords.crop,
    onkeydown: (event) => this.#key(event, 'area'),
  });
  #box = make('.box');
  stage = make('.stage', { dir: 'ltr' });

  constructor(image, changed) {
    this.#image = image;
    this.#changed = changed;
    const crop = make('.crop', {}, this.#area);
    for (const corner of corners) crop.append(this.#handle(corner, make('span.handle.corner')));
    for (const edge of edges) {
      crop.append(this.#handle(edge, make('span.handle.edge', {
        role: 'slider', tabIndex: 0, ariaLabel: editorWords.edges[edge],
        ariaOrientation: edge === 'left' || edge === 'right' ? 'horizontal' : 'vertical',
        onkeydown: (event) => this.#key(event, edge),
      })));
    }
    this.#area.dataset.pulls = 'area';
    this.#box.append(make('.picture', {}, image, this.#window), crop);
    this.stage.append(this.#box);
    crop.addEventListener('pointerdown', (event) => this.#grab(event));
    crop.addEventListener('pointermove', (event) => this.#pull(event));
    for (const end of ['pointerup', 'pointercancel']) {
      crop.addEventListener(end, () => this.#drop());
    }
  }

  #handle(name, element) {
    element.dataset.pulls = name;
    this.#handles.set(name, element);
    return element;
  }

  /** Draws `{rect, width, height, angle, ratio}`: the turned picture's size, and its angle so far. */
  show(view) {
    this.#view = view;
    const { rect, width, height, angle } = view;
    const { clientWidth, clientHeight } = this.stage;
    const scale = Math.max(0.001, Math.min(
      (clientWidth - 2 * margin) / width, (clientHeight - 2 * margin) / height));
    const [wide, high] = [Math.round(width * scale), Math.round(height * scale)];
    Object.assign(this.#box.style, { width: `${wide}px`, height: `${high}px` });
    const lies = angle / 90 % 2 !== 0;
    Object.assign(this.#image.style, {
      width: `${lies ? high : wide}px`, height: `${lies ? wide : high}px`, rotate: `${angle}deg`,
    });
    for (const edge of edges) {
      const share = rect[edge] / parts * 100;
      const inset = edge === 'right' || edge === 'bottom' ? 100 - share : share;
      this.#box.style.setProperty(`--${edge}`, `${inset}%`);
      const handle = this.#handles.get(edge);
      handle.setAttribute('aria-valuenow', Math.round(share));
      handle.setAttribute('aria-valuetext', editorWords.percent(share / 100));
    }
  }

  #grab(event) {
    const { pulls } = event.target.dataset;
    if (!pulls || !event.isPrimary || event.button > 0) return;
    event.target.setPointerCapture(event.pointerId);
    this.#drag = { pulls, x: event.clientX, y: event.clientY, rect: this.#view.rect };
    this.#box.classList.add('pulled');
  }

  #pull(event) {
    if (!this.#drag || !event.isPrimary) return;
    const { pulls, x, y, rect } = this.#drag;
    const { width, height } = this.#box.getBoundingClientRect();
    this.#change(rect, pulls, (event.clientX - x) / width * parts, (event.clientY - y) / height * parts);
  }

  #drop() {
    this.#drag = null;
    this.#box.classList.remove('pulled');
  }

  /** An arrow moves by a hundredth of the side, with Shift by a tenth. */
  #key(event, pulls) {
    const way = keys[event.key];
    if (!way || event.altKey || event.ctrlKey || event.metaKey) return;
    const by = event.shiftKey ? step * 10 : step;
    event.preventDefault();
    this.#change(this.#view.rect, pulls, way[0] * by, way[1] * by);
  }

  #change(rect, pulls, across, down) {
    this.#changed(pulls === 'area' ? moved(rect, across, down)
      : resized(rect, pulls, across, down, this.#view.ratio));
  }
}
