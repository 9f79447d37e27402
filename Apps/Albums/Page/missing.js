// What was chosen and went with its page: which files, and how to choose them again.

import { make } from '/reunion/elements.js';
import { dateOf } from './words.js';

const why = 'The page was closed before it had read them, or this phone had no room. '
  + 'What is here already is not added twice.';

/** What the card of missing files holds; `choose()` opens the dialog for files. */
export function missingFiles(missing, { choose, dismiss }) {
  return [
    make('h2', {}, `Choose ${missing.length === 1 ? 'this photo' : 'these photos'} again`),
    make('p', {}, why),
    make('ul.files', { tabIndex: 0, role: 'list', ariaLabel: 'Missing photos' },
      ...missing.map(({ about }) => make('li', {}, make('bdi', {}, about.fileName || 'A photo'),
        make('span', {}, dateOf(about.takenAt))))),
    make('.choice', {},
      make('button.primary', { type: 'button', onclick: choose }, 'Choose photos'),
      make('button.quiet', { type: 'button', onclick: dismiss }, 'Do without')),
  ];
}
