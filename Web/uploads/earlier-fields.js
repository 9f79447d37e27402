// What records say of files where an app names no field of theirs, as in version 0.1: until version 0.3.
// Nothing is prepared, so a record comes when the server has its file.

export const field = 'original';
export const preview = 'preview';

export const about = ({ name, type, lastModified }) => ({
  fileName: name, contentType: type || null, takenAt: lastModified || Date.now(),
});

export const stored = ({ width, height, contentType, color, takenAt }, known) => ({
  width, height, color, contentType: contentType ?? known.contentType, takenAt: takenAt ?? known.takenAt,
});

export const unsent = { contentType: 'application/octet-stream' };
