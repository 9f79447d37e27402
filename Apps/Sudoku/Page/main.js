import { hear, showPage } from '/reunion/entrance.js';
import { tellIfOld } from '/reunion/old-page.js';
import { followSettings } from './preferences.js';
import { start } from './start.js';
import './sudoku-page.js';
import { refusedLine, sheetWords } from './words.js';

const store = await showPage('sudoku-page', start, sheetWords);
if (store) {
  hear(store.session, refusedLine);
  tellIfOld(store.replica);
  followSettings(store.replica).catch((error) => console.warn(error));
}
