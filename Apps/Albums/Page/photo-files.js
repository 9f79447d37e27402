// What a photo's record says of its file: at once, when this browser has read the picture, and when the
// server has it.

/** For `Uploads`: how photos name their files. */
export const photoFiles = (core) => ({
  entity: 'photo', field: 'original', preview: 'preview',
  about: ({ name, type, lastModified }) => ({
    fileName: name, contentType: type || null, takenAt: lastModified || Date.now(),
  }),
  prepare: async (body) => (await import('./picture-reader.js')).readPicture(body, core),
  // Of a picture that this browser could not read.
  stored: ({ width, height, contentType, color, takenAt }, about) => ({
    width, height, color, contentType: contentType ?? about.contentType, takenAt: takenAt ?? about.takenAt,
  }),
  // `fateOf` reads it.
  unsent: { contentType: 'application/octet-stream' },
});
