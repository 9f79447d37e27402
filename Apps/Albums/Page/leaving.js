// This browser was put out of the album: what it kept goes, and what it had not sent is for its person
// to save. The album does not take that any more, also where the person is in again.

import { icon, make } from '/reunion/elements.js';
import { evict, forgetRecords, waitingFiles } from '/reunion/uploads/leaving.js';
import { Model } from '/reunion/replica/model.js';
import { Replica } from '/reunion/replica/replica.js';
import { standIn } from '/kit/stand-in.js';
import { code } from './icons.js';
import { leavingWords } from './later-words.js';
import { left } from './membership.js';
import { album } from './model.js';
import { previewURL, renditionURL } from './pictures.js';
import { buttons, dateOf, pages, unnamed } from './words.js';

const pictureURLs = (photo) => [previewURL(photo, { previewURL() {} }),
  ...photo.storedAt ? [renditionURL(photo, 320), renditionURL(photo, 2048)] : []].filter(Boolean);

/** Counts what waits besides photos, once, and takes the rest off this phone. */
async function takeStock(known, opening, files) {
  const core = await opening;
  const { space, device } = known;
  const replica = await Replica.open({ space, device, model: new Model(album), core });
  const own = new Set(files.map(({ id }) => id));
  const changes = replica.changesBeyond().filter(({ id }) => !own.has(id)).length;
  left.note({ ...known, changes });
  // It may take a while where there are many; the page is there meanwhile.
  evict(replica.records('photo').flatMap(pictureURLs));
  await forgetRecords(replica);
  replica.database.close();
  return changes;
}

function saveLink({ about, body }) {
  const file = new Blob([body], { type: about.contentType ?? '' });
  return make('a.quiet', {
    href: URL.createObjectURL(file), download: about.fileName || 'photo',
    ariaLabel: leavingWords.saveOne(about.fileName),
  }, buttons.save);
}

/** What was not sent: its files, each with a way to save it. */
function fileList(files, links) {
  return make('ul.files', { role: 'list', ariaLabel: leavingWords.photos },
    ...files.map(({ about }, index) => make('li', {}, make('span', {},
      make('bdi', {}, about.fileName || unnamed.photo), ' ', dateOf(about.takenAt)), links[index])));
}

/** Shows what is left, and goes on when its person has decided. */
export async function showLeft(isBack, opening) {
  const known = left.known;
  const { files, forget } = known ? await waitingFiles(known.space) : { files: [], forget() {} };
  const changes = known ? known.changes ?? await takeStock(known, opening, files) : 0;
  const loss = leavingWords.loss({ photos: files.length, records: changes });
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
      goOn.textContent = leavingWords.deleteForGood(files.length);
      return undefined;
    },
  }, files.length ? leavingWords.doWithout : isBack ? leavingWords.openAlbum : buttons.ok);
  return standIn(pages[isBack ? 'back' : 'out'], icon(code), make('p.loss', { role: 'status' }, loss),
    files.length ? fileList(files, links) : null, make('.choice', {},
      files.length ? make('button.primary', {
        type: 'button', onclick: () => links.forEach((link) => link.click()),
      }, leavingWords.saveAll(files.length)) : null, goOn));
}

function showOut() {
  standIn(pages.out, icon(code), make('button.quiet', {
    type: 'button', onclick: () => location.reload(),
  }, buttons.tryAgain));
  import('./code-picture.js');
}
