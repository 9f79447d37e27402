// What a person reads stands in the words of each page; the library says codes, and no sentences.

import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const home = 'words.js';
/** What a first visit does not need of a page's words, where a page has it apart. */
const laterHome = 'later-words.js';
const pages = ['Apps/Albums/Page', 'Apps/Quakes/Page', 'Apps/Sudoku/Page', 'Apps/Words/Page'];

/** Calls whose text a developer reads: those of the console, and what a library throws. */
const consoleCall = /\bconsole\.\w+$/;
const thrown = /\bthrow [\w.]+$|\bnew \w*(?:Error|Exception)$/;

/** After these a slash begins a regular expression. */
const beforePattern = /(?:^|[(,=:[!&|?{};+*%<>~^-]|\breturn|\bcase|\btypeof)\s*$/;
const token = new RegExp([
  /\/\/[^\n]*|\/\*[^]*?\*\//, /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"/,
  /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*/, /[`(){}[\]]/,
].map(({ source }) => source).join('|'), 'y');

/**
 * The string and template literals of a module, `{text, line, calls}`: a template's values stand as `…`, and
 * `calls` are the heads of the brackets around it.
 */
function literals(source) {
  const found = [];
  const open = [];
  let code = '';
  const lineOf = (at) => source.slice(0, at).split('\n').length;
  const keep = (text, at) => found.push({ text, line: lineOf(at), calls: open.map(({ head }) => head) });
  /** Goes on in a template from `at`, up to its end or its next value. */
  const template = (at, begun) => {
    const from = at;
    while (source[at] !== '`' && !source.startsWith('${', at)) at += source[at] === '\\' ? 2 : 1;
    const text = begun.text + source.slice(from, at);
    if (source[at] === '`') {
      keep(text, begun.at);
      code += '0';
      return at + 1;
    }
    open.push({ head: '', template: { ...begun, text: `${text}…` } });
    code += '(';
    return at + 2;
  };
  for (let at = 0; at < source.length;) {
    token.lastIndex = at;
    const [part] = token.exec(source) ?? [source[at]];
    const next = at + part.length;
    if (part.startsWith('//') || part.startsWith('/*')) at = next;
    else if (part === '`') at = template(next, { at, text: '' });
    else if (part === '}' && open.at(-1)?.template) {
      code += ')';
      at = template(next, open.pop().template);
    } else if (/^['"]/.test(part)) {
      keep(part.slice(1, -1), at);
      code += '0';
      at = next;
    } else if (part.length > 1 && !beforePattern.test(code.slice(-20))) {
      // A division.
      code += source[at];
      at += 1;
    } else {
      if ('([{'.includes(part)) open.push({ head: code.slice(-60).trimEnd() });
      else if (')]}'.includes(part)) open.pop();
      code += part.length > 1 ? '0' : part;
      at = next;
    }
  }
  return found;
}

const word = /^[“(]?\p{L}[\p{L}’'\u2011-]*[”),.:;!?…]*$/u;
/** Keys of a keyboard, and a header of HTTP. */
const names = /^(?:Enter|Escape|Home|End|Location)$/;

/** Whether somebody would read it: words that begin with a capital, or three words in a row. */
function isSentence(text) {
  const parts = text.split(/\s+/).filter(Boolean);
  const isWord = parts.map((part) => word.test(part));
  if (parts.some((_, at) => isWord[at] && isWord[at + 1] && isWord[at + 2])) return true;
  const [first] = parts;
  if (!isWord[0] || !/^[“(]?(?:\p{Lu}\p{Ll}|[AI]$)/u.test(first) || /\p{Ll}\p{Lu}/u.test(first)) return false;
  return parts.length > 1 || !(names.test(first) || first.includes('-'));
}

/** The sentences of a module that stand in places for no sentence. */
const sentences = (source, isExcused) => literals(source)
  .filter(({ text, calls }) => isSentence(text) && !calls.some((head) => isExcused.test(head)));

const modules = (folder) => readdirSync(join(root, folder), { recursive: true })
  .filter((name) => name.endsWith('.js') && !name.startsWith('tests/'))
  .map((name) => join(folder, name));
const read = (path) => readFileSync(join(root, path), 'utf8');
const homesOf = (page) => modules(page).filter((path) => [home, laterHome].includes(basename(path)));
const places = (paths, isExcused) => paths.flatMap((path) => sentences(read(path), isExcused)
  .map(({ line, text }) => `${path}:${line}: “${text}”`));

for (const page of pages) {
  test(`what a person reads on ${page} stands in its words alone`, () => {
    const homes = homesOf(page);
    const others = modules(page).filter((path) => !homes.includes(path) && !path.endsWith('/land.js'));
    assert.deepEqual(places(others, consoleCall), [], `Move these to ${page}/${home}, and import them.`);
    assert.ok(others.length > 10);
    const own = homes.flatMap((path) => sentences(read(path), consoleCall));
    assert.ok(own.length > 40, `Only ${own.length} are found in ${home}`);
  });
}

test('the library says nothing to a person by itself', () => {
  const isExcused = new RegExp(`${consoleCall.source}|${thrown.source}`);
  assert.deepEqual(places(modules('Web'), isExcused), [],
    'Tell the app by a code, so that it says a sentence of its own; or throw an error.');
});

test('each word that a page has is said somewhere', async () => {
  const tests = read('Apps/Quakes/Page/tests/quakes.test.mjs');
  for (const own of pages.flatMap(homesOf)) {
    // The library says which page stands in where one may not come in.
    const others = [...modules(dirname(own)).filter((path) => path !== own), 'Apps/Shared/Page/entrance.js']
      .map(read).join('\n');
    const isUsed = (name, text = others) => new RegExp(`\\b${name}\\b`).test(text);
    const idle = Object.entries(await import(join(root, own))).flatMap(([name, value]) => {
      if (!isUsed(name, others + tests)) return [name];
      const isChosen = typeof value !== 'object' || others.includes(`${name}[`);
      return isChosen ? [] : Object.keys(value).map((key) => `${name}.${key}`).filter((key) => !isUsed(key));
    });
    assert.deepEqual(idle, [], `Nobody says these of ${own}: use them, or do not export them.`);
  }
});

test('a sentence that stands elsewhere is found with its line (negative control)', () => {
  const source = [
    '// A comment that is a whole sentence.', "/* Another comment, that's one. */",
    "const label = 'Add photos';", "button.ariaLabel = 'Close';",
    'say(`${count > 1 ? `All ${count}` : \'One of them\'} are gone for good`);',
    "const share = width / 2 / height; say('You’re out.');",
    "console.warn('The connection ended:', error);", "throw new TypeError('The link has no secret.');",
    "const pattern = /^'Not a string`/; say(\"No, it's not.\");",
    "make('button.primary', { type: 'button', rel: 'noopener noreferrer' }, icon('M12 5v14M5 12h14'));",
    "event.key === 'Escape'; fetch(`/records/${id}`, { method: 'DELETE', headers: { 'Content-Type': kind } });",
    "style.translate = `${left}px ${top}px`; show(`${width} × ${height}`); name === 'TypeError';",
  ].join('\n');
  const found = (isExcused) => sentences(source, isExcused).map(({ line, text }) => `${line} ${text}`);
  const shown = ['3 Add photos', '4 Close', '5 All …', '5 One of them', '5 … are gone for good',
    '6 You’re out.'];
  assert.deepEqual(found(consoleCall), [...shown, '8 The link has no secret.', "9 No, it's not."]);
  assert.deepEqual(found(thrown), [...shown, '7 The connection ended:', "9 No, it's not."]);
});
