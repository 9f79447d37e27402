import Reunion
import ReunionCore
import ReunionFlow
import ReunionStore
import Testing

@testable import ReunionBluetooth
@testable import ReunionNearby

/// A peer may do what its role says, as on a server: guarantee 11 (docs/protocol.md 2.17).
@Suite struct RoleTests {
  /// Ben has a record, and Anna, whom he let in under a role, has written one of her own and changed his.
  static func play(
    _ role: MemberRole, bugs: SeededBugs = [], seed: UInt64 = 1
  ) throws -> Hikers {
    let hikers = Hikers(seed: seed, bugs: bugs)
    try hikers.meet(as: role)
    let id = try #require(try hikers.add("Ben's", by: hikers.ben))
    #expect(hikers.settle(within: .seconds(30)) { hikers.captions(hikers.anna) == ["Ben's"] })
    try hikers.add("Anna's", by: hikers.anna)
    try hikers.anna.replica?.write(in: hikers.space) {
      try $0.set(\Photo.caption, of: id, to: "Anna changed it")
    }
    hikers.clock.advance(by: .seconds(30))
    return hikers
  }

  @Test func `what a viewer brings is refused, told to it, and taken back`() throws {
    let hikers = try Self.play(.view)
    #expect(hikers.captions(hikers.ben) == ["Ben's"])
    #expect(hikers.captions(hikers.anna) == ["Ben's"])
    #expect(hikers.anna.refused.count == 2)
    #expect(hikers.isEqual)
  }

  @Test func `who may add brings what is its own, and nothing else`() throws {
    let hikers = try Self.play(.add)
    #expect(hikers.captions(hikers.ben) == ["Anna's", "Ben's"])
    #expect(hikers.captions(hikers.anna) == ["Anna's", "Ben's"])
    #expect(hikers.anna.refused.count == 1)
    #expect(hikers.isEqual)
  }

  @Test(arguments: [MemberRole.edit, .admin])
  func `who may edit changes everything`(role: MemberRole) throws {
    let hikers = try Self.play(role)
    #expect(hikers.captions(hikers.ben) == ["Anna changed it", "Anna's"])
    #expect(hikers.anna.refused.isEmpty)
    #expect(hikers.isEqual)
  }

  @Test func `a role that is not checked is seen (negative control)`() throws {
    let hikers = try Self.play(.view, bugs: [.roleNotChecked])
    #expect(hikers.captions(hikers.ben) != ["Ben's"])
  }

  @Test func `nobody who was not admitted gets anything, and both hear why`() throws {
    let hikers = Hikers(seed: 3)
    try hikers.meet(as: nil)
    let another = try #require(PeerID(bytes: someBytes(32, 1)))
    try hikers.ben.replica?.admit(another, to: hikers.space, as: .edit)
    try hikers.add("Ben's", by: hikers.ben)
    try hikers.add("Anna's", by: hikers.anna)
    hikers.clock.advance(by: .seconds(60))
    #expect(hikers.captions(hikers.anna) == ["Anna's"])
    #expect(hikers.captions(hikers.ben) == ["Ben's"])
    guard case .blocked(let reason) = hikers.anna.sync?.state.value else {
      Issue.record("\(String(describing: hikers.anna.sync?.state.value))")
      return
    }
    #expect(reason == "This device is no member of the space: ask somebody to admit it.")
  }

  /// Anna is a peer and no member. She says that she is Carla, who is one, or tells her own key. True where
  /// Ben begins to sync with her.
  static func isBelieved(asCarla: Bool, _ bugs: SeededBugs) throws -> Bool {
    let hikers = Hikers(seed: 8, bugs: bugs)
    try hikers.meet(as: nil)
    let hasBegun = Lock(false)
    #expect(hikers.settle(within: .seconds(30)) { hikers.ben.sync != nil })
    let watching = hikers.ben.sync?.state.observe { state in
      if case .handshaking = state { hasBegun.withLock { $0 = true } }
    }
    defer { watching?.cancel() }
    let replica = try #require(hikers.ben.replica)
    try replica.admit(try #require(PeerID(bytes: someBytes(32, 1))), to: hikers.space, as: .edit)
    let carla = try #require(DeviceKeyPair(seed: someBytes(32, 6)))
    try replica.memberDirectory().change(hikers.space) { members in
      _ = try members.list?.set(
        carla.publicKey, device: 6, to: .edit, by: replica.memberDirectory().key)
    }
    #expect(hikers.settle(within: .seconds(30)) { hikers.anna.peer?.isConnected.value == true })
    hikers.anna.sync = nil
    hikers.clock.advance(by: .seconds(1))
    let peer = try #require(hikers.anna.peer)
    let own = try #require(try hikers.anna.replica?.memberDirectory().key)
    let message = SpaceMessage.Standing.signed(6, as: peer.own, to: peer.id, about: hikers.space)
    let list = try #require(try replica.memberDirectory().members(of: hikers.space).list)
    let standing = SpaceMessage.standing(
      SpaceMessage.Standing(
        number: 50, after: 40, heard: 1, isServed: false, digest: list.digest,
        key: asCarla ? carla.publicKey : own.publicKey, device: 6,
        signature: try own.sign(message)))
    peer.stream(standing.bytes(about: hikers.space), isUrgent: true)
    hikers.clock.advance(by: .seconds(1))
    return hasBegun.withLock { $0 }
  }

  @Test func `nobody is believed to be a member whose key is not one, or signed nothing`() throws {
    #expect(try !Self.isBelieved(asCarla: false, []))
    #expect(try Self.isBelieved(asCarla: false, [.membershipNotChecked]))
    #expect(try !Self.isBelieved(asCarla: true, []))
    #expect(try Self.isBelieved(asCarla: true, [.signatureNotChecked]))
  }

  @Test func `who is removed is cut off at once, and is back when it is admitted again`() throws {
    let hikers = Hikers(seed: 4)
    try hikers.meet(as: .edit)
    try hikers.add("one", by: hikers.ben)
    #expect(hikers.settle(within: .seconds(30)) { hikers.captions(hikers.anna) == ["one"] })
    let key = try #require(try hikers.anna.replica?.deviceKey)
    try hikers.ben.replica?.remove(key, from: hikers.space)
    try hikers.add("two", by: hikers.ben)
    try hikers.add("three", by: hikers.anna)
    hikers.clock.advance(by: .seconds(60))
    #expect(hikers.captions(hikers.anna) == ["one", "three"])
    #expect(hikers.captions(hikers.ben) == ["one", "two"])
    let annas = try #require(hikers.anna.bluetooth?.id)
    try hikers.ben.replica?.admit(annas, to: hikers.space, as: .add)
    // It says who it is when it connects.
    hikers.medium.cut(hikers.anna.radio, hikers.ben.radio)
    #expect(hikers.settle(within: .seconds(60)) { hikers.isEqual })
    #expect(hikers.captions(hikers.ben) == ["one", "three", "two"])
  }

  @Test func `a guest who becomes an editor brings what it held back of others`() throws {
    let hikers = Hikers(seed: 5)
    try hikers.meet(as: .add)
    try hikers.add("Ben's", by: hikers.ben)
    #expect(hikers.settle(within: .seconds(30)) { hikers.isEqual })
    // Carla was here: Anna holds a record of hers, and may not bring it.
    let carla = try Replica(
      folder: "/app/store", model: Model(Photo.schema), options: hikers.options(on: 77))
    try carla.write(in: hikers.space) { try $0.create(Photo.self) { $0.caption = "Carla's" } }
    try hikers.anna.replica?.exchange(hikers.space, with: carla)
    try hikers.add("Anna's", by: hikers.anna)
    hikers.clock.advance(by: .seconds(30))
    #expect(hikers.captions(hikers.ben) == ["Anna's", "Ben's"])
    #expect(hikers.captions(hikers.anna) == ["Anna's", "Ben's", "Carla's"])
    #expect(hikers.anna.refused.isEmpty)
    let annas = try #require(hikers.anna.bluetooth?.id)
    try hikers.ben.replica?.admit(annas, to: hikers.space, as: .edit)
    hikers.medium.cut(hikers.anna.radio, hikers.ben.radio)
    #expect(hikers.settle(within: .seconds(60)) { hikers.isEqual })
    #expect(hikers.captions(hikers.ben) == ["Anna's", "Ben's", "Carla's"])
  }

  @Test func `two who may only add share what is their own`() throws {
    let hikers = Hikers(seed: 6)
    try hikers.meet(as: .add)
    // Ben has joined a space that somebody else has founded, and may add there as Anna may.
    try hikers.refound(byOther: [hikers.anna: .add, hikers.ben: .add])
    try hikers.add("Ben's", by: hikers.ben)
    let annas = try hikers.add("Anna's", by: hikers.anna)
    #expect(hikers.settle(within: .seconds(60)) { hikers.isEqual })
    // What may not be is not taken, and does not end what goes well.
    try hikers.ben.replica?.write(in: hikers.space) {
      try $0.set(\Photo.caption, of: #require(annas), to: "Ben changed it")
    }
    try hikers.add("Ben's second", by: hikers.ben)
    hikers.clock.advance(by: .seconds(30))
    #expect(hikers.captions(hikers.anna) == ["Anna's", "Ben's", "Ben's second"])
  }
}
