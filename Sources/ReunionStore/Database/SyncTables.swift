/// The tables of spaces, of what is held in them, and of what peers are owed.
enum SyncTables {
  static let create = [
    // With each space its newest arrivals and tags, and the entry of its vector that rose last.
    """
    CREATE TABLE reunion_space(number INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, \
    arrival INTEGER NOT NULL, stamp INTEGER NOT NULL, site INTEGER, seq INTEGER, at INTEGER, \
    recent BLOB, tags BLOB)
    """,
    ArrivalLog.create,
    // Rows of tags, under the number that their arrivals have in the log (`Tags`).
    "CREATE TABLE reunion_tag(number INTEGER PRIMARY KEY, tags BLOB NOT NULL)",
    // What is held of each site, and at which arrival that rose.
    """
    CREATE TABLE reunion_vector(space INTEGER, site INTEGER, seq INTEGER NOT NULL, \
    at INTEGER NOT NULL, PRIMARY KEY(space, site)) WITHOUT ROWID
    """,
    "CREATE INDEX reunion_vector_at ON reunion_vector(space, at)",
    // What peers said where to resume, and what of one's own sites they are proved to hold.
    """
    CREATE TABLE reunion_peer(space INTEGER, site INTEGER, position BLOB NOT NULL, \
    PRIMARY KEY(space, site)) WITHOUT ROWID
    """,
    """
    CREATE TABLE reunion_peer_held(space INTEGER, peer INTEGER, site INTEGER, \
    seq INTEGER NOT NULL, PRIMARY KEY(space, peer, site)) WITHOUT ROWID
    """,
    Retirement.create,
    // Parts of pushes that have not ended: changes (kind 0) and refusals (kind 1).
    """
    CREATE TABLE reunion_staged(number INTEGER PRIMARY KEY, space INTEGER, site INTEGER, \
    kind INTEGER NOT NULL, count INTEGER NOT NULL, changes BLOB NOT NULL)
    """,
    "CREATE INDEX reunion_staged_peer ON reunion_staged(space, site)",
    // What was refused of a device's changes. Numbers are never used again.
    """
    CREATE TABLE reunion_refusal(number INTEGER PRIMARY KEY AUTOINCREMENT, space INTEGER, \
    device INTEGER, entity INTEGER, record BLOB, sent BLOB NOT NULL, sentence BLOB NOT NULL, \
    UNIQUE(space, device, entity, record))
    """,
    // Up to which refusal each site of a device has taken back what it wrote.
    """
    CREATE TABLE reunion_refusal_answer(space INTEGER, device INTEGER, incarnation INTEGER, \
    number INTEGER NOT NULL, PRIMARY KEY(space, device, incarnation)) WITHOUT ROWID
    """,
  ]
}
