import './quakes-page.js';
import { make } from '/reunion/elements.js';
import { start } from './start.js';

const store = await start();
if (store) {
  performance.mark('ready');
  const page = make('quakes-page');
  page.store = store;
  document.body.replaceChildren(page);
}
