import CRawStore
import Foundation
import Reunion

/// The peer of the record rows: the same records in SQLite and nothing else, in Swift as tight as it
/// gets: statements prepared once, values bound without a copy, no dictionaries.
final class TightStore {
  private var database: OpaquePointer?
  private var insert: OpaquePointer?
  private var select: OpaquePointer?

  init(path: String) {
    require(
      sqlite3_open_v2(
        path, &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nil))
    execute("PRAGMA journal_mode = WAL")
    execute("PRAGMA synchronous = NORMAL")
    execute(
      "CREATE TABLE person(id BLOB PRIMARY KEY, name, note, score, age, isMember, token) WITHOUT ROWID"
    )
    insert = prepare("INSERT INTO person VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)")
    select = prepare("SELECT id, name, note, score, age, isMember, token FROM person ORDER BY id")
  }

  deinit {
    sqlite3_finalize(insert)
    sqlite3_finalize(select)
    sqlite3_close(database)
  }

  func empty() { execute("DELETE FROM person") }

  func insert(_ people: [Person]) {
    execute("BEGIN IMMEDIATE")
    for person in people {
      var name = person.name
      var note = person.note ?? ""
      let id = (person.id.high.bigEndian, person.id.low.bigEndian)
      withUnsafeBytes(of: id) { id in
        withUnsafeBytes(of: person.token.uuid) { token in
          name.withUTF8 { name in
            note.withUTF8 { note in
              require(sqlite3_bind_blob(insert, 1, id.baseAddress, 16, nil))
              require(bindText(2, name))
              require(person.note == nil ? sqlite3_bind_null(insert, 3) : bindText(3, note))
              require(sqlite3_bind_double(insert, 4, person.score))
              require(sqlite3_bind_int64(insert, 5, Int64(person.age)))
              require(sqlite3_bind_int64(insert, 6, person.isMember ? 1 : 0))
              require(sqlite3_bind_blob(insert, 7, token.baseAddress, 16, nil))
              require(sqlite3_step(insert), SQLITE_DONE)
            }
          }
        }
      }
      sqlite3_reset(insert)
    }
    execute("COMMIT")
  }

  func fetch() -> [Person] {
    var people: [Person] = []
    while sqlite3_step(select) == SQLITE_ROW {
      var person = Person(id: id(0))
      person.name = text(1)
      person.note = sqlite3_column_type(select, 2) == SQLITE_NULL ? nil : text(2)
      person.score = sqlite3_column_double(select, 3)
      person.age = Int(sqlite3_column_int64(select, 4))
      person.isMember = sqlite3_column_int64(select, 5) != 0
      if let bytes = sqlite3_column_blob(select, 6), sqlite3_column_bytes(select, 6) == 16 {
        person.token = UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))
      }
      people.append(person)
    }
    sqlite3_reset(select)
    return people
  }

  private func id(_ column: Int32) -> RecordID {
    guard let bytes = sqlite3_column_blob(select, column),
      sqlite3_column_bytes(select, column) == 16
    else { return RecordID(high: 0, low: 0) }
    let halves = bytes.loadUnaligned(as: (UInt64, UInt64).self)
    return RecordID(high: UInt64(bigEndian: halves.0), low: UInt64(bigEndian: halves.1))
  }

  private func text(_ column: Int32) -> String {
    let start = sqlite3_column_text(select, column)
    let count = Int(sqlite3_column_bytes(select, column))
    return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  }

  private func bindText(_ position: Int32, _ text: UnsafeBufferPointer<UInt8>) -> Int32 {
    text.withMemoryRebound(to: CChar.self) {
      sqlite3_bind_text(insert, position, $0.baseAddress, Int32($0.count), nil)
    }
  }

  private func prepare(_ sql: String) -> OpaquePointer? {
    var statement: OpaquePointer?
    require(
      sqlite3_prepare_v3(database, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil))
    return statement
  }

  private func execute(_ sql: String) { require(sqlite3_exec(database, sql, nil, nil, nil)) }

  private func require(_ status: Int32, _ wanted: Int32 = SQLITE_OK) {
    guard status != wanted else { return }
    fatalError("tight Swift: \(String(cString: sqlite3_errmsg(database)))")
  }
}
