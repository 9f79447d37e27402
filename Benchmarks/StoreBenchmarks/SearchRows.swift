import CRawStore
import Foundation
import Measuring
import Reunion

/// Rows about words in scripts without spaces: the peer is SQLite, with a trigram index or with none.
let searchRows: [(name: String, measure: @Sendable () throws -> Row)] = [
  ("search-2-letters-100k", { try search(2) }), ("search-3-letters-100k", { try search(3) }),
  ("search-index-100k", searchIndex),
]

private let count = 100_000

/// A caption, whose words are searched for or not.
private protocol Captioned: Entity {
  var text: String { get set }
}

private struct Caption: Captioned {
  let id: RecordID
  var text = ""
  init(id: RecordID) { self.id = id }
  static let schema = EntitySchema<Caption>(3, "caption", [.field(1, "text", \.text, .searchable)])
}

private struct Line: Captioned {
  let id: RecordID
  var text = ""
  init(id: RecordID) { self.id = id }
  static let schema = EntitySchema<Line>(3, "line", [.field(1, "text", \.text)])
}

/// Captions of 12 letters, some of which are frequent, as in any language.
private func makeTexts() -> [String] {
  var number: UInt64 = 7
  return (0..<count).map { _ in
    var text = ""
    for _ in 0..<12 {
      // Knuth's numbers: the same in each run.
      number = number &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let rank = pow(3000, Double(number >> 11) / 0x1p53)
      text.unicodeScalars.append(Unicode.Scalar(0x4e00 + UInt32(rank)) ?? "?")
    }
    return text
  }
}

private func fill<E: Captioned>(_ store: Store, _ texts: [String], as entity: E.Type) throws {
  try store.write(in: Workload.space) { transaction in
    for (index, text) in texts.enumerated() {
      var caption = E(id: Workload.id(index))
      caption.text = text
      try transaction.create(caption)
    }
  }
}

/// Phrases that stand in some captions, from their middles.
private func phrases(_ texts: [String], _ letters: Int) -> [String] {
  stride(from: 0, to: texts.count, by: texts.count / 100).map {
    String(texts[$0].dropFirst(5).prefix(letters))
  }
}

@Sendable private func search(_ letters: Int) throws -> Row {
  let texts = makeTexts()
  let folder = Folder()
  let store = try folder.open(model: Model(Caption.schema))
  try fill(store, texts, as: Caption.self)
  let peer = TrigramStore(path: folder.path + "/peer.sqlite", isIndexed: true)
  peer.insert(texts)
  let wanted = phrases(texts, letters)
  var (found, peers) = (0, 0)
  let times = try Measure.pair(
    operations: wanted.count, rounds: 9,
    ours: {
      found = 0
      for text in wanted {
        found += try store.fetch(Query<Caption>(in: Workload.space).matching(text)).count
      }
    },
    peer: {
      peers = 0
      // A trigram index finds no word of two letters.
      for text in wanted { peers += peer.count(text, byIndex: letters > 2) }
    })
  guard found == peers, found >= wanted.count else {
    fatalError("search-\(letters)-letters-100k: \(found) are found, \(peers) by the peer")
  }
  var row = Row(
    "search-\(letters)-letters-100k", ours: times.ours / 1e3, peer: times.peer / 1e3,
    peerName: letters > 2 ? "FTS5 trigram" : "LIKE", unit: "µs a search")
  row.notes = ["\(found) captions for \(wanted.count) searches; ours gives them, the peer counts"]
  return row
}

/// What the index of words adds to the file.
@Sendable private func searchIndex() throws -> Row {
  let texts = makeTexts()
  func fileSize<E: Captioned>(of entity: E.Type, _ schema: EntitySchema<E>) throws -> Double {
    let folder = Folder()
    let store = try folder.open(model: Model(schema))
    try fill(store, texts, as: entity)
    try store.close()
    return try size(folder.path + "/store/store.sqlite")
  }
  let ours = try fileSize(of: Caption.self, Caption.schema) - fileSize(of: Line.self, Line.schema)
  let peers = try [true, false].map { isIndexed in
    let folder = Folder()
    let path = folder.path + "/peer.sqlite"
    do {
      let peer = TrigramStore(path: path, isIndexed: isIndexed)
      peer.insert(texts)
    }
    return try size(path)
  }
  return Row(
    "search-index-100k", ours: ours / 1e6, peer: (peers[0] - peers[1]) / 1e6,
    peerName: "FTS5 trigram", unit: "MB")
}

private func size(_ path: String) throws -> Double {
  let attributes = try FileManager.default.attributesOfItem(atPath: path)
  return (attributes[.size] as? NSNumber)?.doubleValue ?? .nan
}

/// The peer: texts in SQLite, and FTS5's index of all groups of three letters.
private final class TrigramStore {
  private var database: OpaquePointer?
  private let isIndexed: Bool

  init(path: String, isIndexed: Bool) {
    self.isIndexed = isIndexed
    require(
      sqlite3_open_v2(
        path, &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nil))
    execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL")
    execute("CREATE TABLE caption(id INTEGER PRIMARY KEY, text)")
    guard isIndexed else { return }
    execute(
      "CREATE VIRTUAL TABLE words USING fts5(text, tokenize = 'trigram', content = 'caption')")
  }

  deinit { sqlite3_close_v2(database) }

  func insert(_ texts: [String]) {
    execute("BEGIN IMMEDIATE")
    let insert = prepare("INSERT INTO caption(text) VALUES(?1)")
    let index = isIndexed ? prepare("INSERT INTO words(rowid, text) VALUES(?2, ?1)") : nil
    for (number, text) in texts.enumerated() {
      for statement in [insert, index] where statement != nil {
        bind(statement, text)
        sqlite3_bind_int64(statement, 2, Int64(number + 1))
        require(sqlite3_step(statement), SQLITE_DONE)
        sqlite3_reset(statement)
      }
    }
    sqlite3_finalize(insert)
    sqlite3_finalize(index)
    execute("COMMIT")
  }

  /// How many captions hold a text.
  func count(_ text: String, byIndex: Bool) -> Int {
    let statement = prepare(
      byIndex
        ? "SELECT count(*) FROM words WHERE words MATCH ?1"
        : "SELECT count(*) FROM caption WHERE text LIKE ?1")
    bind(statement, byIndex ? "\"\(text)\"" : "%\(text)%")
    require(sqlite3_step(statement), SQLITE_ROW)
    let count = Int(sqlite3_column_int64(statement, 0))
    sqlite3_finalize(statement)
    return count
  }

  private func execute(_ sql: String) { require(sqlite3_exec(database, sql, nil, nil, nil)) }

  private func bind(_ statement: OpaquePointer?, _ text: String) {
    var text = text
    text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) {
        let copies = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        require(sqlite3_bind_text(statement, 1, $0.baseAddress, Int32($0.count), copies))
      }
    }
  }

  private func prepare(_ sql: String) -> OpaquePointer? {
    var statement: OpaquePointer?
    require(sqlite3_prepare_v2(database, sql, -1, &statement, nil))
    return statement
  }

  private func require(_ status: Int32, _ wanted: Int32 = SQLITE_OK) {
    guard status != wanted else { return }
    fatalError("trigram: \(String(cString: sqlite3_errmsg(database)))")
  }
}
