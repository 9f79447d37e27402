// What `Scripts/web.sh` takes out of the modules that it makes: blanks of the code, and none that a person reads.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import test from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const rules = readFileSync(join(root, 'Scripts/lean.pl'), 'utf8');
const lean = (source, by = rules) => execFileSync('perl', ['-0pe', by], { input: source, encoding: 'utf8' });
const load = (source) => import(`data:text/javascript,${encodeURIComponent(source)}`);

const nested = `
  export const line = (by, isOn) => \`4\${by ? \`, by \${isOn ? \`{ \${by} } = \` : '; '} : \` : ' , } '} , ( 1 )\`;
  export const cost = \`$ 4, \\\` $ { \`;
  export const pattern = / , ( +) =/u;
  export const after = { here: 'a , b' , there : [ 1 ] };`;

test('blanks of the code go', () => {
  assert.equal(lean('const a = ( b, c ) => { return [ 1, 2 ] ; };'), 'const a=(b,c)=>{return[1,2];};');
});

test('blanks of strings, patterns and templates stay, also of templates in templates', async () => {
  const made = await load(lean(nested));
  assert.equal(made.line('Ada', true), '4, by { Ada } =  :  , ( 1 )');
  assert.equal(made.line('Ada', false), '4, by ;  :  , ( 1 )');
  assert.equal(made.line('', true), '4 , }  , ( 1 )');
  assert.equal(made.cost, '$ 4, ` $ { ');
  assert.equal(made.pattern.source, ' , ( +) =');
  assert.deepEqual(made.after, { here: 'a , b', there: [1] });
});

test('a template that ended at the next quote would lose its blanks (negative control)', async () => {
  const seeded = rules.replace('\\$(?&value)', '\\$');
  assert.notEqual(seeded, rules);
  const line = 'export const line = (by) => `4${by ? `, by ${by}` : \'\'}`;';
  assert.equal((await load(lean(line))).line('Ada'), '4, by Ada');
  assert.equal((await load(lean(line, seeded))).line('Ada'), '4,by Ada');
});

test('the words of each page are what they were', async () => {
  const homes = readdirSync(join(root, 'Apps')).flatMap((app) => ['words.js', 'later-words.js']
    .map((name) => join(root, 'Apps', app, 'Page', name)));
  const found = homes.filter((home) => existsSync(home));
  for (const home of found) {
    const source = readFileSync(home, 'utf8');
    const strings = (text) => text.match(/'(?:[^'\\\n]|\\.)*'/g);
    assert.deepEqual(strings(lean(source)), strings(source), home);
    // A module in an address of its own finds others by whole addresses alone.
    await load(lean(source).replace("'./words.js'", `'${new URL('words.js', pathToFileURL(home))}'`));
  }
  assert.ok(found.length >= 3);
});
