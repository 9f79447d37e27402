import './album-page.js';
import { make } from '/reunion/elements.js';
import { notify } from './notices.js';
import { start } from './start.js';
import { isLoss, noticeOf, notLoaded, refusedLine } from './words.js';

const store = await start();
if (store) {
  const page = make('album-page');
  page.store = store;
  document.body.replaceChildren(page);
  store.uploads.onnotice = (notice) => notify(noticeOf(notice), { stays: isLoss(notice) });
  store.session.onnotice = (sentence) => notify(sentence);
  store.session.onrefused = (refusals) => {
    const entities = new Set(refusals.map(({ entity }) => store.replica.model.nameOf(entity)));
    for (const entity of entities) notify(refusedLine(entity));
  };
  addEventListener('hashchange', () => location.hash.startsWith('#join=') && location.reload());
  if (opener) import('./take-over.js').then(({ takeOver }) => takeOver(store), () => notify(notLoaded));
}
