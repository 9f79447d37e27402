// A printed Sudoku from a photograph: its grid lights up, and what is in doubt is corrected by a tap.

import { draw, make, say } from '/reunion/elements.js';
import { openSheet } from '/kit/sheets.js';
import { digits, places, textOf, valuesOf } from './rules.js';
import './sudoku-board.js';
import { grabWords, notLoaded } from './words.js';

const longEdge = 2000;
const quality = 0.9;

/** A photograph that is small to send, or the file itself where this browser cannot show it. */
async function small(file) {
  try {
    const bitmap = await createImageBitmap(file, { imageOrientation: 'from-image' });
    const scale = Math.min(1, longEdge / Math.max(bitmap.width, bitmap.height));
    const canvas = Object.assign(document.createElement('canvas'), {
      width: Math.ceil(bitmap.width * scale), height: Math.ceil(bitmap.height * scale),
    });
    const context = canvas.getContext('2d');
    context.fillStyle = '#fff';
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
    bitmap.close();
    return await new Promise((resolve) => canvas.toBlob(resolve, 'image/jpeg', quality)) ?? file;
  } catch {
    return file;
  }
}

/** What the server reads of it; rejects with a sentence. */
async function read(picture) {
  let response;
  try {
    response = await fetch('/grab', { method: 'POST', body: picture });
  } catch {
    throw new Error(notLoaded);
  }
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new Error(answer.error ?? (response.status === 413 ? grabWords.tooLarge : notLoaded));
  return answer;
}

/** Opens the drawer with a photograph, and reads it. */
export function openGrab(page, file) {
  const said = make('p', { role: 'status' });
  const problem = make('p.problem', { role: 'alert' });
  const shown = make('.photograph');
  const rest = make('.correct', { hidden: true });
  const again = make('button.quiet', { type: 'button', hidden: true, onclick: () => go() }, grabWords.again);
  const sheet = openSheet(grabWords.heading, shown, said, problem, again, rest);
  sheet.addEventListener('close', () => page.focusBoard());

  async function go() {
    again.hidden = true;
    say(problem, '');
    say(said, grabWords.reading);
    const picture = await small(file);
    const url = URL.createObjectURL(picture);
    const image = make('img', { src: url, alt: grabWords.photograph });
    sheet.addEventListener('close', () => URL.revokeObjectURL(url));
    shown.replaceChildren(image);
    try {
      const found = await read(picture);
      light(found);
      correct(found);
    } catch ({ message }) {
      say(said, '');
      say(problem, message);
      again.hidden = false;
    }
  }

  /** The grid lights up on the photograph. */
  function light({ corners, width, height }) {
    const frame = draw('lit', ['polygon', { points: corners.join(' ') }]);
    frame.setAttribute('viewBox', `0 0 ${width} ${height}`);
    shown.append(frame);
  }

  function correct({ cells, doubts, isPuzzle }) {
    const values = valuesOf(cells);
    const open = new Set(doubts);
    const board = make('sudoku-board');
    let place = doubts[0] ?? 0;
    const show = () => {
      board.show({
        cells: places.map((at) => ({ value: values[at], notes: 0, isGiven: false })), place, wrong: open,
        hint: null, peers: false, isDoubt: true,
      });
      say(said, grabWords.found(open.size, isPuzzle));
    };
    const set = (digit) => {
      values[place] = digit;
      open.delete(place);
      say(problem, '');
      show();
    };
    const next = () => { place = [...open][0] ?? place; show(); };
    board.addEventListener('choose', ({ detail }) => { place = detail; show(); });
    sheet.addEventListener('keydown', (event) => {
      if (/^[0-9]$/.test(event.key)) set(Number(event.key));
      else if (/^(?:Backspace|Delete)$/.test(event.key)) set(0);
    });
    const key = (digit, label) => make('button.digit', {
      type: 'button', ariaLabel: label ?? String(digit), onclick: () => { set(digit); next(); },
    }, digit ? String(digit) : grabWords.none);
    rest.replaceChildren(board,
      make('.digits', { role: 'group', ariaLabel: grabWords.digits },
        ...digits.map((digit) => key(digit)), key(0, grabWords.empty)),
      make('button.primary', {
        type: 'button',
        onclick: async () => {
          try {
            await page.take(textOf(values), 'read');
            sheet.close();
          } catch ({ message }) {
            say(problem, message);
          }
        },
      }, grabWords.take));
    rest.hidden = false;
    show();
  }

  go();
}
