// Seeded bugs of the browser's library: each is a change of one place of a source, which a tab that is
// opened with `bug` loads. Each is caught by the history of the seed that stands with it, by the world with
// stores and browsers ('world', BrowserTests.swift), by histories of counters, sets and lists ('collections',
// `collection-histories.test.mjs`), by a page that is older than its server ('older', OlderPageTests.swift),
// or else by Web/tests/tabs.test.mjs (`histories.test.mjs` checks it).

// By file: what is wrong, what stands there, what stands there then, and the seed.
const places = {
  'replica/database.js': [
    ['a database that is away is asked once', '|| attempt === pauses.length) throw error;', '|| attempt) throw error;'],
  ],
  'replica/model.js': [
    ['a value of another kind is written as what it becomes',
      'if (!takes[kind](value)) throw invalid(kind, called, value);', ''],
  ],
  'conversation/connection.js': [
    ['a commit is not pushed while connected', 'replica.onCommit(() => this.push());', ''],
  ],
  'replica/lease.js': [
    ['a tab that follows is not told how things stand',
      'tab: this.#id, ...this.#about() });', 'tab: this.#id });'],
  ],
  'conversation/session.js': [
    ['half a push is shown', 'this.#stage.add(part);',
      `this.#stage.add(part);
       if (part.records.length) this.#replica.applyPush(this.#stage, {
         position: new Uint8Array(0), vector: new Map(), server: this.#server });`, 1],
    ['what the server claims to hold is not sent', '.set(this.#site, this.#sent ?? replica.acked)', ''],
    ['a server that went back is believed to hold what it once had',
      'this.#replica.acknowledge(reading.held, true)', 'this.#replica.acknowledge(reading.held)', 'world'],
  ],
  'conversation/block.js': [
    ['a damaged part of a block is left out', 'conversation.part(await inflated(source));',
      'await inflated(source).then((part) => conversation.part(part), () => {});', 'world'],
  ],
  'writing/transaction.js': [
    ['a delete is ignored',
      'delete(record) { this.#write(record.entity, record.id).deletes = true; }',
      'delete(record) { this.#write(record.entity, record.id); }', 2],
    ['a record of any id is written', 'if (!isID(id)) throw invalidID(entityName, id);', ''],
    ['an edit has the stamp of the wall clock alone',
      'core.nextStamp(last, replaced, seq)', 'core.nextStamp(0n, 0n, seq)'],
  ],
  'writing/staged-record.js': [
    ['a removal from a set sees nothing', 'sightBytes(new Map([...seen].sort(', 'sightBytes(new Map([].sort(',
      'collections'],
    ['a removal from a set sees what comes later', 'if (!(seen.get(site) >= seq)) seen.set(site, seq);',
      'seen.set(site, 1n << 40n);', 'collections'],
    ['a counter forgets what its site has added before', '(part ? intOf(part) ?? 0n : 0n) + amount', 'amount',
      'collections'],
    ['of two tallies of a transaction the first counts', 'if (this.#fresh.length) this.#merge(',
      'if (this.#fresh.length && !this.#list) this.#merge(', 'collections'],
  ],
  'writing/collection-transaction.js': [
    ['what is written goes by what the tab shows', 'new StagedRecord(held, about)',
      'new StagedRecord(this.#cellsOf(this.#key(record)), about)', 'collections'],
  ],
  'writing/update-need.js': [
    ['an older page is told nothing', 'isNeeded: needed > version', 'isNeeded: false', 'older'],
  ],
  'replica/anew.js': [
    ['what was deleted long ago stays where a page was away',
      'if (!cells.some(isUnsent)) return flat([]);', 'if (!cells.some(isUnsent)) return held;', 'world'],
    ['an unsent edit goes with what was deleted long ago', 'if (!gone.length) return held;',
      'if (gone.length) return flat([]);', 'world'],
    ['what is held stays beside what comes whole',
      'return isAll || isWhole(cells, coming) ? flat(cells.filter(isUnsent)) : held', 'return held', 'world'],
  ],
  'replica/renewed-parts.js': [
    ['a renewed copy claims a part of a counter that the server has otherwise', 'meta.vector.delete(cell.site);',
      '', 'collections'],
  ],
  'replica/replica.js': [
    ['a commit whose word was lost is made again', 'if (noted && noted === meta.commits.at(-1)) return;', ''],
    ['what the server claims to hold is no longer waited for',
      'if (own.get(site) > most) own.set(site, most);', ''],
    ['a row under a key that names no record is read', 'if (!isKey(key)) return null;', ''],
    ['a row that cannot be read ends the opening', '      return null;\n    }\n  }', '      throw error;\n    }\n  }'],
    ['where another tab has committed, the screen is not what counts',
      'for (const { outcomes } of this.#arrived) {', 'for (const { outcomes } of []) {'],
    ['a renewal writes the memory of one tab',
      'if (!keys || meta.revision !== this.#meta.revision) {',
      'keys ??= [...this.#entries.keys()]; if (0) {'],
    ['an opening tab hears nothing of the others',
      'if (data.keys) replica.#inTurn(() => replica.#follow(data));',
      'if (data.keys) { if (replica.isOpen) replica.#inTurn(() => replica.#follow(data)); }'],
    ['what is erased for good stays', '.filter((key) => outcomes.has(key) || this.#entries.has(key))',
      '.filter(() => false)', 'world'],
    ['a push is acknowledged and its records are not kept',
      'return new Map([...outcomes].map(([key, outcome]) => [key,',
      'return new Map([...outcomes].slice(1).map(([key, outcome]) => [key,'],
    ['a copy that went back and wrote on is not found',
      '!this.#meta.commits.includes(commit)', 'false'],
    ["what another incarnation told counts as this one's",
      'incarnation === incarnationOf(this.site) &&', 'told.length > 0 &&'],
    ['two tabs that open make two sites',
      "const stored = await result(store('meta').get('replica'));\n      const meta",
      'const stored = null;\n      const meta'],
    ['what the server has acknowledged is believed to be all',
      'if (isOurs && !(cell.seq <= beyond?.get(cell.site))) own.push(cell);',
      'if (!(cell.seq <= (beyond?.get(cell.site) ?? 0n) + 1n)) own.push(cell);'],
    ['an edit takes half a push to the disk', 'if (writes.size) await this.#keep();', '', 'world'],
    ['what was refused stays', 'if (stage.refusals.length || rule)', 'if (rule)', 'world'],
    ['of its own a page lets go what nobody wrote over', 'const isStaying = !isAnother || isOwn(cell);',
      'const isStaying = !isAnother || (isOwn(cell) && cell.field !== 2);', 'world'],
    ['what the server has lost stays', 'const isStaying = !isAnother ||', 'const isStaying = true ||', 'world'],
    ['what the model does not know is not kept', 'const outcomes = stage.ready(this.#held);',
      'const outcomes = new Map([...stage.ready(this.#held)].filter(([, { entry }]) => entry.record));', 'older'],
    ['seqs begin anew with each action',
      'site: meta.site, seq: meta.seq, last', 'site: meta.site, seq: 0n, last'],
  ],
};

/** By name: `{file, from, to, seed}`. */
export const bugs = Object.fromEntries(Object.entries(places).flatMap(([file, all]) =>
  all.map(([name, from, to, seed]) => [name, { file, from, to, seed }])));

/** The source of a file with a bug in it, or as it is. */
export function withBug(name, file, source) {
  if (!name) return source;
  const bug = bugs[name];
  if (!bug) throw new Error(`There is no bug “${name}”.`);
  if (bug.file !== file) return source;
  if (source.split(bug.from).length !== 2) throw new Error(`“${name}” fits ${file} no longer.`);
  return source.replace(bug.from, () => bug.to);
}
