// Edits drawn here, to show until the server has made its pictures of them.

import { hex } from '/reunion/core/flat.js';
import { drawn, previewURL, renditionURL } from './pictures.js';

const longEdge = 1280;

/** Draws an edit of a photo from an image of it as it was taken. */
export async function drawEdit(store, photo, edit, image) {
  if (!image.naturalWidth) return;
  const { source, turns, width, height } = store.replica.core.plan(
    image.naturalWidth, image.naturalHeight, longEdge, edit);
  const canvas = document.createElement('canvas');
  Object.assign(canvas, { width, height });
  const context = canvas.getContext('2d');
  context.imageSmoothingQuality = 'high';
  context.translate(width / 2, height / 2);
  context.rotate(turns * Math.PI / 2);
  const [across, down] = turns % 2 ? [height, width] : [width, height];
  context.drawImage(image, source.x, source.y, source.width, source.height,
    -across / 2, -down / 2, across, down);
  const picture = await new Promise((resolve) => canvas.toBlob(resolve, 'image/jpeg', 0.9));
  if (!picture) return;
  const url = renditionURL({ ...photo, shown: { edit: hex(edit) } }, 320);
  drawn.set(url, URL.createObjectURL(picture));
  store.changed();
}

/** Draws a photo's edit from its preview: the server has no original to make it from. */
export async function drawPreview(store, photo) {
  const url = previewURL({ ...photo, shown: null }, store.uploads);
  if (!url || drawn.has(renditionURL(photo, 320))) return;
  const image = new Image();
  image.src = url;
  // A preview that is not there yet comes with the original.
  await image.decode().then(() => drawEdit(store, photo, photo.edit, image), () => {});
}
