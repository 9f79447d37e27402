// Elements from code: text goes in as text nodes only.

const svgNamespace = 'http://www.w3.org/2000/svg';

/**
 * Makes an element: `make('button.quiet', {type: 'button', onclick}, 'Text', child)`. Functions
 * listen (`onclick`); properties that the element does not have become attributes; null and false
 * leave one away.
 */
export function make(selector, properties = {}, ...children) {
  const [tag, ...classes] = selector.split('.');
  const element = document.createElement(tag || 'div');
  if (classes.length) element.className = classes.join(' ');
  for (const [name, value] of Object.entries(properties)) {
    if (/^aria[A-Z]/.test(name)) element.setAttribute(`aria-${name.slice(4).toLowerCase()}`, value);
    else if (typeof value === 'function') element.addEventListener(name.slice(2), value);
    else if (name in element) element[name] = value;
    else if (value !== null && value !== false) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** Sets a text where it is another: what stays as it is costs no frame. */
export const say = (element, text) => {
  if (element.textContent !== text) element.textContent = text;
};

/** A drawing: `draw('0 0 24 24', 'icon', {path: {d}})`; it says nothing by itself. */
export function draw(viewBox, name, shapes) {
  const svg = document.createElementNS(svgNamespace, 'svg');
  const set = (element, attributes) => {
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    return element;
  };
  set(svg, { viewBox, class: name, 'aria-hidden': 'true' });
  for (const [shape, attributes] of shapes) {
    svg.append(set(document.createElementNS(svgNamespace, shape), attributes));
  }
  return svg;
}

const paths = {
  closer: 'M12 5v14M5 12h14',
  farther: 'M5 12h14',
  world: 'M12 3a9 9 0 1 0 0 18a9 9 0 1 0 0-18M3 12h18M12 3c5 5 5 13 0 18c-5-5-5-13 0-18',
  close: 'M6 6l12 12M18 6L6 18',
  search: 'M10.5 4a6.5 6.5 0 1 0 0 13a6.5 6.5 0 1 0 0-13M15.5 15.5L20 20',
  out: 'M13 5h6v6M19 5l-9 9M17 14v5H5V7h5',
};

export const icon = (name) => draw('0 0 24 24', 'icon', [['path', { d: paths[name] }]]);

/** A button that shows an icon and is called by its label. */
export const iconButton = (name, label, onclick, classes = '') =>
  make(`button.round${classes}`, { type: 'button', ariaLabel: label, title: label, onclick },
    icon(name));

/** The sign of a depth class, as the map draws it: a disc, a ring, a diamond. */
export const sign = (depth) => draw('0 0 24 24', `sign depth-${depth}`, [
  [['circle', { cx: 12, cy: 12, r: 9 }]], [['circle', { cx: 12, cy: 12, r: 7 }]],
  [['path', { d: 'M12 1.5L22.5 12L12 22.5L1.5 12z' }]],
][depth]);
