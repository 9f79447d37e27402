import Foundation
import ReunionCore
import ReunionFlow
import ReunionStore
import Testing

@testable import ReunionServer

/// Who may enter, and what is kept of secrets.
@Suite struct AccessTests {
  static let space = SpaceID(high: 7, low: 7)

  /// A store in a folder of its own, and the access to a space in it.
  struct House {
    let folder: String
    let store: Store

    init() throws {
      folder = "\(NSTemporaryDirectory())/access-\(UUID())"
      store = try Store.open(folder: folder, model: Model(entities: Access.entities))
    }

    func remove() {
      try? store.close()
      try? FileManager.default.removeItem(atPath: folder)
    }
  }

  @Test func `lets the bearer of an invitation in, and knows its token again`() throws {
    let house = try House()
    defer { house.remove() }
    let access = try Access(to: Self.space, in: house.store)
    let secret = try access.invite(.add)
    let (token, device) = try access.join(secret: secret)
    #expect(device.role == .add)
    #expect(access.device(token: token) == device)
    #expect(access.device(token: secret) == nil)
    let later = try Access(to: Self.space, in: house.store)
    #expect(later.device(token: token) == device)
  }

  @Test func `gives each that joins a device of its own, and keeps it for those who were here`()
    throws
  {
    let house = try House()
    defer { house.remove() }
    let access = try Access(to: Self.space, in: house.store)
    let guests = try access.invite(.add)
    let owners = try access.invite(.admin, byteCount: 32)
    let one = try access.join(secret: guests).device
    let two = try access.join(secret: guests).device
    #expect(one.number != two.number)
    let raised = try access.join(secret: owners, as: one).device
    #expect(raised.number == one.number)
    #expect(raised.role == .admin)
    #expect(try access.join(secret: guests, as: raised).device.role == .admin)
  }

  @Test func `refuses what is wrong, expired or revoked, each with its sentence`() throws {
    let house = try House()
    defer { house.remove() }
    let access = try Access(to: Self.space, in: house.store)
    let expired = try access.invite(.add, expires: Date(timeIntervalSinceNow: -1))
    let revoked = try access.invite(.admin)
    try access.revokeInvitations(.admin)
    for (secret, status) in [("nonsense", 401), ("", 401), (expired, 410), (revoked, 410)] {
      #expect {
        try access.join(secret: secret)
      } throws: {
        ($0 as? Access.Refusal)?.status == status
      }
    }
  }

  @Test func `a device that was put out is unknown, with all of its tokens, and others stay`()
    throws
  {
    let house = try House()
    defer { house.remove() }
    let access = try Access(to: Self.space, in: house.store)
    let (guests, owners) = (try access.invite(.add), try access.invite(.admin))
    let first = try access.join(secret: guests)
    let raised = try access.join(secret: owners, as: first.device)
    let other = try access.join(secret: guests)
    // Both may have joined in one millisecond, so that either may come first.
    let roles = Dictionary(uniqueKeysWithValues: access.devices().map { ($0.number, $0.role) })
    #expect(roles == [first.device.number: .admin, other.device.number: .add])
    let changes = Lock(0)
    access.observe { changes.withLock { $0 += 1 } }
    #expect(try access.remove(device: first.device.number))
    #expect(changes.withLock { $0 } > 0)
    #expect(access.device(token: first.token) == nil)
    #expect(access.device(token: raised.token) == nil)
    #expect(!access.isMember(first.device) && !access.isMember(raised.device))
    #expect(access.device(token: other.token) == other.device)
    #expect(access.devices().map(\.number) == [other.device.number])
    #expect(try !access.remove(device: first.device.number))
    let later = try Access(to: Self.space, in: house.store)
    #expect(later.device(token: first.token) == nil)
  }

  @Test func `stores no secret and no token`() throws {
    let house = try House()
    defer { house.remove() }
    let access = try Access(to: Self.space, in: house.store)
    let secret = try access.invite(.add)
    let token = try access.join(secret: secret).token
    for name in try FileManager.default.subpathsOfDirectory(atPath: house.folder) {
      guard let bytes = FileManager.default.contents(atPath: "\(house.folder)/\(name)") else {
        continue
      }
      #expect(bytes.range(of: Data(secret.utf8)) == nil, "\(name)")
      #expect(bytes.range(of: Data(token.utf8)) == nil, "\(name)")
    }
  }

  @Test func `makes secrets of the length asked for, all different`() {
    let secrets = (0..<1_000).map { _ in Secret.make(byteCount: 16) }
    #expect(Set(secrets).count == 1_000)
    #expect(secrets.allSatisfy { $0.utf8.count == 22 })
  }
}
