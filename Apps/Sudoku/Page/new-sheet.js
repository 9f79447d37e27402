// Where a new puzzle comes from: made, photographed, or given as a text.

import { icon, make, say } from '/reunion/elements.js';
import { openSheet } from '/kit/sheets.js';
import { openGrab } from './grab-sheet.js';
import { camera } from './icons.js';
import { newWords } from './words.js';

export function openNew(page) {
  const said = make('p.problem', { role: 'alert' });
  const area = make('textarea', {
    ariaLabel: newWords.text, rows: 3, dir: 'ltr', spellcheck: false, placeholder: newWords.sample,
  });
  const photograph = make('input', {
    type: 'file', accept: 'image/*', hidden: true,
    onchange: () => {
      const [file] = photograph.files;
      if (!file) return;
      sheet.close();
      openGrab(page, file);
    },
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
    make('p', {}, newWords.printed),
    make('button.quiet', { type: 'button', onclick: () => photograph.click() }, icon(camera), newWords.photograph),
    photograph,
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
