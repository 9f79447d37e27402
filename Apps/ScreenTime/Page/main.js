import { make } from '/reunion/elements.js';
import { frameWords } from '/reunion/frame-words.js';
import './family-page.js';
import { start } from './start.js';
import { sheetWords } from './words.js';

for (const name of Object.keys(frameWords)) frameWords[name] = sheetWords[name];
addEventListener('hashchange', () => location.hash && location.reload());
const store = await start();
if (store) {
  const page = make('family-page');
  page.store = store;
  document.body.replaceChildren(page);
  performance.mark('ready');
}
