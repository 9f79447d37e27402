import { showPage } from '/kit/entrance.js';
import './family-page.js';
import { start } from './start.js';
import { sheetWords } from './words.js';

await showPage('family-page', start, sheetWords);
