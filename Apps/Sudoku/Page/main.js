import { hear, showPage } from '/kit/entrance.js';
import { tellIfOld } from '/kit/old-page.js';
import { followSettings } from './preferences.js';
import { start } from './start.js';
import './sudoku-page.js';
import { refusedLine, sheetWords } from './words.js';

const store = await showPage('sudoku-page', start, sheetWords);
if (store) {
  hear(store.connection, refusedLine);
  tellIfOld(store.replica);
  followSettings(store.replica).catch((error) => console.warn(error));
}
