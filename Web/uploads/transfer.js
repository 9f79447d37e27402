// One resumable upload (IETF "Resumable Uploads for HTTP", docs/protocol.md 3.3).

import { unhex } from '../core/flat.js';

export { finish, refuse } from './outcome.js';
export { Wall } from './wall.js';

const stallMilliseconds = 20_000;

/**
 * Why an upload ended: `kind` is `link`, `again`, `refused`, `erased`, `lost`, `full`, `out`, or `blocked`, where what
 * answered will answer so again, as a proxy's limit does. Where the server said why, `sentence` is what it said.
 */
export class TransferError extends Error {
  constructor(kind, message, { sentence, status } = {}) {
    super(message);
    Object.assign(this, { kind, sentence, status });
  }
}

/** What the server's own answers mean; any other 4xx stays as it is. */
const ends = { 401: 'out', 404: 'again', 409: 'link', 410: 'again', 429: 'link', 507: 'full' };

const base64 = (hash) => btoa(String.fromCharCode(...unhex(hash)));

/** One HTTP request; resolves with the XMLHttpRequest whatever its status. */
function send(method, url, { headers = {}, body = null, progress, signal }) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    let stall;
    const settle = (act) => () => {
      clearTimeout(stall);
      signal?.removeEventListener('abort', abort);
      act();
    };
    const alive = () => {
      clearTimeout(stall);
      stall = setTimeout(() => request.abort(), stallMilliseconds);
    };
    const abort = () => request.abort();
    signal?.addEventListener('abort', abort);
    request.open(method, url);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded }) => {
      alive();
      progress?.(loaded);
    };
    request.onload = settle(() => resolve(request));
    request.onerror = request.onabort = settle(
      () => reject(new TransferError('link', 'The connection was lost.')));
    alive();
    request.send(body);
    if (signal?.aborted) abort();
  });
}

/** What the JSON of an answer says; nothing where it is none. */
function saidIn({ responseText }) {
  try { return JSON.parse(responseText) ?? {}; } catch { return {}; }
}

/** Whether an error is the server's own word: each of those is JSON with a sentence, and to HEAD its head alone. */
const isOurs = (request, method) => (method === 'HEAD'
  ? /^application\/json/.test(request.getResponseHeader('Content-Type'))
  : typeof saidIn(request).error === 'string');

function check(request, method) {
  const { status } = request;
  if (status < 300) return request;
  // A proxy's status is no verdict: only our server can refuse a file for good.
  if (!isOurs(request, method)) throw notOurs(request);
  const { verdict, error: sentence } = saidIn(request);
  const refused = status === 410 ? 'erased' : 'refused';
  const kind = verdict === 'refused' ? refused : ends[status] ?? (status < 500 ? 'blocked' : 'link');
  throw new TransferError(kind, `The server answered ${status}.`, { sentence, status });
}

const offsetOf = (request) => Number(request.getResponseHeader('Upload-Offset') ?? NaN);

/**
 * Sends the bytes of a blob from where the server stopped, and resolves with the server's answer
 * once they are checked and on its disk.
 *
 * - row: `{use, hash, size, location}`; `located(location)` is waited for before a byte is sent.
 * - body: a Blob of all bytes.
 * - resumed(offset): how much the server already had.
 */
export async function transfer({ url, row, body, located, resumed, progress, signal }) {
  let { location } = row;
  let offset = NaN;
  if (location) {
    const request = await send('HEAD', location, { signal });
    const isGone = [404, 410].includes(request.status) && isOurs(request, 'HEAD');
    if (!isGone) check(request, 'HEAD');
    if (!isGone) offset = offsetOf(request);
    if (offset >= 0) resumed(offset);
  }
  if (Number.isNaN(offset)) {
    const request = check(await send('POST', `${url}?use=${row.use}`, {
      headers: {
        'Upload-Length': String(row.size), 'Upload-Complete': '?0',
        'Repr-Digest': `sha-256=:${base64(row.hash)}:`,
      },
      signal,
    }));
    if (isComplete(request)) return answer(request, row);
    location = request.getResponseHeader('Location');
    if (!location) throw notOurs(request);
    offset = offsetOf(request) || 0;
    await located(location);
  }
  // A browser may send a request again by itself after a reset; the server then names its place.
  for (let isMoving = true; isMoving;) {
    const from = offset;
    const request = await send('PATCH', location, {
      headers: {
        'Upload-Offset': String(from), 'Upload-Complete': '?1',
        'Content-Type': 'application/partial-upload',
      },
      body: body.slice(from),
      progress: (loaded) => progress(from + loaded),
      signal,
    });
    offset = offsetOf(request);
    if (request.status !== 409 || Number.isNaN(offset)) {
      check(request);
      if (isComplete(request)) return answer(request, row);
      if (Number.isNaN(offset)) throw notOurs(request);
    }
    isMoving = offset > from;
    if (isMoving) resumed(offset);
  }
  throw new TransferError('link', 'The server lost the place in the file.');
}

const isComplete = (request) => request.getResponseHeader('Upload-Complete') === '?1';
const notOurs = ({ status }) =>
  new TransferError('blocked', `Something other than the server answered ${status}.`, { status });

/** The server's word that it holds this blob: a 200 of anybody else does not count. */
function answer(request, { hash }) {
  const said = saidIn(request);
  if (said.hash !== hash) throw notOurs(request);
  return said;
}
