// Drawers, and what stands in them.

import { iconButton, make } from '/reunion/elements.js';
import { frameWords } from './frame-words.js';

const close = 'M6 6l12 12M18 6L6 18';

/** Opens a drawer with a heading; the focus returns to where it was when it closes. */
export function openSheet(heading, ...content) {
  const before = document.activeElement;
  const dialog = make('dialog.sheet', {
    ariaLabel: heading,
    onclick: (event) => event.target === dialog && dialog.close(),
    onclose: () => {
      dialog.remove();
      before?.focus?.();
    },
  }, make('.inside', {},
    make('header', {}, make('h2', {}, heading), iconButton(close, frameWords.close, () => dialog.close())),
    ...content));
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

/** A link as text, with a button that copies it; the clipboard API is not there on plain HTTP. */
export function linkRow(url, label) {
  const input = make('input', { readOnly: true, value: url, ariaLabel: label, dir: 'ltr' });
  const button = make('button.quiet', {
    type: 'button',
    onclick: async () => {
      input.select();
      try {
        await navigator.clipboard.writeText(url);
      } catch {
        document.execCommand('copy');
      }
      button.textContent = frameWords.copied;
    },
  }, frameWords.copy);
  return make('.link', {}, input, button);
}

/** The QR code as an image: an SVG in an image runs nothing. */
export const codeImage = (svg) => make('img.code', {
  alt: frameWords.code, src: `data:image/svg+xml,${encodeURIComponent(svg)}`,
});

/** The QR code of a link, which an app's server draws: its route is `AppRoute.code`. */
export async function codeOf(link) {
  const response = await fetch('/code', { method: 'POST', body: link });
  return codeImage((await response.json()).svg);
}

export const failed = (body) => body.replaceChildren(make('p', {}, frameWords.failed));

/** A place for a link and its code, which `contents()` brings; it says so where the server does not answer. */
export function invitation(contents) {
  const body = make('.invite', { ariaBusy: 'true' });
  contents().then((nodes) => body.replaceChildren(...nodes), (error) => {
    console.warn(error);
    failed(body);
  }).then(() => body.removeAttribute('aria-busy'));
  return body;
}

/** An entry of a menu, which closes its drawer and does something. */
export const menuItem = (text, act) => make('button.item', {
  type: 'button',
  onclick: ({ currentTarget }) => {
    currentTarget.closest('dialog').close();
    act();
  },
}, text);

/** One of several, as radio buttons: what is in a button's label is `labelOf(value)`, and `choose(value)` hears. */
export const radios = (legend, { name, values, chosen, labelOf, choose }) =>
  make('fieldset', {}, make('legend', {}, legend), make('.radios', {},
    ...values.map((value) => make('label', {}, make('input', {
      type: 'radio', name, value, checked: value === chosen, onchange: () => choose(value),
    }), labelOf(value)))));

/** Asks for one line of text. */
export function lineForm({ label, value = '', button, maxLength = 60, save, ...rest }) {
  const input = make('input', {
    ariaLabel: label, value, maxLength, dir: 'auto', autocomplete: 'off', ...rest,
  });
  return make('form.line', {
    onsubmit: (event) => {
      event.preventDefault();
      if (input.value.trim()) save(input.value.trim());
    },
  }, input, make('button.primary', {}, button));
}
