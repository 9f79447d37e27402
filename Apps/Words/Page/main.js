import { hear, showPage } from '/kit/entrance.js';
import { tellIfOld } from '/kit/old-page.js';
import { start } from './start.js';
import { refusedLine, sheetWords } from './words.js';
import './words-page.js';

const store = await showPage('words-page', start, sheetWords);
if (store) {
  for (const connection of [store.connection, store.ownConnection]) hear(connection, refusedLine);
  for (const replica of [store.group, store.own]) tellIfOld(replica);
}
