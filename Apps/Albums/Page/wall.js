// The wall: the newest photo large, the code in a corner, for a screen that nobody touches.

import { make } from '/reunion/elements.js';
import { codeImage } from '/kit/sheets.js';
import { ratioOf } from './layout.js';
import { invite } from './membership.js';
import { colorOf, fateOf, largeURL, previewURL, showImage } from './pictures.js';
import { start } from './start.js';
import { altOf, countLine, unnamed, wallWords } from './words.js';

const showMilliseconds = 8000;
const codeMilliseconds = 60_000;
const newMilliseconds = 4000;
const turnCount = 60;

/** Whether there is a picture to show. */
const isShown = (photo) => !photo.isArriving && (photo.preview || !fateOf(photo));

const store = await start();
/** The wall is nobody: what its own browser added is no photo of "you". */
const authorOf = (photo) => store.author(photo, unnamed.guest);
if (store) show();

function show() {
  const code = make('.corner');
  const name = make('h1', { dir: 'auto' });
  const count = make('p');
  const words = make('p.words', { dir: 'auto' });
  const stage = make('.stage');
  document.body.replaceChildren(make('main', {}, stage,
    make('.legend', {}, make('.names', {}, name, count), words, code)));
  // The host may replace the link at any time.
  let shownCode = '';
  const askCode = () => invite().then(({ svg }) => {
    if (svg === shownCode) return;
    shownCode = svg;
    code.replaceChildren(codeImage(svg), make('p', {}, wallWords.scan));
  }).then(() => codeMilliseconds, () => showMilliseconds).then((rest) => setTimeout(askCode, rest));
  askCode();

  const seen = new Set(store.photos.map(({ id }) => id));
  const fresh = [];
  let current = null;
  let slide = null;
  let timer;
  let at = -1;

  const next = () => {
    const photos = store.photos.filter(isShown);
    const photo = fresh.map((id) => store.photo(id)).find(Boolean)
      ?? photos[at = (at + 1) % Math.min(turnCount, photos.length || 1)];
    if (fresh.length) {
      fresh.shift();
      at = -1;
    }
    clearTimeout(timer);
    timer = setTimeout(next, fresh.length ? newMilliseconds : showMilliseconds);
    if (!photo || photo.id === current) return;
    current = photo.id;
    const before = slide;
    slide = makeSlide(photo);
    stage.append(slide);
    requestAnimationFrame(() => requestAnimationFrame(() => slide.classList.add('on')));
    if (before) setTimeout(() => before.remove(), 1500);
    update();
  };

  function makeSlide(photo) {
    const small = make('img.small', { alt: '' });
    const large = make('img.large', { alt: altOf(photo, authorOf(photo)) });
    const frame = make('.slide', {}, small, large);
    small.style.backgroundColor = colorOf(photo);
    frame.style.setProperty('--tint', colorOf(photo) || '#222');
    return frame;
  }

  function update() {
    name.textContent = store.name;
    document.title = store.name;
    count.textContent = countLine(store.photos.length, store.people);
    const photo = current && store.photo(current);
    if (photo && slide) {
      slide.style.setProperty('--ratio', ratioOf(photo));
      showImage(slide.children[0], previewURL(photo, store.uploads));
      showImage(slide.children[1], largeURL(photo));
      words.replaceChildren(photo.caption ? make('b', {}, photo.caption) : '',
        make('bdi', {}, authorOf(photo)));
    } else words.replaceChildren();
    const news = store.photos.filter((photo) => isShown(photo) && !seen.has(photo.id));
    for (const { id } of news) {
      seen.add(id);
      fresh.push(id);
    }
    if (news.length && fresh.length === news.length) next();
    else if (!current && store.photos.length || (current && !photo)) {
      current = null;
      queueMicrotask(next);
    }
  }
  store.subscribe(update);
}
