import Foundation
import ReunionCore
import ReunionStore

/// What an attacker costs others that they cannot see, and how much of it is within what is stated.
struct Bounds {
  /// Entries in the vectors that each session of an honest space exchanges.
  var vectorEntries = 0
  /// Members that a host's clone keeps.
  var memberRecords = 0
  /// How often the attacker was let in as somebody new, with the link that she has.
  var newcomers = 0
  /// Bytes of the server's database.
  var databaseBytes = 0

  init(_ run: TenantRun) throws {
    for tenant in run.tenants {
      for (name, space) in tenant.spaces where !run.isHers(name) {
        vectorEntries += try tenant.store.vector(of: space).entries.count
        guard name.hasPrefix("members") else { continue }
        memberRecords += try tenant.store.count(of: 16_777_202, in: space)
      }
    }
    newcomers = run.newcomers
    let path = run.house.store.folder + "/store.sqlite"
    let about = try FileManager.default.attributesOfItem(atPath: path)
    databaseBytes = (about[.size] as? Int) ?? 0
  }

  /// In a story of a few minutes: entries of vectors at four devices, members at two hosts beside those who
  /// are new, these, of whom one network brings 300 in ten minutes, and bytes.
  static let most = (
    vectorEntries: 400, memberRecords: 100, newcomers: 300, databaseBytes: 4 << 20
  )

  static func broken(_ with: Bounds, _ alone: Bounds) -> String? {
    let entries = with.vectorEntries - alone.vectorEntries
    let members = with.memberRecords - alone.memberRecords - with.newcomers
    let bytes = with.databaseBytes - alone.databaseBytes
    if entries > most.vectorEntries { return "vectors have \(entries) entries more" }
    if members > most.memberRecords { return "hosts keep \(members) members more" }
    if with.newcomers > most.newcomers { return "\(with.newcomers) were let in from one network" }
    if bytes > most.databaseBytes { return "the server's database has \(bytes) bytes more" }
    return nil
  }
}

extension Store {
  /// How many records of an entity a space has had.
  func count(of entity: UInt32, in space: SpaceID) throws -> Int {
    var reading = Conversation.Reading(after: 0, vectorAfter: 0, held: VersionVector())
    var records: Set<RecordID> = []
    while true {
      let window = try window(in: space, reading, bytesMax: .max)
      records.formUnion(window.changes.filter { $0.entity == entity }.map(\.record))
      reading.after = window.cursor
      guard window.end == nil else { return records.count }
    }
  }
}
