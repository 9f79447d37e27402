import Foundation
import Reunion
import ReunionCore
import Testing

@testable import ReunionServer

/// Which devices have joined, as records tell that come one by one.
@Suite struct MemberTableTests {
  private static let now = Date(timeIntervalSince1970: 2_000_000_000)

  fileprivate static func member(_ id: RecordID, using random: inout Seeded) -> Member {
    var member = Member(id: id)
    member.tokenHash = [UInt8.random(in: 1...4, using: &random)]
    let roles = Role.allCases.map(\.rawValue) + ["another"]
    member.role = roles.randomElement(using: &random) ?? ""
    member.device = .random(in: 1...3, using: &random)
    member.isReplica = .random(using: &random)
    member.isRevoked = .random(using: &random)
    member.hasLeft = .random(using: &random)
    member.isOwnAct = .random(using: &random)
    member.usedAt = [now, now.addingTimeInterval(-70 * 86_400)].randomElement(using: &random)
    return member
  }

  @Test func `knows of records one by one what it knows of all at once, in every history`() {
    var random = Seeded(seed: 7)
    let ids = (1...8).map { RecordID(high: UInt64($0) << 32, low: 1) }
    for _ in 0..<300 {
      var table = MemberTable()
      var members: [RecordID: Member] = [:]
      for _ in 0..<20 {
        guard let id = ids.randomElement(using: &random) else { continue }
        let isGone = Int.random(in: 0..<5, using: &random) == 0
        members[id] = isGone ? nil : Self.member(id, using: &random)
        table.take(members[id], of: id, highest: .edit)
        let whole = MemberTable(members.values.shuffled(using: &random), highest: .edit)
        for token in 1...4 as ClosedRange<UInt8> {
          #expect(
            table.standing(of: [token], at: Self.now) == whole.standing(of: [token], at: Self.now))
        }
        for device in 1...3 as ClosedRange<UInt64> {
          #expect(table.isGuest(device) == whole.isGuest(device))
        }
        let devices = table.devices(at: Self.now)
        #expect(Set(devices) == Set(whole.devices(at: Self.now)))
        #expect(devices.allSatisfy { $0.role <= .edit })
        for device in Set(members.values.map(\.device)) {
          for role in Role.allCases {
            for isReplica in [true, false] {
              let one = Access.Device(
                number: UInt64(bitPattern: device), role: role, isReplica: isReplica,
                joined: members.values.first?.joined ?? Self.now)
              #expect(table.holds(one) == whole.holds(one))
            }
          }
        }
      }
    }
  }

  @Test func `a use that is under way to the disk is known, whatever comes meanwhile`() throws {
    var random = Seeded(seed: 3)
    var member = Self.member(RecordID(high: 1, low: 1), using: &random)
    (member.role, member.isRevoked) = (Role.add.rawValue, false)
    let old = Self.now.addingTimeInterval(-50 * 86_400)
    member.usedAt = old
    var table = MemberTable([member])
    let later = Self.now.addingTimeInterval(50 * 86_400)
    let noted = table.use(Self.now, token: member.tokenHash)
    #expect(noted == member.id)
    table.take(member, of: member.id)
    guard case .member = table.standing(of: member.tokenHash, at: later) else {
      Issue.record("The use was forgotten.")
      return
    }
    table.didNote([member.id], at: Self.now)
    table.take(member, of: member.id)
    guard case .lapsed = table.standing(of: member.tokenHash, at: later) else {
      Issue.record("The disk's word does not count.")
      return
    }
  }

  @Test func `a join reads who joins, however many have joined`() throws {
    let house = try AccessTests.House()
    defer { house.remove() }
    let access = try Access(to: AccessTests.space, in: house.store)
    let secret = try access.invite(.add)
    func reads(_ body: () throws -> Void) rethrows -> Int {
      let before = access.readCount.withLock { $0 }
      try body()
      return access.readCount.withLock { $0 } - before
    }
    let first = try access.join(secret: secret)
    // The join itself, and who hears of its commit.
    let joins = try reads { for _ in 0..<200 { _ = try access.join(secret: secret) } }
    #expect(joins <= 401)
    let again = try reads {
      _ = try access.join(secret: secret, as: first.device, showing: first.token)
      try access.signOut(token: first.token)
      for device in access.devices().prefix(5) { try access.remove(device: device.number) }
    }
    #expect(again <= 16)
    // The control: that is what reading all comes to.
    #expect(try reads { try access.reload() } == 201)
  }
}

/// SplitMix64: the same in every run.
private struct Seeded: RandomNumberGenerator {
  var seed: UInt64

  mutating func next() -> UInt64 {
    seed &+= 0x9E37_79B9_7F4A_7C15
    var value = seed
    value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
    return value ^ value >> 31
  }
}
