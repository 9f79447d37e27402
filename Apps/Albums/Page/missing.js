// What was chosen and went with its page: which files, and how to choose them again.

import { make } from '/reunion/elements.js';
import { missingWords } from './later-words.js';
import { dateOf, unnamed } from './words.js';

/** What the card of missing files holds; `choose()` opens the dialog for files. */
export function missingFiles(missing, { choose, dismiss }) {
  return [
    make('h2', {}, missingWords.heading(missing.length)),
    make('p', {}, missingWords.why),
    make('ul.files', { tabIndex: 0, role: 'list', ariaLabel: missingWords.list },
      ...missing.map(({ about }) => make('li', {}, make('bdi', {}, about.fileName || unnamed.photo),
        make('span', {}, dateOf(about.takenAt))))),
    make('.choice', {},
      make('button.primary', { type: 'button', onclick: choose }, missingWords.choose),
      make('button.quiet', { type: 'button', onclick: dismiss }, missingWords.doWithout)),
  ];
}
