// What the page says: plain sentences, plurals, dates.

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

/** "48 photos from 9 people" */
export function countLine(photos, people) {
  if (!photos) return 'No photos yet';
  return `${plural(photos, 'photo')} from ${plural(people, 'person', 'people')}`;
}

export const arrivingLine = 'On its way. It shows once it has arrived.';
export const deletedLine = (count) =>
  (count > 1 ? `${plural(count, 'photo')} are deleted.` : 'The photo is deleted.');
export const newLine = (count) => `${numbers.format(count)} new`;
export const arrivedLine = (count) => `${plural(count, 'new photo')} in the album.`;
export const heartLabel = (count, mine) =>
  `${mine ? 'Take back your heart' : 'Give a heart'}, ${plural(count, 'heart')}`;
export const altOf = (photo, author) =>
  photo.caption || [`Photo by ${author}`, dateOf(photo.takenAt ?? photo.at)].filter(Boolean).join(', ');

export const editedLine = (edit) =>
  (edit ? 'The photo is edited.' : 'The photo is as it was taken.');
export const notLoaded = 'This needs the connection. Try again when it is back.';

/** How things stand between this phone and the server, in one sentence; empty where all is said. */
export function stateLine({
  phase, photos, records, preparing, keeping, elsewhere, missing, mine,
}) {
  const kept = photos ? plural(photos, 'photo') : plural(records, 'change');
  const are = (photos || records) === 1 ? 'is' : 'are';
  const go = are === 'is' ? 'goes' : 'go';
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
  if (phase === 'offline' && (photos || records || !missing)) {
    return photos || records
      ? `No connection. ${kept} ${are} kept on this phone and will go when it returns.`
      : 'No connection. You can go on; everything is kept on this phone until it returns.';
  }
  if (photos) {
    const all = photos === 1 ? 'it has' : 'all have';
    return `Sending ${plural(photos, 'photo')}. Keep this page open until ${all} arrived.`;
  }
  if (records && phase === 'connecting') {
    return `${kept} ${are} kept on this phone and ${go} as soon as the album answers.`;
  }
  if (records) return `Sending ${kept}…`;
  if (missing) return lost;
  if (mine === 1) return 'Your photo is safe on the server.';
  return mine ? `Your ${numbers.format(mine)} photos are safe on the server.` : '';
}

// Isolated: a name in Arabic does not turn the sentence around.
const quoted = (name) => (name ? `“\u2068${name}\u2069”` : 'A photo');
const namedMost = 3;

/** "“a”, “b”, “c” and 5 more" */
function listed(names) {
  const shown = names.slice(0, namedMost).map(quoted);
  const more = names.length - shown.length;
  const last = more ? `${numbers.format(more)} more` : shown.pop();
  return [shown.join(', '), last].filter(Boolean).join(' and ');
}

/** What became of one file, or of several in the same way. */
export function noticeOf({ code, names, sentence }) {
  const who = listed(names);
  const isOne = names.length === 1;
  const [are, so] = isOne ? ['is', 'so it was not added'] : ['are', 'so they were not added'];
  switch (code) {
    case 'empty': return `${who} ${isOne ? 'is an empty file' : 'are empty files'}, ${so}.`;
    case 'large': return `${who} ${are} larger than 100 MB, ${so}.`;
    case 'refused':
      return isOne ? `${who} was not added. ${sentence}`
        : `${who} were not added. The album says of each: ${sentence}`;
    case 'twice': return `${who} ${are} here already.`;
    case 'full': return sentence || 'The server’s disk is full. Your photos wait on this phone.';
    case 'out': return 'This phone is no longer in the album. Your photos wait here.';
    default: return `This phone has no room to keep ${who}.`;
  }
}

/** Whether a photo is lost to the album with it: that stays until it was read. */
export const isLoss = ({ code }) => !['full', 'out', 'twice'].includes(code);

/** What the host is asked, and told, of photos that go for good. */
export const forGoodLine = (count) => (count === 1
  ? 'Nobody can bring the photo back, and the album will not take its picture again.'
  : `Nobody can bring the ${count} photos back, and the album will not take their pictures again.`);
export const erasedLine = (count) => (count === 1
  ? 'The photo is deleted for good.' : `${count} photos are deleted for good.`);
export const notErasedLine = (count) => (count === 1
  ? 'The photo was not deleted for good: the album did not answer.'
  : `${count} photos were not deleted for good: the album did not answer.`);

/** What is said of a record that the server did not take; `isGone` where it is not in the album any more. */
export const refusedLine = (entity, isGone) => ({
  photo: isGone
    ? 'A photo is no longer in the album, so what you wrote about it is gone.'
    : 'You may only change photos that you added, so it is as it was.',
  album: 'Only the host may change the album’s name.',
  heart: 'The album did not accept your heart.',
}[entity] ?? 'The server did not accept a change.');

/** Pages that stand in for the album. */
export const pages = {
  stranger: ['Ask for the code',
    'This album is for its guests. Scan its QR code, or open the link that the host gave you.'],
  wrong: ['This link does not work',
    'It may be incomplete, or the host has replaced it. Scan the code again, or ask for a new link.'],
  expired: ['This link has expired',
    'Ask the host for a new one. Photos that you added are still in the album.'],
  lapsed: ['Welcome back',
    'This phone was away for a long time. Scan the code or open the link again, and it sends what waits here.'],
  left: ['You are signed out',
    'This browser has forgotten the album. To come back, scan its code, or open its link.'],
  unreachable: ['The album does not answer',
    'Make sure that you are on the host’s Wi‑Fi. This page tries again by itself.'],
  unable: ['This browser cannot keep photos',
    'Private windows often forbid it. Open the link in an ordinary window.'],
};

export const handoffLines = {
  opening: 'Waiting for the album at its new address…',
  offered: 'Answer the question in the new window.',
  done: 'Everything that waited here is in the new album.',
  left: 'What fits there is in the new album; changes to photos that it lacks are still here.',
  declined: 'The new page was told not to take it; it is still here.',
  other: 'That link leads to another album, so nothing was handed over.',
  blocked: 'The browser did not open the new window. Allow it and try again.',
  closed: 'The new window was closed, and what waits is still here.',
  failed: 'The new page could not take all of it; what waits is still here.',
};
