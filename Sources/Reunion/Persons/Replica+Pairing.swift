import Foundation
import ReunionCore
import ReunionFlow
import ReunionStore

extension Replica {
  private struct Asked: Encodable {
    let pair: String
    let key: String
    let replica: Bool
    let device: String
    let called: String?
  }

  private struct Answer: Decodable {
    struct Role: Decodable {
      let space: String
      let own: Bool?
      let device: String?
    }
    let person: String
    let token: String
    let spaces: [Role]
  }

  /// Makes this device one of the person whose other device shows a link. It gets the same roles in
  /// that person's spaces, and the same own spaces.
  ///
  /// ```swift
  /// let before = try replica.ownSpace()
  /// let link = "http://192.168.1.20:8080/#pair=SECRET"
  /// let pairing = try await replica.pair(by: link, called: "Phone")
  /// let mine = try replica.ownSpace()    // another one now
  /// try replica.sync(mine)
  /// print("\(pairing.spaces.count) spaces; what was written alone stays in \(before)")
  /// ```
  ///
  /// Have the person agree first: from then on each of their devices has what one of them joins,
  /// and may take this one away. `ownSpace` gives another space afterwards. What was written in the
  /// one before stays in this folder, under the id that it had. Where the answer got lost, or this
  /// throws `unreachable`, call it again with the same link: it counts as once.
  ///
  /// *Durability*: the memberships, then who the person is, are on the disk when this returns.
  /// - Parameters:
  ///   - link: What the other device's `pairingLink` gave. It opens for ten minutes and one device.
  ///   - name: What this device is called in the list of the person's, one line of at most 64
  ///     bytes.
  /// - Returns: The spaces in which the device has a role now. `sync(_:)` brings what is in them.
  /// - Throws: `JoinError`. `badLink` for what is no pairing link; `unreachable` where the server
  ///   does not answer, or has no room for one more device. `refused` where the link has expired,
  ///   was used or replaced, or the device is the person's already. `StoreError` where it cannot be
  ///   kept.
  @discardableResult
  public func pair(by link: String, called name: String? = nil) async throws -> Pairing {
    let (server, secret) = try Membership.parts(of: link, word: "pair")
    let key = try pairingKey(for: Hexadecimal.text(SHA256.hash(Array(secret.utf8))))
    let memberships = MembershipFolder(of: store)
    let earlier = try memberships.all().map(\.membership).first { $0.server == server }
    let data = try await PersonServer.ask(
      "POST", server, "/pair",
      Asked(
        pair: secret, key: key, replica: true, device: String(store.site.device, radix: 16),
        called: name), bearer: earlier?.token)
    let answer = try PersonServer.read(Answer.self, data, server)
    let roles = answer.spaces.filter { $0.own != true } + answer.spaces.filter { $0.own == true }
    let spaces = roles.compactMap { SpaceID($0.space) }
    for (space, role) in zip(spaces, roles) {
      let membership = Membership(
        server: server, token: answer.token, spaces: [space.description], device: role.device)
      try membership.giveNumber(to: store)
      let held = try memberships.all(of: space).first
      // A link that was taken before is taken no second time.
      try memberships.keep(.init(link: held?.link ?? "", membership: membership), for: space)
    }
    try personal.withLock { _ in
      let names = try PersonFile(of: store).read()?.names ?? []
      try PersonFile(of: store).write(.init(person: answer.person, names: names, pairing: nil))
    }
    return Pairing(spaces: spaces)
  }

  /// What the server knows this device by, for one link; on the disk before the server hears of it.
  private func pairingKey(for link: String) throws -> String {
    try personal.withLock { _ in
      let file = PersonFile(of: store)
      var kept = try file.read() ?? .stranger
      if let pairing = kept.pairing, pairing.link == link { return pairing.key }
      let key = Secret.make(byteCount: 32)
      kept.pairing = .init(link: link, key: key)
      try file.write(kept)
      return key
    }
  }
}
