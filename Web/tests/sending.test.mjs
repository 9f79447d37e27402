// What a page does where something other than its server answers uploads, in a time of its own.

import assert from 'node:assert/strict';
import test from 'node:test';

const html = { 'Content-Type': 'text/html' };
const json = { 'Content-Type': 'application/json' };
const hashOf = (number) => String(number).padStart(64, '0');
const minute = 60_000;

/** A page's uploads against `answer({method, size, from})`, which gives `{status, headers, body}`. */
class Bench {
  now = 0; sent = []; notices = [];
  #timers = new Map(); #last = 0; #answer;

  static async open(answer, sizes) {
    const bench = new Bench();
    bench.#answer = answer;
    bench.#install();
    const [{ Sending }, { Shelf }] = await Promise.all(
      ['sending', 'shelf', 'transfer'].map((name) => import(`../uploads/${name}.js`)));
    bench.shelf = Object.assign(new Shelf({
      get: (entity, id) => ({ id, alive: true }),
      transaction: async (body) => body({ put() {}, remove() {}, create() {}, set() {}, delete() {} }),
    }, { entity: 'note', field: 'file' }), {
      body: async ({ size }) => new Blob([new Uint8Array(size)]), isKept: async () => true,
    });
    sizes.forEach((size, number) => bench.shelf.rows.set(`r${number}`, {
      id: `r${number}`, use: 'original', record: `r${number}`, size, hash: hashOf(number), at: -1e12,
      name: `${number}.pdf`, about: {},
    }));
    bench.sending = new Sending(bench.shelf, '/uploads', {
      notice: (code, name, sentence, status) => bench.notices.push({ code, name, sentence, status }),
      moved() {}, sent() {}, isOnline: () => true, isReading: () => false,
    });
    bench.sending.isActive = true;
    bench.sending.wake();
    await bench.pass(0);
    return bench;
  }

  #install() {
    const bench = this;
    globalThis.setTimeout = (act, after = 0) => {
      bench.#timers.set(++bench.#last, { act, at: bench.now + after });
      return bench.#last;
    };
    globalThis.IDBKeyRange = { bound() {} };
    globalThis.clearTimeout = (timer) => bench.#timers.delete(timer);
    Object.defineProperty(globalThis, 'performance', { value: { now: () => bench.now }, configurable: true });
    globalThis.XMLHttpRequest = class {
      upload = {}; #headers = {};
      open(method, url) { Object.assign(this, { method, url }); }
      setRequestHeader(name, value) { this.#headers[name] = value; }
      getResponseHeader(name) { return this.given[name] ?? null; }
      abort() { this.onabort?.(); }
      send(body) {
        const about = { method: this.method, url: this.url, size: body?.size ?? 0, headers: this.#headers };
        if (this.method === 'PATCH') bench.sent.push(about.size);
        queueMicrotask(() => {
          const { status, headers, body: text = '' } = bench.#answer(about);
          Object.assign(this, { status, given: headers, responseText: text });
          this.onload();
        });
      }
    };
  }

  /** Lets time pass, and all that follows from it. */
  async pass(milliseconds) {
    const until = this.now + milliseconds;
    for (;;) {
      for (let turn = 0; turn < 30; turn++) {
        await import('../uploads/transfer.js');
        await new Promise(setImmediate);
      }
      const [timer, next] = [...this.#timers].reduce(
        (found, each) => (!found || each[1].at < found[1].at ? each : found), null) ?? [];
      if (!next || next.at > until) break;
      this.now = Math.max(this.now, next.at);
      this.#timers.delete(timer);
      next.act();
    }
    this.now = until;
  }

  get blocked() { return this.notices.filter(({ code }) => code === 'blocked'); }
  get left() { return [...this.shelf.rows.keys()]; }
}

/** The server, with what stands before it: `instead(about)` gives an answer, or nothing. */
const server = (instead = () => null) => (about) => {
  const other = instead(about);
  if (other) return other;
  const number = Number(about.url.split('/').at(-1));
  if (about.method === 'POST') {
    const at = atob(about.headers['Repr-Digest'].slice(9, -1));
    const hash = [...at].map((each) => each.charCodeAt(0).toString(16).padStart(2, '0')).join('');
    return { status: 201, headers: { Location: `/uploads/${Number(hash)}`, 'Upload-Offset': '0' } };
  }
  if (about.method === 'HEAD') return { status: 204, headers: { 'Upload-Offset': '0' } };
  return {
    status: 200, headers: { ...json, 'Upload-Complete': '?1' }, body: JSON.stringify({ hash: hashOf(number) }),
  };
};
const limit = (most) => ({ method, size }) => (method === 'PATCH' && size > most
  ? { status: 413, headers: html, body: '<title>413</title>' } : null);

test('a proxy that refuses large bodies is told once, after three tries, and small files go', async () => {
  let most = 1000;
  const bench = await Bench.open(server((about) => limit(most)(about)), [5000, 3000, 4000, 500]);
  await bench.pass(minute);
  assert.deepEqual(bench.blocked.map(({ status }) => status), [413]);
  assert.deepEqual(bench.left.sort(), ['r0', 'r1', 'r2'], 'the small one goes');
  assert.ok(bench.sent.filter((size) => size > most).length <= 4, `${bench.sent} were sent`);
  const before = bench.sent.length;
  await bench.pass(30 * minute);
  const tries = bench.sent.slice(before);
  assert.ok(tries.length > 1 && tries.length < 6, `${tries.length} tries in half an hour`);
  assert.deepEqual(new Set(tries), new Set([3000]), 'the smallest alone tries');
  assert.equal(bench.blocked.length, 1, 'it is told once');
  most = 10_000;
  await bench.pass(40 * minute);
  assert.deepEqual(bench.left, [], 'they go on by themselves');
  assert.equal(bench.sending.blocked, 0);
});

test('who asks for it has a file tried at once, and is told again', async () => {
  let most = 1000;
  const bench = await Bench.open(server((about) => limit(most)(about)), [5000]);
  await bench.pass(minute);
  let { length } = bench.sent;
  bench.sending.wake();
  await bench.pass(1000);
  assert.equal(bench.sent.length, length, 'a connection that returns sends no whole file');
  bench.sending.tryAgain();
  await bench.pass(1000);
  assert.equal(bench.sent.length, ++length);
  assert.equal(bench.blocked.length, 2);
  most = 10_000;
  bench.sending.tryAgain();
  await bench.pass(1000);
  assert.deepEqual(bench.left, []);
});

const others = {
  'a gateway that forbids': { status: 403, headers: html, body: 'Blocked by policy' },
  'a gateway that asks for a password': { status: 401, headers: html, body: '<h1>Sign in</h1>' },
  'a page that wants one to sign in': { status: 200, headers: html, body: '<h1>Welcome</h1>' },
  'a page of JSON that is not ours': { status: 200, headers: json, body: '{"ok":true}' },
  'a proxy that knows no such page': { status: 404, headers: html, body: 'Not Found' },
  'a proxy without a server': { status: 502, headers: html, body: 'Bad Gateway' },
  'a proxy that waits in vain': { status: 504, headers: html, body: '' },
  'a proxy whose disk is full': { status: 507, headers: html, body: '' },
};
for (const [who, answer] of Object.entries(others)) {
  for (const where of ['POST', 'PATCH', 'HEAD']) {
    test(`${who} is told once and decides nothing, where it answers ${where}`, async () => {
      let isThere = true;
      const bench = await Bench.open(server(({ method }) => {
        if (!isThere) return null;
        // That there is something to go on with: the connection breaks at first.
        if (where === 'HEAD' && method === 'PATCH') return { status: 503, headers: json, body: '{"error":"Busy."}' };
        return method === where ? answer : null;
      }), [5000]);
      await bench.pass(10 * minute);
      // To HEAD a page says nothing but its head; what is asked next says more.
      const isTold = where !== 'HEAD' || answer.status !== 200;
      assert.deepEqual(bench.notices.map(({ code, status }) => `${code} ${status}`),
        isTold ? [`blocked ${answer.status}`] : []);
      assert.deepEqual(bench.left, ['r0']);
      isThere = false;
      await bench.pass(40 * minute);
      assert.deepEqual(bench.left, []);
    });
  }
}

const ours = (status, more = {}) => ({ status, headers: json, body: JSON.stringify({ error: 'No.', ...more }) });
test('the server itself is believed: what it refuses goes, what it has no room for waits', async () => {
  const codes = async (answer) => {
    const bench = await Bench.open(server(({ method }) => (method === 'PATCH' ? answer : null)), [5000]);
    await bench.pass(20_000);
    return [bench.notices.map(({ code }) => code), bench.left.length];
  };
  assert.deepEqual(await codes(ours(413, { verdict: 'refused' })), [['unsent'], 0], 'its record stays');
  assert.deepEqual(await codes(ours(410, { verdict: 'refused' })), [['erased'], 0]);
  assert.deepEqual(await codes(ours(507)), [['full'], 1]);
  assert.deepEqual(await codes(ours(401)), [['out'], 1]);
  assert.deepEqual(await codes(ours(429)), [[], 1]);
  assert.deepEqual(await codes(ours(503)), [[], 1]);
  assert.deepEqual(await codes(ours(403)), [['blocked'], 1], 'its sentence is told');
});

test('what answers in the place of the server is no answer', async () => {
  const { ask, isMember } = await import('../conversation/ask.js');
  const { fetch } = globalThis;
  const asked = async (status, body, question) => {
    globalThis.fetch = async () => new Response(body, { status });
    return question().finally(() => { globalThis.fetch = fetch; });
  };
  for (const status of [200, 401, 403, 404, 502]) {
    await assert.rejects(asked(status, '<h1>Sign in</h1>', () => ask('/session')),
      (error) => error instanceof TypeError && error.status === undefined, String(status));
    assert.equal(await asked(status, '<h1>Sign in</h1>', isMember), true, 'nobody is put out by it');
  }
  await assert.rejects(asked(401, '{"error":"Ask.","standing":"lapsed"}', () => ask('/session')),
    ({ status, standing, message }) => status === 401 && standing === 'lapsed' && message === 'Ask.');
  assert.equal(await asked(401, '{"error":"Ask."}', isMember), false);
  assert.deepEqual(await asked(200, '{"space":"a"}', () => ask('/session')), { space: 'a' });
});
