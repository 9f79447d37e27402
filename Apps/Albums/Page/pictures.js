// Where a photo's pictures are, and images that wait for what has not arrived yet.

const firstRetry = 120;
const lastRetry = 20_000;
const waiting = new Set();

/** What the server makes of a photo as it was edited: `size` is 320, 2048 or `full`. */
export const renditionURL = ({ original, shown }, size) =>
  `/renditions/${original.hash}/${size}${shown ? `/${shown.edit}` : ''}`;

/** Edited pictures that were drawn here, by the URL under which the server will have them. */
export const drawn = new Map();

/**
 * What became of an original of which there is no picture: the album has it (`kept`), or does not (`unkept`);
 * undefined for a photo like others.
 */
export const fateOf = ({ contentType, storedAt }) =>
  (contentType === 'application/octet-stream' ? storedAt ? 'kept' : 'unkept' : undefined);

/** The small picture's URL: this phone's own, the preview, or what the server made. */
export function previewURL(photo, uploads) {
  if (photo.isArriving) return null;
  const fate = fateOf(photo);
  const hash = (fate || !photo.shown) && photo.preview?.hash;
  if (hash) return uploads.previewURL(hash) ?? `/blobs/${hash}`;
  if (fate) return null;
  const url = renditionURL(photo, 320);
  return drawn.get(url) ?? (photo.storedAt ? url : null);
}

/** The large picture's URL, or null until the server has the original. */
export const largeURL = (photo) => (photo.storedAt && !fateOf(photo) ? renditionURL(photo, 2048) : null);
export const originalURL = (photo) => `/blobs/${photo.original.hash}`;

/** The colour that stands in for a photo. */
export const colorOf = ({ color }) =>
  (color ? `#${(Number(color) & 0xffffff).toString(16).padStart(6, '0')}` : '');

/** Shows a URL in an image, and asks again while it is not there. */
export function showImage(image, url) {
  if (image.wanted === url) return;
  clearTimeout(image.retry);
  waiting.delete(image);
  image.wanted = url;
  image.classList.remove('shown');
  image.removeAttribute('src');
  if (!url) return;
  let delay = firstRetry;
  image.onload = () => {
    waiting.delete(image);
    image.classList.add('shown');
  };
  image.onerror = () => {
    waiting.add(image);
    image.removeAttribute('src');
    image.retry = setTimeout(() => image.isConnected && (image.src = url), delay);
    delay = Math.min(delay * 1.7, lastRetry);
  };
  image.src = url;
}

/** Asks at once for the pictures that have not come: the connection is back, or blobs arrived. */
export function retryImages(isWanted = () => true) {
  for (const image of waiting) {
    if (!image.isConnected) waiting.delete(image);
    else if (isWanted(image.wanted)) image.src = image.wanted;
  }
}
