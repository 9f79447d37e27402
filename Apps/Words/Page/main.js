import { make } from '/reunion/elements.js';
import { frameWords } from '/reunion/frame-words.js';
import { notify } from '/reunion/notices.js';
import { start } from './start.js';
import { refusedLine, sheetWords } from './words.js';
import './words-page.js';

for (const name of Object.keys(frameWords)) frameWords[name] = sheetWords[name];
addEventListener('hashchange', () => location.hash && location.reload());
const store = await start();
if (store) {
  const page = make('words-page');
  page.store = store;
  document.body.replaceChildren(page);
  // One can play; the rest comes meanwhile.
  performance.mark('ready');
  for (const session of [store.session, store.ownSession]) {
    session.onnotice = (sentence) => notify(sentence, { stays: true });
    session.onrefused = (refusals) => {
      for (const line of new Set(refusals.map(({ sentence }) => sentence || refusedLine))) notify(line);
    };
  }
}
