// This browser was put out of the album: what it kept goes, and what it had not sent is for its person
// to save. The album does not take that any more, also where the person is in again.

import { make } from '/reunion/elements.js';
import { evict, forgetRecords, waitingFiles } from '/reunion/leaving.js';
import { Model } from '/reunion/model.js';
import { Replica } from '/reunion/replica.js';
import { left } from './membership.js';
import { previewURL, renditionURL } from './pictures.js';
import { standIn } from './stand-in.js';
import { dateOf, plural } from './words.js';

const words = {
  out: ['You are no longer in this album',
    'The host has removed this phone. What it kept of the album is deleted here. '
      + 'To come back, ask the host for a new link.'],
  back: ['You are in the album again',
    'The host had removed this phone, so the album did not take what waited here.'],
};

const pictureURLs = (photo) => [previewURL(photo, { previewURL() {} }),
  ...photo.storedAt ? [renditionURL(photo, 320), renditionURL(photo, 2048)] : []].filter(Boolean);

/** Counts what waits besides photos, once, and takes the rest off this phone. */
async function takeStock(known, opening, files) {
  const [core, schema] = await opening;
  const { space, device } = known;
  const replica = await Replica.open({ space, device, model: new Model(schema), core });
  const own = new Set(files.map(({ id }) => id));
  const changes = replica.waitingWrites().filter(({ id }) => !own.has(id)).length;
  left.note({ ...known, changes });
  // It may take a while where there are many; the page is there meanwhile.
  evict(replica.records('photo').flatMap(pictureURLs));
  await forgetRecords(replica);
  replica.database.close();
  return changes;
}

/** The line that says what the album did not take; empty where that is nothing. */
function lossLine(photos, changes) {
  const parts = [photos && plural(photos, 'photo'),
    changes && `${plural(changes, 'change')} such as captions or hearts`].filter(Boolean);
  const were = photos + changes === 1 ? 'was' : 'were';
  return parts.length ? `${parts.join(' and ')} ${were} not sent, and will not be.` : '';
}

function saveLink({ about, body }) {
  const file = new Blob([body], { type: about.contentType ?? '' });
  return make('a.quiet', {
    href: URL.createObjectURL(file), download: about.fileName || 'photo',
    ariaLabel: `Save ${about.fileName || 'a photo'}`,
  }, 'Save');
}

/** What was not sent: its files, each with a way to save it. */
function fileList(files, links) {
  return make('ul.files', { role: 'list', ariaLabel: 'Photos that were not sent' },
    ...files.map(({ about }, index) => make('li', {}, make('span', {},
      make('bdi', {}, about.fileName || 'A photo'), ' ', dateOf(about.takenAt)), links[index])));
}

/** Shows what is left, and goes on when its person has decided. */
export async function showLeft(isBack, opening) {
  const known = left.known;
  const { files, forget } = known ? await waitingFiles(known.space) : { files: [], forget() {} };
  const changes = known ? known.changes ?? await takeStock(known, opening, files) : 0;
  const loss = lossLine(files.length, changes);
  const done = async () => {
    await forget();
    left.forget();
  };
  if (!loss) {
    await done();
    if (isBack) return location.reload();
    return showOut();
  }
  const links = files.map(saveLink);
  const go = async () => {
    await done();
    if (isBack) location.reload();
    else showOut();
  };
  const goOn = make('button.quiet', {
    type: 'button',
    onclick: () => {
      if (!files.length || goOn.isAsked) return go();
      // The first tap asks, the second one does it.
      goOn.isAsked = true;
      goOn.textContent = `Delete ${plural(files.length, 'photo')} from this phone for good`;
      return undefined;
    },
  }, files.length ? 'Do without them' : isBack ? 'Open the album' : 'OK');
  return standIn(words[isBack ? 'back' : 'out'], make('p.loss', { role: 'status' }, loss),
    files.length ? fileList(files, links) : null, make('.choice', {},
      files.length ? make('button.primary', {
        type: 'button', onclick: () => links.forEach((link) => link.click()),
      }, files.length > 1 ? `Save all ${files.length}` : 'Save it') : null, goOn));
}

function showOut() {
  standIn(words.out, make('button.quiet', {
    type: 'button', onclick: () => location.reload(),
  }, 'Try again'));
  import('./code-picture.js');
}
