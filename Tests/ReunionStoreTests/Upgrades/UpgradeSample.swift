import ReunionCore

@testable import ReunionStore

/// An app in four versions: each adds something, and later ones rename and hide.
enum Versions {
  static let film: UInt32 = 1
  static let person: UInt32 = 2
  static let ticket: UInt32 = 3

  private static func entity(
    _ number: UInt32, _ name: String, _ fields: [FieldDescription]
  ) -> EntityDescription { EntityDescription(number: number, name: name, fields: fields) }

  private static func field(
    _ number: UInt32, _ name: String, _ kind: ValueKind, isSearchable: Bool = false,
    initial: Value = .null
  ) -> FieldDescription {
    FieldDescription(
      number: number, name: name, kind: kind, isSearchable: isSearchable, initial: initial)
  }

  static let models: [Model] = [
    Model(entities: [entity(film, "film", [field(1, "title", .text), field(2, "year", .int)])]),
    Model(entities: [
      entity(
        film, "film",
        [
          field(1, "title", .text, isSearchable: true), field(2, "year", .int),
          field(3, "poster", .blob),
        ]),
      entity(person, "person", [field(1, "name", .text), field(2, "film", .reference)]),
    ]),
    Model(entities: [
      entity(
        film, "movie",
        [field(1, "title", .text), field(3, "poster", .blob), field(4, "seen", .counter)]),
      entity(
        person, "person",
        [field(1, "full name", .text, initial: .text("nobody")), field(2, "film", .reference)]),
    ]),
    Model(entities: [
      entity(
        film, "movie",
        [
          field(1, "title", .text), field(2, "year", .int), field(3, "picture", .blob),
          field(4, "seen", .counter), field(5, "tags", .set),
        ]),
      entity(ticket, "ticket", [field(1, "film", .reference), field(2, "price", .double)]),
    ]),
  ]

  static let site = Site(device: 77, incarnation: 1)

  static func id(_ number: Int) -> RecordID { RecordID(high: 5, low: UInt64(number)) }

  /// What a device of the newest version wrote: `count` films with posters, people and tickets.
  static func changes(_ count: Int, posters: [BlobReference]) -> [Change] {
    var changes: [Change] = []
    func add(
      _ entity: UInt32, _ record: RecordID, _ field: UInt32, _ merge: MergeKind, _ value: Value
    ) {
      let seq = UInt64(changes.count + 1)
      changes.append(
        Change(
          entity: entity, record: record,
          cell: Cell(
            field: field, merge: merge, dot: Dot(site: site, seq: seq),
            stamp: Stamp(milliseconds: 1000 + seq), value: value)))
    }
    for number in 0..<count {
      let film = id(number)
      add(Self.film, film, 0, .creation, .null)
      add(Self.film, film, 1, .register, .text("Film \(number)"))
      add(Self.film, film, 2, .register, .int(1900 + Int64(number)))
      if !posters.isEmpty {
        add(Self.film, film, 3, .register, .blob(posters[number % posters.count]))
      }
      add(Self.film, film, 4, .tally, .int(Int64(number)))
      add(Self.film, film, 5, .member, .text("tag \(number % 3)"))
      let (person, ticket) = (id(1000 + number), id(2000 + number))
      add(Self.person, person, 0, .creation, .null)
      add(Self.person, person, 1, .register, .text("Person \(number)"))
      add(Self.person, person, 2, .register, .reference(film))
      add(Self.ticket, ticket, 0, .creation, .null)
      add(Self.ticket, ticket, 1, .register, .reference(film))
      add(Self.ticket, ticket, 2, .register, .double(0.5 + Double(number)))
    }
    return changes
  }

  /// Has a store take all of that from a device of the newest version.
  static func fill(_ store: Store, _ count: Int = 5, blobBytes: [Int] = [3, 200_000]) throws {
    let posters = try blobBytes.map {
      try store.blobs.add([UInt8](repeating: UInt8(truncatingIfNeeded: $0), count: $0))
    }
    let changes = changes(count, posters: posters)
    var vector = VersionVector()
    vector.raise(site, to: UInt64(changes.count))
    try store.take(changes, vector, from: site)
  }
}

extension Store {
  /// A whole number that SQL gives.
  func number(_ sql: String) throws -> Int64? {
    try read { (reader) throws(StoreError) in try reader.connection.number(sql) }
  }

  /// What SQL shows, a line a row.
  func rows(_ sql: String) throws -> [String] {
    try read { (reader) throws(StoreError) in
      let statement = try reader.connection.prepare(sql)
      defer { statement.finalize() }
      var rows: [String] = []
      while try statement.step() { rows.append(statement.text(0)) }
      return rows
    }
  }
}
