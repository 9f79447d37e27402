import Reunion
import ReunionCore
import ReunionStore
import ReunionTesting
import Testing

@testable import ReunionBluetooth
@testable import ReunionNearby

/// Which devices are members: what signed statements come to, in any order.
@Suite struct MemberListTests {
  let space = SpaceID(high: 1, low: 2)
  static let pairs = (0..<6).compactMap { DeviceKeyPair(seed: someBytes(32, UInt64($0 + 1))) }
  var founder: DeviceKeyPair { Self.pairs[0] }

  func list() throws -> MemberList {
    try MemberList(of: space, foundedBy: founder, device: 100)
  }

  func set(
    _ list: inout MemberList, _ subject: Int, _ role: MemberRole?, by signer: Int
  ) throws -> Bool {
    try list.set(
      Self.pairs[subject].publicKey, device: UInt64(100 + subject), to: role,
      by: Self.pairs[signer])
  }

  func role(_ list: MemberList, _ subject: Int) -> MemberRole? {
    list.member(Self.pairs[subject].publicKey)?.role
  }

  @Test func `the founder has the say, and admins over those who are none`() throws {
    var list = try list()
    #expect(role(list, 0) == .admin && role(list, 1) == nil)
    #expect(try !set(&list, 2, .edit, by: 1))
    #expect(try set(&list, 1, .admin, by: 0))
    #expect(try set(&list, 2, .edit, by: 1))
    #expect(try set(&list, 3, .view, by: 1))
    #expect(try !set(&list, 4, .admin, by: 1))
    #expect(try !set(&list, 0, nil, by: 1))
    #expect(try !set(&list, 0, nil, by: 0))
    #expect(try set(&list, 5, .admin, by: 0))
    #expect(try !set(&list, 5, .view, by: 1))
    #expect(role(list, 2) == .edit && role(list, 3) == .view && role(list, 5) == .admin)
  }

  @Test func `who a removed admin let in stays, and what it says later counts for nothing`() throws
  {
    var list = try list()
    _ = try set(&list, 1, .admin, by: 0)
    _ = try set(&list, 2, .edit, by: 1)
    var itsOwn = list
    #expect(try set(&list, 1, nil, by: 0))
    #expect(role(list, 1) == nil && role(list, 2) == .edit)
    // Far from the others it goes on.
    _ = try set(&itsOwn, 3, .edit, by: 1)
    _ = try set(&itsOwn, 2, nil, by: 1)
    list.merge(itsOwn.statements)
    itsOwn.merge(list.statements)
    #expect(list == itsOwn && list.digest == itsOwn.digest)
    #expect(role(list, 3) == nil && role(list, 2) == .edit)
  }

  /// Lists that went apart by random statements, and were brought together in another order each.
  @Test func `lists that went apart come together to the same, whatever the order`() throws {
    for seed in 1...60 as ClosedRange<UInt64> {
      var random = MediumRandom(seed: seed)
      var lists = Array(repeating: try list(), count: 3)
      for _ in 0..<12 {
        let at = Int.random(in: 0..<3, using: &random)
        let role = MemberRole(rawValue: UInt8.random(in: 0...4, using: &random))
        _ = try set(
          &lists[at], Int.random(in: 0..<6, using: &random), role,
          by: Int.random(in: 0..<6, using: &random))
        if random.happens(0.3) {
          lists[at].merge(lists[(at + 1) % 3].statements.shuffled(using: &random))
        }
      }
      // Statements that counted for nothing where they came first may count by now: they come again.
      for _ in 0..<3 {
        for one in 0..<3 {
          for other in 0..<3 {
            lists[one].merge(lists[other].statements.shuffled(using: &random))
          }
        }
      }
      #expect(lists[0] == lists[1] && lists[1] == lists[2], "seed \(seed)")
      #expect(Set(lists.map(\.digest)).count == 1)
    }
  }

  /// All of a statement is signed, with the space that it is about (docs/protocol.md 2.16).
  @Test func `no changed byte makes a statement count`() throws {
    var founders = try list()
    _ = try set(&founders, 1, .view, by: 0)
    let statement = try #require(
      founders.statements.first { $0.subject == Self.pairs[1].publicKey })
    var writer = ByteWriter()
    statement.write(to: &writer)
    for index in writer.bytes.indices {
      for bit in 0..<8 {
        var bytes = writer.bytes
        bytes[index] ^= 1 << UInt8(bit)
        var reader = ByteReader(bytes)
        guard let changed = try? MemberStatement(&reader) else { continue }
        var other = try list()
        other.merge([changed])
        #expect(other.members.count == 1, "byte \(index), bit \(bit)")
      }
    }
    // Nor one about another space.
    var elsewhere = MemberList(of: SpaceID(high: 3, low: 4), founder: founder.publicKey)
    elsewhere.merge(founders.statements)
    #expect(elsewhere.members.isEmpty)
  }

  @Test func `two who were given one number do not both write under it`() throws {
    var one = try list()
    var other = one
    _ = try one.set(Self.pairs[1].publicKey, device: 7, to: .add, by: founder)
    _ = try other.set(Self.pairs[2].publicKey, device: 7, to: .add, by: founder)
    one.merge(other.statements)
    #expect(one.members.count { $0.device == 7 } == 1)
  }

  @Test func `a key is made once, is its owner's alone, and a damaged one is told`() throws {
    let disk = SimulatedDisk(seed: 1)
    var options = StoreOptions()
    options.disk = disk
    let model = Model(Photo.schema)
    let replica = try Replica(folder: "/app/store", model: model, options: options)
    let key = try replica.deviceKey
    try replica.admit(try #require(PeerID(bytes: someBytes(32, 3))), to: space, as: .edit)
    try replica.close()
    let again = try Replica(folder: "/app/store", model: model, options: options)
    #expect(try again.deviceKey == key)
    #expect(try again.members(of: space).map(\.role) == [.admin])
    try again.close()
    for name in ["device.key", "members.\(space)"] {
      let path = "/app/store/\(name)"
      let whole = try #require(try PrivateFile.read(path, on: disk))
      try PrivateFile.write([9, 9], to: path, on: disk)
      let damaged = try Replica(folder: "/app/store", model: model, options: options)
      do {
        _ = try damaged.members(of: space)
        Issue.record("\(name) was taken for whole")
      } catch let error as StoreError {
        #expect(error.code == .damaged && "\(error)".contains(path))
      }
      try damaged.close()
      #expect(try PrivateFile.read(path, on: disk) == [9, 9])
      try PrivateFile.write(whole, to: path, on: disk)
    }
  }
}
