import { hear, showPage } from '/reunion/entrance.js';
import { tellIfOld } from '/reunion/old-page.js';
import { start } from './start.js';
import { refusedLine, sheetWords } from './words.js';
import './words-page.js';

const store = await showPage('words-page', start, sheetWords);
if (store) {
  for (const session of [store.session, store.ownSession]) hear(session, refusedLine);
  for (const replica of [store.group, store.own]) tellIfOld(replica);
}
