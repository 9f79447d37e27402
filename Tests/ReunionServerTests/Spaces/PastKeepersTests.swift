import Foundation
import Reunion
import ReunionCore
import ReunionFlow
import ReunionStore
import Testing

@testable import ReunionServer

/// The replicas that hold the past of a space open, and for how long (decision 118).
@Suite struct PastKeepersTests {
  private static func standing(_ device: UInt64, _ changes: UInt64) -> ReplicaStanding {
    ReplicaStanding(device: device, changes: changes, blobs: 0)
  }

  @Test func `what all of them have is stable, and of one that said nothing nothing is known`() {
    let said = [Self.standing(1, 40), Self.standing(2, 90), Self.standing(3, 10)]
    #expect(PastKeepers([]).stable(said, of: 100) == 100)
    #expect(PastKeepers([1, 2]).stable(said, of: 100) == 40)
    #expect(PastKeepers([2]).stable(said, of: 50) == 50)
    #expect(PastKeepers([1, 4]).stable(said, of: 100) == 0)
  }

  @Test func `they are the full replicas that may edit, while they are used`() {
    let now = Date(timeIntervalSince1970: 2_000_000_000)
    let month = now.addingTimeInterval(-30 * 86_400)
    func member(
      _ device: Int64, _ role: Role, isReplica: Bool = true, isRevoked: Bool = false,
      usedAt: Date = now
    ) -> Member {
      var member = Member(id: RecordID(high: UInt64(device) << 32, low: 1))
      member.device = device
      member.role = role.rawValue
      member.isReplica = isReplica
      member.isRevoked = isRevoked
      member.usedAt = usedAt
      return member
    }
    let table = MemberTable([
      member(1, .edit), member(2, .admin), member(3, .add), member(4, .edit, isReplica: false),
      member(5, .edit, isRevoked: true), member(6, .edit, usedAt: month - 86_400),
    ])
    #expect(table.keepers(usedSince: month) == [1, 2])
    #expect(table.keepers(usedSince: month - 2 * 86_400) == [1, 2, 6])
  }

  /// A server of a space, and days that pass.
  private struct House {
    let folder = "\(NSTemporaryDirectory())/past-\(UUID())"
    let now = Lock(Date().wallMilliseconds)
    let store: Store
    let spaces: ServedSpaces
    let space: SpaceID
    let device: UInt64

    init(_ bugs: SeededBugs = []) throws {
      var options = StoreOptions()
      options.wallMilliseconds = { [now] in now.withLock { $0 } }
      options.seededBugs = bugs
      store = try Store.open(
        folder: folder, model: Model(entities: ServedSpaces.entities + Model(Note.schema).entities),
        options: options)
      spaces = try ServedSpaces(in: store)
      let (space, access) = try spaces.open("notes")
      self.space = space
      device = try access.join(secret: access.invite(.edit), isReplica: true).device.number
    }

    func pass(days: Int, silentDays: Int = 90) throws {
      for _ in 0..<days {
        now.withLock { $0 += 86_400_000 }
        try DailyCollection.collect(spaces, silentDays: silentDays) { _ in }
      }
    }

    func isHeld(_ id: RecordID) throws -> Bool {
      try store.record(entity: Note.schema.number, id, in: space) != nil
    }

    func deletedNote() throws -> RecordID {
      let id = try store.write(in: space) { try $0.create(Note.self) { $0.text = "old" } }.id
      try store.write(in: space) { try $0.delete(Note.self, id) }
      return id
    }

    func end() throws {
      try store.close()
      try FileManager.default.removeItem(atPath: folder)
    }
  }

  private struct Note: Entity {
    let id: RecordID
    var text = ""
    init(id: RecordID) { self.id = id }
    static let schema = EntitySchema<Note>(1, "note", [.field(1, "text", \.text)])
  }

  @Test(arguments: [false, true])
  func `a full copy that may edit holds what is deleted until it has the delete`(
    isBugged: Bool
  ) throws {
    let house = try House(isBugged ? [.pastClosedBySilence] : [])
    let id = try house.deletedNote()
    try house.pass(days: 70)
    #expect(try house.isHeld(id) != isBugged)
    let arrival = try house.store.arrival(of: house.space)
    try house.store.keepStanding(of: house.space) {
      $0.replicas = [Self.standing(house.device, arrival)]
    }
    try house.pass(days: 1)
    #expect(try !house.isHeld(id))
    try house.end()
  }

  @Test func `whoever is silent for longer holds nothing back`() throws {
    let house = try House()
    let id = try house.deletedNote()
    try house.pass(days: 70, silentDays: 0)
    #expect(try !house.isHeld(id))
    try house.end()
  }
}
