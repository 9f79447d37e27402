// What the page says: every sentence, label, plural and time that a person reads. No other module holds
// one, but for the sentences of hints and errors that SudokuCore makes.

const numbers = new Intl.NumberFormat('en');
const plural = (count, one, many = `${one}s`) => `${numbers.format(count)} ${count === 1 ? one : many}`;
const listed = (parts) => new Intl.ListFormat('en').format(parts.map(String));

export const notLoaded = 'This needs the connection. Try again when it is back.';
export const puzzled = 'That could not be worked out. Load the page anew, and try again.';
export const refusedLine = 'The server did not accept a change.';
const gradeNames = ['Easy', 'Medium', 'Hard', 'Expert'];

/** Buttons of drawers and notices. */
export const sheetWords = {
  close: 'Close', code: 'QR code of the link', copied: 'Copied', copy: 'Copy',
  failed: 'The server does not answer just now. Try again when the connection is back.', ok: 'OK',
  old: 'This page is too old to show all that is here. Load it again to get the new one. What you write is kept.',
  unread: 'Something that this browser kept could not be read, and was not sent. See whether all of yours is here.',
  reload: 'Load again',
};

export const pageWords = {
  again: 'Try again', another: 'Another one', book: 'Your book', close: 'Close', doIt: 'Do it',
  fresh: 'New', heading: 'Sudoku', menu: 'Menu', puzzle: 'The puzzle',
  removed: 'The puzzle is out of your book.', undo: 'Undo',
};

/** Pages that stand in for the book: a heading, and a sentence or two. */
export const pages = {
  stranger: ['Ask for the code',
    'This Sudoku book opens by its QR code, or by the link that its host or your other device shows.'],
  wrong: ['This link does not work',
    'It may be incomplete, or the host has replaced it. Scan the code again, or ask for a new link.'],
  expired: ['This link has expired', 'Ask the host for a new one.'],
  unpaired: ['This pairing link does not work',
    'It opens once, within ten minutes. Show a new one on your other device: Menu, Your devices.'],
  unreachable: ['The book does not answer',
    'The server is away, or this device is offline. This page tries again by itself.'],
  unable: ['This browser cannot open the book',
    'It needs a browser of the last few years that may keep data: a private window may not.'],
};

/** How things stand between this device and the server, in one sentence. */
export function stateLine({ phase, records, isShared }) {
  const kept = `${plural(records, 'change')} ${records === 1 ? 'is' : 'are'} kept on this device`;
  if (phase === 'out') return 'This device is no longer known here. What you play stays on it.';
  if (phase === 'online' && records) return `Sending ${plural(records, 'change')}…`;
  if (phase === 'online') return isShared ? 'Everybody has it.' : 'On all your devices.';
  if (records) return `${kept} until the server answers.`;
  return phase === 'offline' ? 'No connection. You can play on.' : 'Connecting…';
}

/** "12:05", "1:00:09" */
function timeOf(seconds) {
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const two = (value) => String(value).padStart(2, '0');
  return hours ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

/** "Easy · 12:05 · 34 cells left"; without the grade where it is not given, as where the name says it. */
export function aboutLine({ grade, left, seconds, isSolved }) {
  const rest = left ? `${plural(left, 'cell')} left` : isSolved ? 'solved' : 'not right yet';
  return [gradeNames[grade - 1], seconds !== null && timeOf(seconds), rest].filter(Boolean).join(' · ');
}

export const doneLine = (seconds) => `Solved in ${timeOf(seconds)}. Well done!`;

export const boardWords = { doubtful: 'in doubt', label: 'Sudoku, nine rows of nine cells', wrong: 'does not fit' };

/** What a screen reader says of a cell, with its flaw, if any. */
export function cellLabel({ row, column, box, value, notes, isGiven, flaw, by }) {
  const what = value ? `${value}${isGiven ? ', printed' : by ? `, by ${by}` : ''}`
    : notes.length ? `notes ${listed(notes)}` : 'empty';
  return `Row ${row}, column ${column}, box ${box}: ${what}${flaw ? `, ${flaw}` : ''}`;
}

export const keyWords = {
  acts: 'What to do with the cell', digits: 'Digits', erase: 'Erase', hint: 'Hint', notes: 'Notes',
  redo: 'Redo', undo: 'Undo',
};

/** The table, and its games. */
export const tableWords = {
  about: 'Everybody who joined this server may play along, up to eight at a game.',
  back: 'Go back', full: 'Eight play here already. Open another game.', games: 'Games', heading: 'Play together',
  join: 'Join', name: 'Your name', nameless: 'Say what the others call you.', none: 'Nobody has opened one yet.',
  race: 'A race', raceHow: 'The open puzzle, each in a grid of their own',
  together: 'Together', togetherHow: 'The open puzzle, all in one grid',
};

/** What a game is, and who plays. */
export const gameLine = ({ isRace, grade }, names) => ({
  name: [isRace ? tableWords.race : tableWords.together, gradeNames[grade - 1]].filter(Boolean).join(' · '),
  who: names.length ? listed(names) : 'Nobody is there yet',
});

export const playerWords = {
  invite: 'Invite', leave: 'My book', mine: 'You',
};

/** How far somebody is. */
export function playerLine({ count, of, seconds }) {
  if (of && seconds !== null) return `in ${timeOf(seconds)}`;
  return of ? `${count} of ${of}` : plural(count, 'cell');
}

export const togetherLine = 'Solved together. Well done!';

/** What a screen reader says of a digit's button. */
export const keyLabel = (digit, left, isNote) =>
  `${isNote ? 'Note ' : ''}${digit}, ${left > 0 ? `${left} missing` : 'all are there'}`;

const sources = { made: '', read: 'from a photograph', brought: 'brought along', race: 'a race' };
export const bookWords = {
  empty: 'Your first move starts your book.',
  name: ({ grade, source }) => [gradeNames[grade - 1] ?? 'Sudoku', sources[source]].filter(Boolean).join(', '),
  remove: (what) => `Remove from the book: ${what}`,
};

export const newWords = {
  grade: gradeNames, grades: 'Made for you, with one solution that is proved:',
  heading: 'A new puzzle',
  photograph: 'Photograph, or a file', printed: 'A printed one, from a newspaper or a book:',
  needs: ['single digits alone', 'pairs too', 'X-wings and triples too', 'chains too'],
  sample: '..3.2.6..9..3.5..1…', take: 'Take this one',
  text: 'A puzzle as text: 81 digits and dots, or a link',
};

/** What is said of a photograph. */
export const grabWords = {
  again: 'Try again', digits: 'The digit of the marked cell', empty: 'Empty', none: '–',
  found: (doubts, isPuzzle) => (doubts ? `${plural(doubts, 'cell')} in doubt: look at what is marked.`
    : isPuzzle ? 'Look whether all is right.' : 'Put right what was read wrongly.'),
  heading: 'From a photograph', photograph: 'Your photograph', reading: 'Reading…', take: 'Play it',
  tooLarge: 'This picture is too large. Choose a smaller one.',
};

export const menuWords = {
  clear: 'Begin this puzzle anew', clearMine: 'Take out what I entered', devices: 'Your devices',
  devicesHow: 'Your book is on all of them, each goes on where another stopped.',
  fill: 'Note all candidates',
  gameHow: 'Point a phone’s camera at the code. Whoever opens the link may take a seat at this game.',
  invite: 'Invite friends',
  inviteHow: 'Point a phone’s camera at the code. No app, no account. Each has a book of their own.',
  link: 'Link', menu: 'Menu', pair: 'Add a device',
  pairHow: 'Open this link on your other device within ten minutes. Whoever opens it first has your book: '
    + 'show it to nobody else.',
  pairLink: 'Link for your other device', remove: 'Remove',
  roam: 'They are the same on all your devices.', settings: 'Settings',
  share: 'Share this puzzle', shareHow: 'The link opens the book with this puzzle in it.',
  table: 'Play together', text: 'The puzzle as text',
  textAlone: 'The link needs the connection. The text is this:', thisOne: 'this one',
};

export const settingWords = {
  colour: 'Colour', 'colour-sea': 'Sea', 'colour-plum': 'Plum', 'colour-moss': 'Moss', 'colour-clay': 'Clay',
  scheme: 'Light', 'scheme-auto': 'As the device', 'scheme-light': 'Light', 'scheme-dark': 'Dark',
  digits: 'Digits', 'digits-small': 'Small', 'digits-medium': 'Medium', 'digits-large': 'Large',
  mistakes: 'Mistakes', 'mistakes-rules': 'What breaks the rules', 'mistakes-solution': 'Every wrong digit',
  'mistakes-never': 'None',
  tidies: 'A digit takes the notes that it rules out', peers: 'Tint the row, column and box of the cell',
};

const systems = [[/iPhone/, 'iPhone'], [/iPad/, 'iPad'], [/Android/, 'Android phone'], [/Mac OS/, 'Mac'],
  [/Windows/, 'Windows computer'], [/Linux/, 'Linux computer']];
/** What this device is called among a person's. */
export const deviceName = (agent) => systems.find(([pattern]) => pattern.test(agent))?.[1] ?? 'A browser';
