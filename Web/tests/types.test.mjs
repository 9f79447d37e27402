// Web/reunion.d.ts says what Web/reunion.js exports, and its classes what theirs have.

import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import test from 'node:test';
import * as library from '../reunion.js';

const web = new URL('../', import.meta.url);
const read = (name) => readFileSync(new URL(name, web), 'utf8');
const types = read('reunion.d.ts').replace(/\/\*\*.*?\*\//gs, '').replace(/^\/\/.*$/gm, '');

/** What types declare that exists when a program runs, by name: the text of its block. */
function declared(text) {
  const found = [...text.matchAll(/^export (?:abstract )?(class|function|const) (\w+)(.*?)(?=^export |(?![\s\S]))/gms)];
  return new Map(found.map(([, kind, name, body]) => [name, { kind, body }]));
}

/** The members of a class in types. */
const membersOf = (body) => new Set([...body.matchAll(
  /^ {2}(?:private |static |readonly |set |get )*(\w+)(?=[(<:?])/gm)].map(([, name]) => name));

/** What a class has that anybody may use: methods, accessors, and the fields that its source lists. */
function membersIn(made, source) {
  const names = [...Object.getOwnPropertyNames(made.prototype),
    ...Object.getOwnPropertyNames(made).filter((name) => typeof made[name] === 'function')];
  const block = new RegExp(`^(?:export )?class ${made.name}\\b.*?^}`, 'ms').exec(source)?.[0] ?? '';
  const fields = [...block.matchAll(/^ {2}(\w+) = |^ {4}(?:this|replica)\.(\w+) = /gm)]
    .map(([, one, other]) => one ?? other);
  const assigned = [...block.matchAll(/Object\.assign\((?:this|replica), \{([^}]*)\}/g)]
    .flatMap(([, list]) => list.split(',').map((each) => each.trim().split(':')[0]));
  const parent = Object.getPrototypeOf(made);
  const inherited = parent.prototype ? membersIn(parent, source) : [];
  return new Set([...names, ...fields, ...assigned, ...inherited]);
}

const sources = readdirSync(web, { recursive: true })
  .filter((name) => name.endsWith('.js') && !name.startsWith('tests/')).map(read);
const sourceOf = (name) => sources.find((text) => new RegExp(`^export class ${name}\\b`, 'm').test(text));

test('every export of reunion.js stands in reunion.d.ts, and the reverse', () => {
  assert.deepEqual([...declared(types).keys()].sort(), Object.keys(library).sort());
  for (const [name, { kind }] of declared(types)) {
    const is = library[name];
    const isClass = typeof is === 'function' && /^class\b/.test(Function.prototype.toString.call(is));
    assert.equal(kind, isClass ? 'class' : typeof is === 'function' ? 'function' : 'const', name);
  }
});

test('what the types say of a class is there', () => {
  for (const [name, { kind, body }] of declared(types)) {
    if (kind !== 'class') continue;
    const there = membersIn(library[name], sourceOf(name));
    const missing = [...membersOf(body)].filter((member) => !there.has(member));
    assert.deepEqual(missing, [], `${name} has no such members.`);
  }
});

test('what a class offers stands in the types, or is what other modules of the library need', () => {
  let count = 0;
  for (const [name, { kind, body }] of declared(types)) {
    if (kind !== 'class') continue;
    const told = membersOf(body);
    const own = sourceOf(name);
    const others = sources.filter((text) => text !== own).join('\n');
    for (const member of Object.getOwnPropertyNames(library[name].prototype)) {
      count += 1;
      const isNeeded = new RegExp(`\\b${member}\\b`).test(others);
      assert.ok(told.has(member) || isNeeded, `Name ${name}.${member} in Web/reunion.d.ts.`);
    }
  }
  assert.ok(count > 40);
});

test('a member too many and an export too few are seen (negative control)', () => {
  const seeded = declared(types.replace('  stop(): void;', '  halt(): void;')
    .replace('export function ask', 'function ask'));
  assert.ok(!seeded.has('ask'));
  const there = membersIn(library.Connection, sourceOf('Connection'));
  const missing = [...membersOf(seeded.get('Connection').body)].filter((each) => !there.has(each));
  assert.deepEqual(missing, ['halt']);
});

test('what was called a session goes by its old name, too', () => {
  assert.equal(library.Session, library.Connection);
});
