import './album-page.js';
import { isMember } from '/reunion/conversation/ask.js';
import { make, say } from '/reunion/elements.js';
import { notify } from '/kit/notices.js';
import { tellIfOld } from '/kit/old-page.js';
import { start } from './start.js';
import { buttons, emptied, isLoss, noticeOf, notLoaded, refusedLine } from './words.js';

/** What was told of files, by what became of them: one notice for all of a kind. */
const told = new Map();

function tell({ code, name, sentence, status }) {
  const kind = `${code} ${sentence}`;
  const before = told.get(kind);
  const names = before?.element.isConnected ? [...before.names, name] : [name];
  const text = noticeOf({ code, names, sentence, status });
  if (names.length > 1) say(before.element.firstChild, text);
  const element = names.length > 1 ? before.element
    : notify(text, {
      stays: isLoss({ code }),
      ...code === 'blocked' && { more: { label: buttons.tryAgain, act: () => store.uploads.tryAgain() } },
    });
  told.set(kind, { names, element });
}

/** Whether it is asked at most once for each time that the connection says so. */
let isAsked = false;

/** Once the server says that this browser is out, a page stands in for the album; first all is read. */
function leaveIfOut() {
  const { phase, keeping } = store.standing;
  if (phase !== 'out') isAsked = false;
  if (phase !== 'out' || keeping || isAsked || store.isLeaving) return;
  isAsked = true;
  isMember().then((is) => is || location.reload());
}

addEventListener('hashchange', () => location.hash.startsWith('#join=') && location.reload());
const store = await start();
if (store) {
  // All that it takes to add photos is here; the rest comes while the person looks.
  performance.mark('ready');
  const page = make('album-page');
  page.store = store;
  document.body.replaceChildren(page);
  store.uploads.onnotice = tell;
  if (store.replica.database.isEmptied) notify(emptied, { stays: true });
  store.connection.onnotice = (sentence) => notify(sentence);
  store.connection.onrefused = (refusals) => {
    const { replica } = store;
    const lines = refusals.map(({ entity, id, sentence }) => {
      const name = replica.model.nameOf(entity);
      return sentence || refusedLine(name, !(name && replica.get(name, id)?.alive));
    });
    for (const line of new Set(lines)) notify(line);
  };
  tellIfOld(store.replica);
  store.subscribe(() => leaveIfOut());
  store.uploads.warm();
  import('./picture-reader.js').catch(() => {});
  import('./copies.js').then(({ countCopies }) => countCopies(store), () => {});
  for (const later of ['viewer', 'sheets', 'menu', 'missing']) page[later]().catch(() => {});
  if (opener && store.fragment) {
    import('./take-over.js').then(({ takeOver }) => takeOver(store), () => notify(notLoaded));
  }
}
