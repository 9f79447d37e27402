// What becomes of a file's record when the server has the file, or never will.

/** The blob is on the server's disk: the row goes, with its bytes. What had no record yet has one now. */
export function finish(shelf, row, answer) {
  const { app, replica } = shelf;
  return replica.transaction((t) => {
    if (row.use === 'original' && !row.record) {
      t.create(app.entity, {
        ...row.about, ...app.stored?.(answer, row.about), [app.field]: { hash: row.hash, size: row.size },
      }, row.id);
    }
    shelf.remove(t, row);
  });
}

/**
 * The server will never have it. A record that others have seen stays, with the app's sign that nothing
 * follows, and with its preview; resolves with true where one does. Only what was erased goes. A preview goes
 * alone.
 */
export async function refuse(shelf, row, isErased) {
  const { app, replica } = shelf;
  const [id, record] = [row.record, shelf.recordOf(row)];
  const isOriginal = row.use === 'original';
  await replica.transaction((t) => {
    if (isOriginal) {
      for (const each of shelf.rows.values()) {
        const isGone = each === row || (isErased && id && each.record === id);
        if (isGone) shelf.remove(t, each);
      }
      if (!record?.alive || row.isRepeated) return;
      if (isErased) t.delete(record);
      else if (app.unsent) t.set(record, app.unsent);
    } else {
      shelf.remove(t, row);
      if (record?.alive) t.set(record, { [app.preview]: null });
    }
  });
  return isOriginal && !isErased && !!record?.alive && !row.isRepeated;
}
