// What the page says: every sentence, label, plural and time that a person reads. No other module holds one, but for
// the sentences about words that WordsCore makes.

const numbers = new Intl.NumberFormat('en');
const plural = (count, one, many = `${one}s`) => `${numbers.format(count)} ${count === 1 ? one : many}`;
const listed = (parts) => new Intl.ListFormat('en').format(parts);
const dates = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });

export const notLoaded = 'This needs the connection. Try again when it is back.';
export const refusedLine = 'The server did not accept a change.';

/** Buttons of drawers and notices. */
export const sheetWords = {
  close: 'Close', code: 'QR code that leads to this table', copied: 'Copied', copy: 'Copy',
  failed: 'The server does not answer just now. Try again when the connection is back.', ok: 'OK',
  old: 'This page is too old to show all that is here. Load it again to get the new one. What you write is kept.',
  unread: 'Something that this browser kept could not be read, and was not sent. See whether all of yours is here.',
  reload: 'Load again',
};

export const pageWords = { again: 'Try again', heading: 'Words', history: 'History', leave: 'Leave' };

/** Pages that stand in for the table: a heading, and a sentence or two. */
export const pages = {
  stranger: ['Ask for the code', 'This table opens by its QR code, or by the link that its host shows.'],
  wrong: ['This link does not work',
    'It may be incomplete, or the host has replaced it. Scan the code again, or ask for a new link.'],
  expired: ['This link has expired', 'Ask the host for a new one.'],
  unpaired: ['This pairing link does not work', 'It opens once, within ten minutes. Show a new one.'],
  unreachable: ['The table does not answer',
    'The server is away, or this device is offline. This page tries again by itself.'],
  unable: ['This browser cannot open the table',
    'It needs a browser of the last few years that may keep data: a private window may not.'],
};

/** How things stand between this device and the server, in one sentence. */
export function stateLine({ phase, records }) {
  const kept = `${plural(records, 'change')} ${records === 1 ? 'is' : 'are'} kept on this device`;
  if (phase === 'out') return 'This device is no longer known here.';
  if (phase === 'online') return records ? 'Sending…' : 'Connected.';
  if (records) return `${kept} until the server answers.`;
  return phase === 'offline' ? 'No connection. What you type is kept.' : 'Connecting…';
}

const listNames = { 'american-english': 'English', 'british-english': 'British English', ngerman: 'German',
  ogerman: 'German, old spelling', french: 'French', spanish: 'Spanish', italian: 'Italian', dutch: 'Dutch' };
/** What a list of words is called. */
export const listName = (list) => listNames[list] ?? list ?? '';

export const homeWords = {
  about: 'Nine letters and the same time for all. Longer words count more, and a word that only you find counts once '
    + 'for each who plays.',
  bot: 'Practise with the bot', fresh: 'A new table', full: 'All seats there are taken.', games: 'Open tables',
  join: 'Sit down',
  list: 'Words', name: 'Your name', nameless: 'Say what the others call you.', none: 'Nobody has opened one today.',
  open: 'Open a table',
};

/** What a table is, and who sits there. */
export const gameLine = (game, names) => `${listName(game.list)}${names.length ? ` · ${listed(names)}` : ''}`;

export const lobbyWords = {
  bot: 'Bot', code: 'Point a phone’s camera at the code to play along. No app, no account.', heading: 'At the table',
  hurry: 'Begin without them', isReady: 'ready', link: 'Link', mine: 'You', ready: 'I am ready',
  waits: 'not ready yet',
};

/** The line that tells for whom a round waits. */
export function waitingLine({ isReady, others, count }) {
  if (!isReady) return count > 1 ? 'The round begins when all are ready.' : 'One more is needed, or the bot.';
  if (count < 2) return 'You are ready. One more player is needed.';
  return others.length ? `Waiting for ${listed(others)}.` : 'All are ready.';
}

export const playWords = {
  clear: 'Delete the last letter', counting: 'Time! Counting the words…', enter: 'Enter', found: 'Your words',
  get: 'Get ready', go: 'Type words of these letters.', left: 'Seconds left', letters: 'Letters',
  none: 'None yet.', shuffle: 'Shuffle', watch: 'You play from the next round on.', word: 'Your word',
};

export const secondsLine = (seconds) => plural(seconds, 'second');
/** What is said of a word that counts. */
export const countsLine = (word, points) => `${word}: ${plural(points, 'point')}`;
/** How many words somebody has, and points. */
export const scoreLine = ({ points, count }) => `${plural(points, 'point')} · ${plural(count, 'word')}`;

/** The same of somebody who types just now. */
export const typingLine = (score) => `${scoreLine(score)} · types…`;

export const resultWords = {
  again: 'Play again', missed: 'The longest that nobody found', noWords: 'No words',
};

/** The line that tells who won. */
export function winnerLine(scores) {
  const [first] = scores;
  const best = scores.filter(({ points }) => points === first.points);
  if (best.length > 1) return `${listed(best.map(({ name }) => name))} share the first place.`;
  return `${first.name} wins with ${plural(first.points, 'point')}.`;
}

/** What a screen reader says of a word in the table. */
export const wordLabel = (word, { value, finders }, players) =>
  `${word}, ${plural(value, 'point')}, found by ${finders === players ? 'all' : `${finders} of ${players}`}`;

export const historyWords = {
  best: 'Longest word', games: 'Rounds', heading: 'History', name: 'Name', none: 'Nobody has finished a round yet.',
  points: 'Points', table: 'All times', wins: 'Wins',
};

export const roundLine = (round) => `${dates.format(round.startsAt)} · ${round.letters.toUpperCase()}`;
export const placesLine = (scores) => scores.map(({ name, points }) => `${name} ${numbers.format(points)}`).join(', ');
