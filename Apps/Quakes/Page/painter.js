// Paints the map on a canvas: sea, land, lines of latitude and longitude, dots.

import { clamped, copies, depthClass, pixelOf, project, radiusOf, unpacked, worldHeight }
  from './geometry.js';

const fade = [[3600, 1], [86_400, 0.85], [7 * 86_400, 0.6], [Infinity, 0.4]];
const seams = 179.9;
const overlap = 0.002;
// A diamond reaches farther than a disc of the same area; the light edge sets dots apart.
const diamond = 1.15;
const edge = 1.25;

/** What a dot needs to be drawn and found: a quake's point of the world, radius and class. */
export const dotOf = (quake) => ({
  quake, ...project(quake.longitude, quake.latitude), radius: radiusOf(quake.magnitude),
  depth: depthClass(quake.depth),
});

/** Land to fill, and its edges to stroke: those along the 180th meridian are none. */
function landPaths(outlines) {
  const [fill, edges] = [new Path2D(), new Path2D()];
  for (const ring of unpacked(outlines)) {
    let before = ring.at(-1);
    let start = true;
    for (const point of ring) {
      const { x, y } = project(...point);
      const from = project(...before);
      // Beyond the seam by a hair: no line shows where two copies of the world meet.
      const beyond = Math.abs(point[0]) > seams ? x + Math.sign(point[0]) * overlap : x;
      if (start) fill.moveTo(beyond, y);
      else fill.lineTo(beyond, y);
      start = false;
      const isSeam = (Math.abs(point[0]) > seams && Math.abs(before[0]) > seams) || point[1] < -89;
      if (!isSeam) {
        edges.moveTo(from.x, from.y);
        edges.lineTo(x, y);
      }
      before = point;
    }
    fill.closePath();
  }
  return { fill, edges };
}

function gridPath() {
  const path = new Path2D();
  for (let longitude = -180; longitude < 180; longitude += 30) {
    const { x } = project(longitude, 0);
    path.moveTo(x, 0);
    path.lineTo(x, worldHeight);
  }
  for (let latitude = -60; latitude <= 60; latitude += 30) {
    const { y } = project(0, latitude);
    path.moveTo(0, y);
    path.lineTo(1, y);
  }
  return path;
}

export class Painter {
  #canvas; #context; #land = null; #grid; #colors = {}; #sprites = new Map();

  constructor(canvas) {
    this.#canvas = canvas;
    this.#context = canvas.getContext('2d', { alpha: false });
    this.#grid = gridPath();
    this.readColors();
  }

  /** Takes the outlines of land; until then all is sea. */
  takeLand(outlines) { this.#land = landPaths(outlines); }

  /** Takes the colours from the style sheet, anew where light and dark change. */
  readColors() {
    this.#sprites.clear();
    const style = getComputedStyle(this.#canvas);
    for (const name of ['sea', 'land', 'coast', 'grid', 'edge', 'depth-0', 'depth-1', 'depth-2']) {
      this.#colors[name] = style.getPropertyValue(`--${name}`).trim();
    }
  }

  /** Paints a view with dots, the last of them on top. */
  paint(view, frame, dots, now = Date.now()) {
    const ratio = devicePixelRatio || 1;
    const [width, height] = [Math.round(frame.width * ratio), Math.round(frame.height * ratio)];
    if (this.#canvas.width !== width) this.#canvas.width = width;
    if (this.#canvas.height !== height) this.#canvas.height = height;
    const context = this.#context;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.globalAlpha = 1;
    context.fillStyle = this.#colors.sea;
    context.fillRect(0, 0, frame.width, frame.height);
    for (const copy of copies(view, frame)) this.#paintWorld(copy, view, frame, ratio);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    for (const dot of dots) this.#paintDot(dot, view, frame, now, ratio);
    context.globalAlpha = 1;
  }

  #paintWorld(copy, view, frame, ratio) {
    const context = this.#context;
    const { scale } = clamped(view, frame);
    context.setTransform(ratio * scale, 0, 0, ratio * scale,
      ratio * ((copy - view.x) * scale + frame.width / 2),
      ratio * (frame.height / 2 - view.y * scale));
    context.lineJoin = 'round';
    context.lineWidth = 1 / scale;
    context.strokeStyle = this.#colors.grid;
    context.stroke(this.#grid);
    if (!this.#land) return;
    context.fillStyle = this.#colors.land;
    context.fill(this.#land.fill);
    context.lineWidth = 0.75 / scale;
    context.strokeStyle = this.#colors.coast;
    context.stroke(this.#land.edges);
  }

  #paintDot(dot, view, frame, now, ratio) {
    const { left, top } = pixelOf(dot, view, frame);
    const { radius, depth } = dot;
    const margin = radius * diamond + edge;
    if (top < -margin || top > frame.height + margin) return;
    this.#context.globalAlpha = fade.find(([age]) => now - dot.quake.at < age * 1000)[1];
    // The copy of the world that is nearest shows it; a dot at the rim is seen on both sides.
    for (const at of [left - view.scale, left, left + view.scale]) {
      if (at < -margin || at > frame.width + margin) continue;
      const sprite = this.#sprite(radius, depth, ratio);
      const side = sprite.width / ratio;
      this.#context.drawImage(sprite, at - side / 2, top - side / 2, side, side);
    }
  }

  /** A dot, drawn once for all of its size and depth: thousands of paths a frame would be slow. */
  #sprite(radius, depth, ratio) {
    const key = `${radius} ${depth} ${ratio}`;
    let sprite = this.#sprites.get(key);
    if (sprite) return sprite;
    sprite = document.createElement('canvas');
    const side = Math.ceil((radius * diamond + edge) * ratio) * 2;
    Object.assign(sprite, { width: side, height: side });
    const context = sprite.getContext('2d');
    context.setTransform(ratio, 0, 0, ratio, side / 2, side / 2);
    this.#shape(context, radius, depth);
    this.#sprites.set(key, sprite);
    return sprite;
  }

  #shape(context, radius, depth) {
    context.beginPath();
    if (depth === 2) {
      const reach = radius * diamond;
      context.moveTo(0, -reach);
      context.lineTo(reach, 0);
      context.lineTo(0, reach);
      context.lineTo(-reach, 0);
      context.closePath();
    } else {
      context.arc(0, 0, radius, 0, 2 * Math.PI);
    }
    context.lineWidth = edge;
    context.strokeStyle = this.#colors.edge;
    context.fillStyle = this.#colors[`depth-${depth}`];
    if (depth === 1) {
      const hole = radius * 0.45;
      context.moveTo(hole, 0);
      context.arc(0, 0, hole, 0, 2 * Math.PI, true);
    }
    context.fill();
    context.stroke();
  }
}
