// One resumable upload (IETF "Resumable Uploads for HTTP", docs/protocol.md 3.3).

import { unhex } from './flat.js';

const stallMilliseconds = 20_000;

/**
 * Why an upload ended: `kind` is `link`, `again`, `refused`, `lost`, `full` or `out`. Where the server said
 * why, `sentence` is what it said.
 */
export class TransferError extends Error {
  constructor(kind, message, sentence) {
    super(message);
    this.kind = kind;
    this.sentence = sentence;
  }
}

const ends = { 401: 'out', 404: 'again', 507: 'full' };

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

function check(request) {
  if (request.status < 300) return request;
  let said = {};
  try { said = JSON.parse(request.responseText) ?? said; } catch { /* No sentence. */ }
  // A proxy's status is no verdict: only our server can refuse a file for good.
  const kind = said.verdict === 'refused' ? 'refused' : ends[request.status] ?? 'link';
  throw new TransferError(kind, `The server answered ${request.status}.`, said.error);
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
    if (request.status < 300) resumed(offset = offsetOf(request));
    else if (![404, 410].includes(request.status)) check(request);
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
    if (!location) throw notOurs();
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
    if (request.status !== 409) {
      check(request);
      if (isComplete(request)) return answer(request, row);
    }
    offset = offsetOf(request);
    isMoving = offset > from;
    if (isMoving) resumed(offset);
  }
  throw new TransferError('link', 'The server lost the place in the file.');
}

const isComplete = (request) => request.getResponseHeader('Upload-Complete') === '?1';
const notOurs = () => new TransferError('link', 'Something other than the server answered.');

/** The server's word that it holds this blob: a 200 of anybody else does not count. */
function answer(request, { hash }) {
  let said = null;
  try { said = JSON.parse(request.responseText); } catch { /* Not ours. */ }
  if (said?.hash !== hash) throw notOurs();
  return said;
}
