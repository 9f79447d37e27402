// On a page for who is not in the album: joins by a picture of its QR code, as somebody sent it.

import { make } from '/reunion/elements.js';
import { codeWords } from './later-words.js';

const said = make('p', { role: 'status' });
const input = make('input', {
  type: 'file', accept: 'image/*', hidden: true, onchange: () => take(input.files[0]),
});
document.querySelector('main button').before(
  make('button.primary', { type: 'button', onclick: () => input.click() },
    codeWords.choose), input, said);

const pictureIn = (transfer) => [...(transfer?.files ?? [])].find(({ type }) =>
  type.startsWith('image/'));
addEventListener('paste', ({ clipboardData }) => take(pictureIn(clipboardData)));
addEventListener('dragover', (event) => event.preventDefault());
addEventListener('drop', (event) => {
  event.preventDefault();
  take(pictureIn(event.dataTransfer));
});

/** The browser's own reader. Browsers that have one offer it only in secure contexts. */
async function readHere(picture) {
  try {
    const detector = new BarcodeDetector({ formats: ['qr_code'] });
    const codes = await detector.detect(await createImageBitmap(picture));
    // What the server goes by elsewhere, it knows itself; nobody else's secret is its business.
    return codes.map(({ rawValue }) => rawValue.split('#join=')).find(([page]) =>
      page === `${location.origin}/`)?.[1];
  } catch {
    return null;
  }
}

const longEdge = 4096;

/** What the server reads before somebody has joined: JPEG and PNG as they are, and a JPEG of what else
    this browser can show, such as a phone's HEIC. */
async function plain(picture) {
  const [first, second] = new Uint8Array(await picture.slice(0, 2).arrayBuffer());
  if ((first === 0xff && second === 0xd8) || (first === 0x89 && second === 0x50)) return picture;
  try {
    const bitmap = await createImageBitmap(picture, { imageOrientation: 'from-image' });
    const scale = Math.min(1, longEdge / Math.max(bitmap.width, bitmap.height));
    const canvas = document.createElement('canvas');
    canvas.width = Math.ceil(bitmap.width * scale);
    canvas.height = Math.ceil(bitmap.height * scale);
    const context = canvas.getContext('2d');
    context.fillStyle = '#fff';
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
    bitmap.close();
    const jpeg = await new Promise((resolve) => canvas.toBlob(resolve, 'image/jpeg', 0.92));
    return jpeg ?? picture;
  } catch {
    // The server says what to choose instead.
    return picture;
  }
}

async function readThere(picture) {
  const response = await fetch('/join/picture', { method: 'POST', body: await plain(picture) });
  const answer = await response.json().catch(() => ({}));
  return answer.invite ?? Promise.reject(new Error(response.status === 413
    ? codeWords.tooLarge : answer.error ?? codeWords.noAnswer));
}

async function take(picture) {
  if (!picture) return;
  said.textContent = codeWords.looking;
  try {
    const secret = await readHere(picture) ?? await readThere(picture);
    location.hash = `#join=${secret}`;
    location.reload();
  } catch ({ message, name }) {
    said.textContent = name === 'TypeError' ? codeWords.noAnswer : message;
  }
  input.value = '';
}
