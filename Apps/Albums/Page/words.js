// What the page says: every sentence, label, plural and date that a person reads, grouped by where it
// is said. No other module holds one, but for those that a first visit does not need: `later-words.js`.

const numbers = new Intl.NumberFormat('en');
let dates;
export const plural = (count, one, many = `${one}s`) =>
  `${numbers.format(count)} ${count === 1 ? one : many}`;

/** A moment as a person reads it; empty for what is none. */
export function dateOf(milliseconds) {
  dates ??= new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
  const date = new Date(Number(milliseconds ?? NaN));
  return Number.isNaN(date.getTime()) ? '' : dates.format(date);
}

// What several places say.

export const buttons = {
  close: 'Close', crop: 'Crop and rotate', ok: 'OK', remove: 'Remove', save: 'Save',
  tryAgain: 'Try again', undo: 'Undo',
};
export const inviteLabel = 'Invite people';
export const menuLabel = 'Menu';
export const nameLabel = 'Your name';
export const unnamed = { album: 'Shared album', guest: 'a guest', oneself: 'you', photo: 'A photo' };
export const notLoaded = 'This needs the connection. Try again when it is back.';
export const altOf = (photo, author) =>
  photo.caption || [`Photo by ${author}`, dateOf(photo.takenAt ?? photo.at)].filter(Boolean).join(', ');

/** The names of who added a photo: "Ana", "Ana and Ben"; each by itself, whichever way it is written. */
export function namesOf(names) {
  const [...each] = new Set(names);
  if (each.length < 2) return each[0];
  const last = each.pop();
  return `${each.map((name) => `\u2068${name}\u2069`).join(', ')} and \u2068${last}\u2069`;
}

/** "48 photos from 9 people" */
export function countLine(photos, people) {
  if (!photos) return 'No photos yet';
  return `${plural(photos, 'photo')} from ${plural(people, 'person', 'people')}`;
}

/** The album. */
export const albumWords = {
  add: 'Add photos',
  arrived: (count) => `${plural(count, 'new photo')} in the album.`,
  deletedOwn: (others) => `Your copy is deleted. The photo stays, for it is also by \u2068${others}\u2069.`,
  deleted: (count) => (count > 1 ? `${plural(count, 'photo')} deleted.` : 'Photo deleted.'),
  editName: 'Edit the album’s name',
  empty: 'The first photo starts the album',
  emptyForAdders: 'Add one from this device, or let people scan the code with their phones.',
  emptyForViewers: 'Photos appear here as soon as somebody adds one.',
  forGood: 'For good…',
  name: 'Album name',
  news: (count) => `${numbers.format(count)} new`,
  photos: 'Photos',
  skip: 'Skip',
  whoTook: 'Who took these photos?',
};

/** What is said in place of a picture that there is none of. */
export const fateWords = {
  kept: 'This photo is kept, but cannot be shown here.',
  unkept: 'The original of this photo did not get into the album.',
};

/** How things stand between this phone and the server, in one sentence; empty where all is said. */
export function stateLine({
  phase, isBlocked, photos, records, preparing, keeping, elsewhere, missing, safe, copies, blocked,
}) {
  const kept = photos ? plural(photos, 'photo') : plural(records, 'change');
  const are = (photos || records) === 1 ? 'is' : 'are';
  if (keeping) return `Keep this page open. It is still reading ${plural(keeping, 'photo')}.`;
  if (preparing) return `Kept on this phone. Preparing ${plural(preparing, 'photo')}…`;
  if (elsewhere) {
    return `Another page of this album is reading ${plural(elsewhere, 'photo')}. Keep it open.`;
  }
  if (phase === 'out') {
    return 'This phone is no longer in the album. Ask the host for a new link.';
  }
  const lost = missing
    && `${plural(missing, 'photo')} that you chose ${missing === 1 ? 'is' : 'are'} missing.`;
  if (phase === 'offline' && isBlocked) {
    return 'The album answers, but something between keeps this page from staying connected. '
      + 'You can go on: everything is kept on this phone.';
  }
  if (phase === 'offline' && (photos || records || !missing)) {
    return photos || records
      ? `No connection. ${kept} ${are} kept on this phone and will be sent when it returns.`
      : 'No connection. You can go on. Everything is kept on this phone until it returns.';
  }
  if (photos && blocked) {
    return `${kept} ${photos === 1 ? 'waits' : 'wait'} on this phone: something stands in the way.`;
  }
  if (photos) {
    const all = photos === 1 ? 'it has' : 'all have';
    return `Sending ${plural(photos, 'photo')}. Keep this page open until ${all} arrived.`;
  }
  if (records && phase === 'connecting') {
    return `${kept} ${are} kept on this phone and will be sent as soon as the album answers.`;
  }
  if (records) return `Sending ${kept}…`;
  if (missing) return lost;
  if (!safe) return '';
  const yours = safe === 1 ? 'photo is' : `${numbers.format(safe)} photos are`;
  return `Your ${yours} safe on the server${copies ? ` and on ${plural(copies, 'more device')}` : ''}.`;
}

// Isolated: a name in Arabic does not turn the sentence around.
const quoted = (name) => (name ? `“\u2068${name}\u2069”` : unnamed.photo);
const namedMost = 3;

/** "“a”, “b”, “c” and 5 more" */
function listed(names) {
  const shown = names.slice(0, namedMost).map(quoted);
  const more = names.length - shown.length;
  const last = more ? `${numbers.format(more)} more` : shown.pop();
  return [shown.join(', '), last].filter(Boolean).join(' and ');
}

/** What became of one file, or of several in the same way. */
export function noticeOf({ code, names, sentence, status }) {
  const who = listed(names);
  const isOne = names.length === 1;
  const [are, so] = isOne ? ['is', 'so it was not added'] : ['are', 'so they were not added'];
  switch (code) {
    case 'empty': return `${who} ${isOne ? 'is an empty file' : 'are empty files'}, ${so}.`;
    case 'large': return `${who} ${are} larger than 100 MB, ${so}.`;
    case 'lost': return `${who} ${are} no longer on this phone, ${so}.`;
    case 'unsent':
      return `The original of ${who} did not get into the album. ${sentence || 'It is no longer on this phone.'}`;
    case 'unshown': return `${who} ${are} kept in the album, but cannot be shown. ${sentence ?? ''}`;
    case 'refused':
    case 'erased':
      if (!sentence) return `The album did not accept ${who}.`;
      return isOne ? `${who} was not added. ${sentence}`
        : `${who} were not added. The album says of each: ${sentence}`;
    case 'twice': return `${who} ${are} here already.`;
    case 'blocked':
      if (sentence) return `${who} ${isOne ? 'was' : 'were'} not sent. ${sentence}`;
      if (status === 413) {
        return `Something between this phone and the album refuses files as large as ${who}. The host can raise the `
          + 'limit of the proxy. What is this large waits here, and is tried again every few minutes.';
      }
      return `Something between this phone and the album answers in its place (${status}). ${who} ${are} kept here, `
        + 'and tried again every few minutes. Does the network want you to sign in? Else tell the host.';
    case 'full': return sentence || 'The server’s disk is full. Your photos wait on this phone.';
    case 'out': return 'This phone is no longer in the album. Your photos wait here.';
    case 'away':
      return `This browser’s storage does not answer. Keep this page open: ${who} ${are} kept as soon as it does.`;
    case 'kept': return `This phone has no room to keep ${who}.`;
    default: return `This browser could not keep ${who}. Choose ${isOne ? 'it' : 'them'} again.`;
  }
}

/** What is said where the browser has deleted what it kept. */
export const emptied = 'This browser lost what it kept here. If photos of yours were still on their way, choose '
  + 'them again. Those that have arrived are not added twice.';

/** Whether a photo is lost to the album with it: that stays until it was read. */
export const isLoss = ({ code }) => !['away', 'full', 'out', 'twice'].includes(code);

/** What is said of a record that the server did not take; `isGone` where it is not in the album any more. */
export const refusedLine = (entity, isGone) => ({
  photo: isGone
    ? 'A photo is no longer in the album, so what you wrote about it is gone.'
    : 'You can change only photos that you added, so this one stays as it was.',
  album: 'Only the host can change the album’s name.',
  heart: 'The album did not accept your heart.',
}[entity] ?? 'The server did not accept a change.');

/** Pages that stand in for the album: a heading, and a sentence or two. */
export const pages = {
  stranger: ['Ask for the code',
    'This album is for its guests. Scan its QR code, or open the link that the host gave you.'],
  wrong: ['This link does not work',
    'It may be incomplete, or the host has replaced it. Scan the code again, or ask for a new link.'],
  expired: ['This link has expired',
    'Ask the host for a new one. Photos that you added are still in the album.'],
  lapsed: ['Welcome back',
    'This phone was away for a long time. Scan the code or open the link again to send what waits here.'],
  left: ['You are signed out',
    'This browser has forgotten the album. To come back, scan its code, or open its link.'],
  out: ['You are no longer in this album',
    'The host has removed this phone, so its copy of the album is deleted. '
      + 'To come back, ask the host for a new link.'],
  back: ['You are in the album again',
    'The host had removed this phone, so the album did not accept what waited here.'],
  unreachable: ['The album does not answer',
    'Make sure you are on the host’s Wi‑Fi. This page keeps trying.'],
  unable: ['This browser cannot keep photos',
    'Private windows often forbid it. Open the link in an ordinary window.'],
};

/** Drawers and what stands in them. */
export const sheetWords = {
  code: 'QR code of the link for guests',
  copied: 'Copied',
  copy: 'Copy',
  failed: 'The album does not answer just now. Try again when the connection is back.',
  guestsLink: 'Link for guests',
  old: 'This page is too old to show all that is here. Load it again to get the new one. What you write is kept.',
  unread: 'Something that this browser kept could not be read, and was not sent. See whether all of yours is here.',
  reload: 'Load again',
  scan: 'Point a phone’s camera at the code. No app, no account.',
};

/** The wall. */
export const wallWords = { scan: 'Scan to add yours' };
