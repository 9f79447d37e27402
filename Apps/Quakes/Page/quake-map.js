// The live map: paints, moves by touch, wheel and keyboard, and says which dot is meant.

import { make } from '/reunion/elements.js';
import { clamped, dotAt, fillingScale, moved, pixelOf, project, zoomed } from './geometry.js';
import { Painter, dotOf } from './painter.js';
import { pageWords } from './words.js';

const home = project(160, 12);
const tapPixels = 8;
const stepPixels = 60;
const stepFactor = 1.6;
const closeUp = 3;
const flightMilliseconds = 350;
const pulseMilliseconds = 3200;
const stillness = matchMedia('(prefers-reduced-motion: reduce)');

/** `<quake-map>`: sends `choose` with the quake that was meant, or with null. */
export class QuakeMap extends HTMLElement {
  /** What is drawn, the newest last: for tests, as `view` and `frame` are. */
  dots = [];
  view = { ...home, scale: 1 };
  frame = { width: 0, height: 0 };

  #canvas = make('canvas', { ariaHidden: 'true' });
  #marks = make('.marks', { ariaHidden: 'true' });
  #chosen = make('.chosen', { hidden: true });
  #painter; #isDue = false; #chosenID = null; #pulses = []; #pointers = new Map(); #drag = null;

  connectedCallback() {
    this.tabIndex = 0;
    this.setAttribute('role', 'application');
    this.setAttribute('aria-roledescription', pageWords.mapRole);
    this.#marks.append(make('.cross'), this.#chosen);
    this.append(this.#canvas, this.#marks);
    this.#painter = new Painter(this.#canvas);
    this.#bringLand();
    new ResizeObserver(() => this.#resize()).observe(this);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
      this.#painter.readColors();
      this.redraw();
    });
    this.addEventListener('wheel', (event) => this.#wheel(event), { passive: false });
    this.addEventListener('keydown', (event) => this.#key(event));
    this.addEventListener('dblclick', (event) => this.#zoomAt(event, 2));
    this.addEventListener('pointerdown', (event) => this.#down(event));
    this.addEventListener('pointermove', (event) => this.#move(event));
    for (const name of ['pointerup', 'pointercancel']) {
      this.addEventListener(name, (event) => this.#up(event));
    }
  }

  /** Land comes once the page is there: its outlines would be a fifth of a first visit. */
  async #bringLand() {
    try {
      const { outlines } = await import('./land.js');
      this.#painter.takeLand(outlines);
      this.redraw();
    } catch (error) {
      console.warn(error);
      addEventListener('online', () => this.#bringLand(), { once: true });
    }
  }

  /** Shows these quakes, the oldest first. */
  show(quakes) {
    this.dots = quakes.map(dotOf);
    this.setAttribute('aria-label', pageWords.mapOf(quakes.length));
    this.redraw();
  }

  /** Marks a quake (or none), and moves to where it is seen. */
  choose(quake, { flies = true } = {}) {
    this.#chosenID = quake?.id ?? null;
    if (quake && flies) this.#flyTo(dotOf(quake));
    this.redraw();
  }

  /** A ring that spreads from a quake that has just come; where motion is reduced, a still one. */
  pulse(quake) {
    const mark = make(`.pulse.depth-${dotOf(quake).depth}`);
    const pulse = { dot: dotOf(quake), mark };
    this.#pulses.push(pulse);
    this.#marks.append(mark);
    this.redraw();
    setTimeout(() => {
      mark.remove();
      this.#pulses = this.#pulses.filter((other) => other !== pulse);
    }, pulseMilliseconds);
  }

  zoom(factor) { this.#set(zoomed(this.view, this.frame, factor)); }
  showWorld() { this.#set(clamped({ ...home, scale: 0 }, this.frame)); }

  redraw() {
    if (this.#isDue) return;
    this.#isDue = true;
    requestAnimationFrame(() => {
      this.#isDue = false;
      this.#draw();
    });
  }

  #draw() {
    if (!this.frame.width) return;
    this.#painter.paint(this.view, this.frame, this.dots);
    const chosen = this.dots.find(({ quake }) => quake.id === this.#chosenID);
    this.#chosen.hidden = !chosen;
    if (chosen) this.#place(this.#chosen, chosen, 4);
    for (const { dot, mark } of this.#pulses) this.#place(mark, dot, 0);
  }

  #place(mark, dot, margin) {
    const { left, top } = pixelOf(dot, this.view, this.frame);
    const size = 2 * (dot.radius + margin);
    Object.assign(mark.style, {
      left: `${left - size / 2}px`, top: `${top - size / 2}px`, width: `${size}px`, height: `${size}px`,
    });
  }

  #resize() {
    const [{ width: before }, { width, height }] = [this.frame, this.getBoundingClientRect()];
    this.frame = { width, height };
    if (!width || !height) return;
    if (before) this.#set(this.view);
    else this.showWorld();
  }

  #set(view) {
    this.view = clamped(view, this.frame);
    this.redraw();
  }

  #flyTo(dot) {
    if (!this.frame.width) return;
    const scale = Math.max(this.view.scale, fillingScale(this.frame) * closeUp);
    const goal = clamped({ x: dot.x, y: dot.y, scale }, this.frame);
    if (stillness.matches) return this.#set(goal);
    const from = this.view;
    const right = goal.x - from.x - Math.round(goal.x - from.x);
    const began = performance.now();
    const flight = this.#drag = {};
    const step = () => {
      if (this.#drag !== flight) return;
      const share = Math.min((performance.now() - began) / flightMilliseconds, 1);
      const eased = 1 - (1 - share) ** 3;
      this.#set({
        x: from.x + right * eased, y: from.y + (goal.y - from.y) * eased,
        scale: from.scale * (goal.scale / from.scale) ** eased,
      });
      if (share < 1) requestAnimationFrame(step);
      else this.#drag = null;
    };
    step();
  }

  #tell(quake) { this.dispatchEvent(new CustomEvent('choose', { detail: quake })); }

  #pixel({ clientX, clientY }) {
    const { left, top } = this.getBoundingClientRect();
    return { left: clientX - left, top: clientY - top };
  }

  #zoomAt(event, factor) {
    const { left, top } = this.#pixel(event);
    this.#drag = null;
    this.#set(zoomed(this.view, this.frame, factor, left, top));
  }

  #wheel(event) {
    event.preventDefault();
    const lines = [1, 16, 100][event.deltaMode];
    this.#zoomAt(event, Math.exp(-event.deltaY * lines * (event.ctrlKey ? 0.01 : 0.002)));
  }

  #key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const steps = {
      ArrowLeft: [stepPixels, 0], ArrowRight: [-stepPixels, 0], ArrowUp: [0, stepPixels],
      ArrowDown: [0, -stepPixels],
    };
    const { width, height } = this.frame;
    if (steps[event.key]) this.#set(moved(this.view, this.frame, ...steps[event.key]));
    else if (['+', '='].includes(event.key)) this.zoom(stepFactor);
    else if (['-', '_'].includes(event.key)) this.zoom(1 / stepFactor);
    else if (['0', 'Home'].includes(event.key)) this.showWorld();
    else if (event.key === 'Escape') this.#tell(null);
    else if (event.key === 'Enter') {
      const near = dotAt(this.dots, this.view, this.frame, width / 2, height / 2, Infinity);
      if (near) this.#tell(near.quake);
    } else return;
    event.preventDefault();
  }

  #down(event) {
    if (event.button > 0) return;
    this.setPointerCapture(event.pointerId);
    this.#pointers.set(event.pointerId, this.#pixel(event));
    this.#drag = { ...this.#fingers(), far: this.#pointers.size > 1 ? Infinity : 0 };
  }

  /** The middle of the fingers, and how far apart two are. */
  #fingers() {
    const [one, other = one] = this.#pointers.values();
    return {
      left: (one.left + other.left) / 2, top: (one.top + other.top) / 2,
      spread: Math.hypot(one.left - other.left, one.top - other.top),
    };
  }

  #move(event) {
    const before = this.#drag;
    if (!before || !this.#pointers.has(event.pointerId)) return;
    this.#pointers.set(event.pointerId, this.#pixel(event));
    const now = this.#fingers();
    const far = before.far + Math.hypot(now.left - before.left, now.top - before.top);
    this.#drag = { ...now, far };
    // A finger is never quite still: what stays near is a tap.
    if (far < tapPixels) return;
    let view = moved(this.view, this.frame, now.left - before.left, now.top - before.top);
    if (before.spread && now.spread) {
      view = zoomed(view, this.frame, now.spread / before.spread, now.left, now.top);
    }
    this.#set(view);
  }

  #up(event) {
    if (!this.#pointers.delete(event.pointerId)) return;
    const { far } = this.#drag ?? { far: Infinity };
    if (this.#pointers.size) {
      this.#drag = { ...this.#fingers(), far: Infinity };
      return;
    }
    this.#drag = null;
    if (event.type !== 'pointerup' || far >= tapPixels) return;
    const { left, top } = this.#pixel(event);
    this.#tell(dotAt(this.dots, this.view, this.frame, left, top)?.quake ?? null);
  }
}
customElements.define('quake-map', QuakeMap);
