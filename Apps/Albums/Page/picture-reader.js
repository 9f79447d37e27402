// A picture on this device: its upright size, a small preview, and its average colour.

const previewEdge = 320;
const quality = 0.8;

const canvasOf = (width, height) => {
  const canvas = document.createElement('canvas');
  Object.assign(canvas, { width, height });
  const context = canvas.getContext('2d', { willReadFrequently: width === 1 });
  context.imageSmoothingQuality = 'high';
  return { canvas, context };
};

/**
 * Decodes a file, upright as its EXIF says: `{values: {width, height, color}, preview}`, the preview a JPEG
 * Blob with its longer side at most 320. Null where this browser cannot decode it.
 */
export async function readPicture(file, core) {
  let bitmap;
  try {
    bitmap = await createImageBitmap(file, { imageOrientation: 'from-image' });
  } catch {
    return null;
  }
  try {
    const size = core.plan(bitmap.width, bitmap.height, previewEdge);
    const { canvas, context } = canvasOf(size.width, size.height);
    context.fillStyle = '#fff';
    context.fillRect(0, 0, size.width, size.height);
    context.drawImage(bitmap, 0, 0, size.width, size.height);
    const preview = await new Promise((resolve) => canvas.toBlob(resolve, 'image/jpeg', quality));
    if (!preview) return null;
    const point = canvasOf(1, 1);
    point.context.drawImage(canvas, 0, 0, 1, 1);
    const [red, green, blue] = point.context.getImageData(0, 0, 1, 1).data;
    const { width, height } = bitmap;
    return { values: { width, height, color: red << 16 | green << 8 | blue }, preview };
  } finally {
    bitmap.close();
  }
}
