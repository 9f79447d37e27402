import ReunionCore

/// The tables that every store has, and the numbers in the header of its file.
package enum DatabaseSchema {
  /// "Reun", what tells the file from other SQLite databases.
  package static let applicationID: Int64 = 0x5265_756e
  /// The version of the tables here; a store of a higher one is not touched.
  package static let version: Int64 = 3

  static let tables =
    SyncTables.create + [
      "CREATE TABLE reunion_meta(key TEXT PRIMARY KEY, value BLOB) WITHOUT ROWID",
      ShownColumns.create,
      "CREATE TABLE reunion_site(number INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE)",
      """
      CREATE TABLE reunion_field(entity INTEGER, field INTEGER, kind INTEGER NOT NULL, \
      PRIMARY KEY(entity, field)) WITHOUT ROWID
      """,
      """
      CREATE TABLE reunion_unknown_cell(space INTEGER, record BLOB, entity INTEGER, field INTEGER, \
      merge INTEGER, site INTEGER, seq INTEGER, stamp INTEGER, replaced INTEGER, kind INTEGER, \
      value BLOB, PRIMARY KEY(space, entity, record, field, merge, site, seq)) WITHOUT ROWID
      """,
      """
      CREATE TABLE reunion_conflict(number INTEGER PRIMARY KEY, space INTEGER, record BLOB, \
      entity INTEGER, field INTEGER, merge INTEGER, site INTEGER, seq INTEGER, stamp INTEGER, \
      replaced INTEGER, kind INTEGER, value BLOB, UNIQUE(space, entity, record, field, site, seq))
      """,
      // What can be undone (side 0) and redone (side 1).
      """
      CREATE TABLE reunion_undo(space INTEGER, side INTEGER, number INTEGER, name TEXT NOT NULL, \
      step BLOB NOT NULL, PRIMARY KEY(space, side, number)) WITHOUT ROWID
      """,
      // The names of entities (field 0) and fields, for tools that have no model.
      """
      CREATE TABLE reunion_name(entity INTEGER, field INTEGER, name TEXT NOT NULL, \
      PRIMARY KEY(entity, field)) WITHOUT ROWID
      """,
      // Blobs that nothing names, and at which age of the collector they were found so.
      """
      CREATE TABLE reunion_blob_mark(hash BLOB PRIMARY KEY, age INTEGER NOT NULL) WITHOUT ROWID
      """,
      BlobTenant.create,
      "CREATE TABLE reunion_blob(hash BLOB PRIMARY KEY, byte_count INTEGER NOT NULL) WITHOUT ROWID",
      """
      CREATE TABLE reunion_blob_reference(space INTEGER, record BLOB, entity INTEGER, \
      field INTEGER, hash BLOB, byte_count INTEGER NOT NULL, \
      PRIMARY KEY(space, entity, record, field, hash)) WITHOUT ROWID
      """,
      "CREATE INDEX reunion_blob_reference_hash ON reunion_blob_reference(hash)",
    ]
}
