// Where a new puzzle comes from: made, or given as a text.

import { make, say } from '/reunion/elements.js';
import { openSheet } from '/reunion/sheets.js';
import { newWords } from './words.js';

export function openNew(page) {
  const said = make('p.problem', { role: 'alert' });
  const area = make('textarea', {
    ariaLabel: newWords.text, rows: 3, dir: 'ltr', spellcheck: false, placeholder: newWords.sample,
  });
  const take = async (text, source) => {
    try {
      await page.take(text, source);
      sheet.close();
    } catch ({ message }) {
      say(said, message);
    }
  };
  const sheet = openSheet(newWords.heading,
    make('p', {}, newWords.grades),
    make('.grades', {}, ...newWords.grade.map((name, index) => make('button.grade', {
      type: 'button',
      onclick: () => { sheet.close(); page.make(index + 1); },
    }, make('b', {}, name), make('span', {}, newWords.needs[index])))),
    make('form.text', {
      onsubmit: (event) => {
        event.preventDefault();
        // A whole link holds its puzzle behind the last word.
        take(area.value.split('puzzle=').pop().trim(), 'brought');
      },
    }, make('label', {}, newWords.text, area), said, make('button.quiet', {}, newWords.take)));
  sheet.addEventListener('close', () => page.focusBoard());
  return sheet;
}
