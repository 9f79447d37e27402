// What the page says where a first visit has not come yet: grouped by where it is said, as in `words.js`.

import { dateOf, plural } from './words.js';

/** "3 photos", "1 change": what waits on this phone, with `more` about the changes. */
const waitingParts = ({ photos, records }, more = '') =>
  [photos && plural(photos, 'photo'), records && plural(records, 'change') + more].filter(Boolean);

/** A picture of the code, for who is not in the album. */
export const codeWords = {
  choose: 'Choose a picture of the code',
  looking: 'Looking for the code…',
  tooLarge: 'That picture is larger than 8 MB. Send a screenshot of the code.',
  noAnswer: 'The album did not answer. Try again.',
};

/** A photo, large. */
export const viewerWords = {
  addCaption: 'Add a caption',
  arriving: 'On its way. It appears here once it has arrived.',
  caption: 'Caption',
  delete: 'Delete photo',
  download: 'Download',
  edited: (edit) => (edit ? 'Photo edited.' : 'Photo reverted to the original.'),
  heart: (count, mine) => `${mine ? 'Take back your heart' : 'Give a heart'}, ${plural(count, 'heart')}`,
  newer: 'Newer photo',
  older: 'Older photo',
  original: 'Original',
  photo: 'Photo',
  revert: 'Revert to original',
};

const percent = (share) => `${Math.round(share * 100)} percent`;

/** The editor of a photo; shares are from 0 to 1. */
export const editorWords = {
  cancel: 'Cancel',
  crop: 'Crop: the arrow keys move it',
  done: 'Done',
  edges: { left: 'Left edge', top: 'Top edge', right: 'Right edge', bottom: 'Bottom edge' },
  percent,
  reset: 'Reset',
  shape: 'Shape',
  shapes: { free: 'Free', original: 'Original', square: 'Square' },
  size: ({ width, height }) => `${width} × ${height}`,
  sizeAndPlace: ({ width, height }, left, top) =>
    `${width} by ${height} pixels, ${percent(left)} from the left, ${percent(top)} from the top`,
  turnLeft: 'Rotate left',
  turnRight: 'Rotate right',
};

/** The menu, and what it opens for everyone. */
export const menuWords = {
  aboutName: 'It appears under the photos that you add.',
  moved: 'This album has moved',
  movedHow: 'Paste its new link. The page that opens takes over what waits on this phone.',
  newLink: 'New link',
  notALink: 'That is not a link.',
  open: 'Open',
  signOut: 'Sign out',
  wall: 'Open the wall',
};

/** How the handing over of what waits here stands. */
export const handoffLines = {
  opening: 'Waiting for the album at its new address…',
  offered: 'Answer the question in the new window.',
  done: 'Everything that waited here is in the new album.',
  left: 'The new album took what belongs there. Changes to photos that it does not have are still here.',
  declined: 'You chose to leave it here.',
  other: 'That link leads to another album, so nothing was handed over.',
  blocked: 'The browser did not open the new window. Allow it and try again.',
  closed: 'The new window was closed. What waited is still here.',
  failed: 'The new page could not take all of it. The rest is still here.',
};

/** The same, asked of the person at the new address. */
export const takeOverWords = {
  heading: 'Take over what waits there?',
  question: ({ origin, files, changes }) =>
    `The page from ${origin} still holds ${plural(files, 'photo')} and `
    + `${plural(changes, 'change')} for this album.`,
  no: 'Leave it there',
  yes: 'Take over',
};

/** What only the host reads. */
export const hostWords = {
  anyLink: 'Make a new link',
  deleteForGood: 'Delete for good',
  erased: (count) => (count === 1 ? 'Photo deleted for good.' : `${count} photos deleted for good.`),
  forGood: (count) => (count === 1
    ? 'Nobody can bring the photo back, and the album will not take its picture again.'
    : `Nobody can bring the ${count} photos back, and the album will not take their pictures again.`),
  guestsLink: 'New guests’ link',
  aboutGuestsLink: 'People who joined stay. Earlier links and printed codes stop working.',
  nobody: 'Nobody else has joined yet.',
  noName: 'No name yet',
  notErased: (count) => 'The album did not answer, so '
    + `${count === 1 ? 'the photo was' : `${count} photos were`} not deleted for good.`,
  onlyRemove: 'Only remove',
  ownersLink: 'Owner’s link',
  newOwnersLink: 'New owner’s link',
  aboutOwnersLink: 'Anyone who opens it can change and delete everything. It works for a day. '
    + 'Earlier owner’s links stop working.',
  oneDeviceLink: 'Make one for one device',
  people: 'People',
  aboutPeople: 'Anyone you remove is out at once. Their photos stay. The guests’ link still lets them in, '
    + 'so replace it too.',
  removeAndReplace: 'Remove, and replace the guests’ link',
  since: (isHost, joinedAt) => `${isHost ? 'Host' : 'Guest'}, ${dateOf(joinedAt)}`,
};

/** Signing out: `standing` has `photos` and `records` that are not sent. */
export const signOutWords = {
  about: 'This browser forgets the album. To come back you need its code or link. '
    + 'Photos that have arrived stay in the album.',
  heading: 'Sign out of this album',
  leave: (standing) => {
    const parts = waitingParts(standing);
    return parts.length ? `Sign out and lose ${parts.join(' and ')}` : menuWords.signOut;
  },
  /** What would be lost; empty where all is at the album. */
  loss: (standing) => {
    const parts = waitingParts(standing);
    const isOne = standing.photos + standing.records === 1;
    return parts.length ? `${parts.join(' and ')} ${isOne ? 'is' : 'are'} not sent yet, and would be lost. `
      + `Stay until ${isOne ? 'it has' : 'all have'} arrived.` : '';
  },
  stay: 'Stay',
};

/** What a phone that was put out had not sent. */
export const leavingWords = {
  deleteForGood: (count) => `Delete ${plural(count, 'photo')} from this phone for good`,
  doWithout: 'Do without them',
  loss: (standing) => {
    const parts = waitingParts(standing, ' such as captions or hearts');
    const were = standing.photos + standing.records === 1 ? 'was' : 'were';
    return parts.length ? `${parts.join(' and ')} ${were} not sent, and will not be.` : '';
  },
  openAlbum: 'Open the album',
  photos: 'Photos that were not sent',
  saveAll: (count) => (count > 1 ? `Save all ${count}` : 'Save it'),
  saveOne: (name) => `Save ${name || 'a photo'}`,
};

/** Chosen files that went with their page. */
export const missingWords = {
  choose: 'Choose photos',
  doWithout: 'Do without',
  heading: (count) => `Choose ${count === 1 ? 'this photo' : 'these photos'} again`,
  list: 'Missing photos',
  why: 'The page was closed before it had read them, or this phone had no room. '
    + 'Photos that are here already are not added twice.',
};
