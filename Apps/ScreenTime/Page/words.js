// What the page says: every sentence, label, plural and time that a person reads. No other module holds one.

const numbers = new Intl.NumberFormat('en');
const plural = (count, one, many = `${one}s`) => `${numbers.format(count)} ${count === 1 ? one : many}`;
const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const dayAndClock = new Intl.DateTimeFormat('en-GB',
  { weekday: 'short', day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' });
const longDay = new Intl.DateTimeFormat('en-GB', { weekday: 'long', day: 'numeric', month: 'long', timeZone: 'UTC' });
const shortDay = new Intl.DateTimeFormat('en-GB', { weekday: 'short', timeZone: 'UTC' });
const two = (value) => String(value).padStart(2, '0');

export const weekdays = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
export const refusedLine = 'The server did not accept a change: this device may not make it.';
export const notLoaded = 'This needs the connection. Try again when it is back.';

/** Buttons of drawers and notices. */
export const sheetWords = {
  close: 'Close', code: 'QR code of the link', copied: 'Copied', copy: 'Copy',
  failed: 'The server does not answer just now. Try again when the connection is back.', ok: 'OK',
  old: 'This page is too old to show all that is here. Load it again to get the new one. What you write is kept.',
  unread: 'Something that this browser kept could not be read, and was not sent. See whether all of yours is here.',
  reload: 'Load again',
};

export const pageWords = {
  again: 'Try again', asks: 'Requests', devices: 'Devices', heading: 'Screen time', limits: 'Limits', menu: 'Menu',
  empty: 'Nobody is followed yet.', follow: 'Follow somebody', joining: 'Opening…',
  details: 'Days and programs', hide: 'Less', month: '30 days', week: '7 days', programs: 'Programs today',
  noCategory: 'No category', table: 'As a table', day: 'Day', total: 'Together', today: 'today',
  noPrograms: 'Nothing was used today.', noDevices: 'No device has been in touch yet.', noLimits: 'No limits today.',
  limit: 'Change limits', noted: 'What is noted', span: 'Which days', everything: 'Everything',
  export: 'Save the history as a file', link: 'Link for a device', erase: 'Delete the history', end: 'Follow no more',
};

/** What is noted, in the words of `screentime-agent --what`. */
export const notedWords = [
  'Noted are: which program has the focus, from when to when, on which device; and when this device was last in '
  + 'touch. Nobody is counted as there while the screen is locked, the machine sleeps, or nothing was touched for '
  + '2 min.',
  'Whoever started the agent of a device may have told it another time than 2 min.',
  'A game that is played with a gamepad alone counts for 2 min after the last key or the mouse: a gamepad is no input '
  + 'that the agent hears of.',
  'Not noted are: titles of windows, addresses of pages, keys, pictures of the screen, sound, places, and what is in '
  + 'files or messages.',
  'Your parents and you see the same. You may ask for more time, and they may give it.',
];

/** The same on a desktop that tells no program which others there are. */
export const presenceWords = [
  'This desktop runs Wayland, which does not tell which program has the focus. Noted is only that somebody was there, '
  + 'from when to when, on which device: the screen was not locked, and the desktop did not say that nobody is there; '
  + 'and when this device was last in touch.',
];

/** Pages that stand in for this one: a heading, and a sentence or two. */
export const pages = {
  stranger: ['Ask for the link', 'Parents open this page by the link or the code that the server shows. A child has a '
    + 'link of its own: parents find it in the menu.'],
  wrong: ['This link does not work', 'It may be incomplete, or it was replaced. Ask for a new one.'],
  out: ['No longer let in', 'This device was put out, and nothing is kept on it any more. Ask for a new link.'],
  expired: ['This link has expired', 'It works for a day. Ask for a new one.'],
  unreachable: ['The family’s server does not answer',
    'It is away, or this device is offline. This page tries again by itself.'],
  unable: ['This browser cannot open the page',
    'It needs a browser of the last two years that may keep data: a private window may not.'],
};

/** How things stand between this device and the server, in one sentence. */
export function stateLine({ phase, records, isAt }) {
  const kept = `${plural(records, 'change')} ${records === 1 ? 'is' : 'are'} kept here until the server answers.`;
  if (phase === 'out') return 'This device is no longer let in here. Ask for a new link.';
  if (phase === 'online') return records ? `Sending ${plural(records, 'change')}…` : 'Live.';
  if (records) return `No connection. ${kept}`;
  return phase === 'offline' && isAt ? `No connection since ${clock.format(isAt)}: what you see is from then.`
    : phase === 'offline' ? 'No connection: what you see is from before.' : 'Connecting…';
}

/** "1:25", for big digits. */
export const digitsOf = (milliseconds) => {
  const minutes = Math.floor(milliseconds / 60_000);
  return `${Math.floor(minutes / 60)}:${two(minutes % 60)}`;
};

/** "1 h 25 min", "25 min", "less than a minute" */
export function spokenTime(milliseconds) {
  const minutes = Math.floor(milliseconds / 60_000);
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  if (!minutes) return milliseconds >= 1000 ? 'less than a minute' : 'nothing';
  return [hours && `${hours} h`, (rest || !hours) && `${rest} min`].filter(Boolean).join(' ');
}

export const todayLine = (milliseconds) => `${spokenTime(milliseconds)} today`;

/** "Games: 25 min left of 1 h" */
export const leftLine = (name, { left, minutes }) =>
  (left ? `${name}: ${spokenTime(left)} left of ${spokenTime(minutes * 60_000)}`
    : `${name}: nothing left of ${spokenTime(minutes * 60_000)}`);
export const shortLeft = ({ left }) => (left ? `${digitsOf(left)} left` : 'nothing left');

const minuteOf = (minutes) => `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
export const timeValue = minuteOf;
/** "Rest 20:30 to 07:00, begins in 25 min" */
export function restLine({ from, to }, left) {
  const line = `Rest ${minuteOf(from)} to ${minuteOf(to)}`;
  if (!left) return `${line}, now`;
  return left < 6 * 3_600_000 ? `${line}, begins in ${spokenTime(left)}` : line;
}

const at = (moment, now) => (now - moment < 20 * 3_600_000 ? clock : dayAndClock).format(moment);
const isolated = (name) => `\u2068${name}\u2069`;

/** "+5:30" */
const offsetText = (seconds) => {
  const minutes = Math.abs(Math.trunc(seconds / 60));
  return `${seconds < 0 ? '−' : '+'}${Math.floor(minutes / 60)}${minutes % 60 ? `:${two(minutes % 60)}` : ''}`;
};

/** How a device stands, in one sentence. */
export function deviceLine({ name, state, sees, program, since, ownOffset = null }, now) {
  const said = {
    now: () => (sees === 'presence' || !program ? `somebody is there, since ${at(since, now)}`
      : `${isolated(program)}, since ${at(since, now)}`),
    away: () => `nobody there since ${at(since, now)}`,
    ended: () => `its agent was ended at ${at(since, now)}`,
    quiet: () => `quiet since ${at(since, now)}`,
    ahead: () => 'its clock is ahead',
    new: () => 'not in touch yet',
  }[state]();
  const zone = ownOffset === null ? '' : `; its own zone is UTC${offsetText(ownOffset)}, not the family’s`;
  return `${isolated(name || 'A device')}: ${said}${zone}`;
}

export const askLine = (name, what, minutes) => `${isolated(name)} asks for ${minutes} minutes more: ${what}`;
export const askWords = {
  give: (minutes) => `Give ${minutes} min`, no: 'Not now', gift: 'Give 15 min more',
  giftOf: (what) => `Give 15 min more: ${what}`,
};
export const ownWords = {
  ask: (what) => `Ask for 15 min more: ${what}`, asked: 'You asked for 15 minutes more. Nobody answered yet.',
  answered: (minutes) =>
    (minutes > 0 ? `Your parents gave you ${minutes} minutes more.` : 'Your parents said: not now.'),
};
export const programName = (name) => name || 'Programs cannot be seen there';
export const markedLine = (count) =>
  `${plural(count, 'use')} came from a clock that was ahead, and ${count === 1 ? 'counts' : 'count'} when ${
    count === 1 ? 'it' : 'they'} arrived.`;

export const missingLine = (count) => `${plural(count, 'use')} ${count === 1 ? 'is' : 'are'} missing between others.`;

export const dayName = (day, isShort) => (isShort ? shortDay : longDay).format(day * 86_400_000);
export const chartWords = {
  caption: (name, count) => `${isolated(name)}: the last ${count} days`,
  most: (milliseconds) => `Highest: ${spokenTime(milliseconds)}`,
};

export const menuWords = {
  heading: 'Menu', follow: 'Follow somebody', name: 'Name', add: 'Follow',
  parents: 'Link for another parent, or your wrist',
  looking: 'Link for those who may look on', forADay: 'It works for a day, on any number of devices.',
  forGood: 'Whoever has it sees everybody, and can change nothing.',
  forDevice: (name) => `On ${isolated(name)}’s device open this link in a browser, or give it to the agent: `
    + 'screentime-agent LINK. It works for a day.',
  copy: 'Link', added: (name) => `${isolated(name)} is followed now. Make a link for a device next.`,
};

export const limitWords = {
  heading: (name) => `Limits of ${isolated(name)}`, how: 'Minutes a day; an empty field is no limit.',
  everything: 'Everything', addCategory: 'Add a category', category: 'New category, such as Games',
  remove: (name) => `Remove ${name}`, rests: 'Times of rest', from: 'From', to: 'To', addRest: 'Add a rest',
  minutes: (name, weekday) => `${name}, ${weekday}, minutes`, keep: 'Days that the history is kept', saved: 'Saved.',
  zone: 'The family’s time zone', noZone: 'That of each device',
  zoneHow: 'Days and times of rest are those of this zone, whatever a device says. Change it when you travel.',
  programs: 'A program’s category is chosen beside its time, under “Days and programs”.',
  of: (name) => `Category of ${name}`,
  gone: 'Removed.', undo: 'Undo', weekdays: 'On which days it begins', none: 'None',
};

export const eraseWords = {
  heading: 'Delete the history?',
  text: (name) => `All that ${isolated(name)} used, asked for and was given goes for good, on every device. `
    + 'Limits stay. Save it as a file first if you may want it. What a device that is away has not sent yet comes when '
    + 'it is back: delete again then.',
  do: 'Delete it for good', done: 'The history is deleted.',
  endHeading: 'Follow no more?',
  endText: (name) => `All that is kept of ${isolated(name)} goes for good, with the limits, `
    + 'and the devices are let in no more.',
  end: 'Delete everything', ended: (name) => `${isolated(name)} is followed no more.`,
  failed: 'The server does not answer just now, so nothing was deleted.',
};
export const fileName = (name) => `screen-time-${name.replaceAll(/[^\p{L}\p{N}]+/gu, '-')}.json`;
