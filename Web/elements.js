// Elements from code: text goes in as text nodes only.

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

/** Puts rows into a list, which stays untouched where they stand so; the focus stays in the row that has it. */
export function arrange(list, rows) {
  const { children } = list;
  if (rows.length === children.length && rows.every((row, at) => children[at] === row)) return;
  const focused = document.activeElement;
  list.replaceChildren(...rows);
  if (list.contains(focused)) focused.focus();
}

/**
 * Fills a list with `rows()` where what they show is another: a button that somebody is about to press stays where it
 * is. The focus goes to the button of the same words as the one that had it, where there is just one.
 */
export function fill(list, shown, rows) {
  const key = JSON.stringify(shown);
  if (list.shown === key) return;
  list.shown = key;
  const words = list.contains(document.activeElement) && document.activeElement.textContent;
  list.replaceChildren(...rows());
  const same = words ? [...list.querySelectorAll('button')].filter(({ textContent }) => textContent === words) : [];
  if (same.length === 1) same[0].focus();
}

/**
 * Draws on 24 by 24 units: `draw('ring', ['circle', {cx: 12, cy: 12, r: 9}])`. It says nothing by
 * itself.
 */
export function draw(name, ...shapes) {
  const svg = (tag, attributes, ...children) => {
    const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...children);
    return element;
  };
  return svg('svg', { viewBox: '0 0 24 24', class: name, 'aria-hidden': 'true' },
    ...shapes.map((shape) => svg(...shape)));
}

/** A line icon of one path, such as `'M6 6l12 12M18 6L6 18'`. */
export const icon = (d) => draw('icon', ['path', { d }]);

/** A button that shows an icon and is called by its label. */
export const iconButton = (d, label, onclick, classes = '') =>
  make(`button.round${classes}`, { type: 'button', ariaLabel: label, title: label, onclick },
    icon(d));
