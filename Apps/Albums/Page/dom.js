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

const paths = {
  add: 'M12 5v14M5 12h14',
  back: 'M15 5l-7 7 7 7',
  next: 'M9 5l7 7-7 7',
  close: 'M6 6l12 12M18 6L6 18',
  code: 'M4 4h6v6H4zM14 4h6v6h-6zM4 14h6v6H4zM14 14h2v2h-2zM18 18h2v2h-2zM18 14h2M14 18v2',
  menu: 'M5 12h.01M12 12h.01M19 12h.01',
  edit: 'M4 20h4L19 9l-4-4L4 16z',
  crop: 'M7 2v15h15M2 7h15v15',
  undo: 'M9 14L4 9l5-5M4 9h9a6 6 0 0 1 0 12h-2',
  heart: 'M12 20S4 15 4 9a4.2 4.2 0 0 1 8-1.8A4.2 4.2 0 0 1 20 9c0 6-8 11-8 11z',
  trash: 'M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13',
  save: 'M12 4v11M7 11l5 5 5-5M5 20h14',
  picture: 'M4 5h16v14H4zM4 16l5-5 4 4 3-3 4 4M15 9h.01',
};

/** A line icon, by its name or its path; it says nothing by itself. */
export function icon(name) {
  const svg = document.createElementNS(svgNamespace, 'svg');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('aria-hidden', 'true');
  svg.setAttribute('class', 'icon');
  const path = document.createElementNS(svgNamespace, 'path');
  path.setAttribute('d', paths[name] ?? name);
  svg.append(path);
  return svg;
}

/** A ring of progress: `ring.share = 0.4`. */
export function ring() {
  const svg = document.createElementNS(svgNamespace, 'svg');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('aria-hidden', 'true');
  svg.setAttribute('class', 'ring');
  for (const part of ['track', 'done']) {
    const circle = document.createElementNS(svgNamespace, 'circle');
    const shape = { cx: 12, cy: 12, r: 9, pathLength: 100, class: part };
    for (const [name, value] of Object.entries(shape)) {
      circle.setAttribute(name, value);
    }
    svg.append(circle);
  }
  Object.defineProperty(svg, 'share', {
    set: (share) => {
      svg.lastChild.setAttribute('stroke-dasharray', `${Math.max(share * 100, 4)} 100`);
    },
  });
  return svg;
}

/** A button that shows an icon and is called by its label. */
export const iconButton = (name, label, onclick, classes = '') =>
  make(`button.round${classes}`, { type: 'button', ariaLabel: label, title: label, onclick },
    icon(name));
