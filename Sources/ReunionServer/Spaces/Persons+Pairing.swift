import FoundationEssentials
import ReunionCore
import ReunionFlow
import ReunionStore

/// Pairing: one more device becomes a person's, by a link that another one shows.
extension Persons {
  /// What a device that was paired is told.
  struct Paired {
    let person: RecordID
    let token: String
    let number: UInt64
  }

  /// A device that asks to be paired.
  struct Asker {
    /// What it drew for this: only who knows it may ask again with the same link.
    let key: String
    /// The token that it has at this server, and what that stands for.
    let shown: (token: String, device: Access.Device)?
    let isReplica: Bool
    /// The number under which it writes, if it has one.
    let number: UInt64?
    let name: String
  }

  /// A link for one more device of a device's person: its secret, and when it ends. It takes the place of
  /// the one before.
  func offer(
    to person: RecordID, by token: String, _ device: Access.Device, named name: String?
  ) throws -> (secret: String, expires: Date) {
    try acts.withLock { _ in
      let secret = Secret.make(byteCount: 32)
      let expires = now().addingTimeInterval(Self.linkSeconds)
      try store.write(in: Self.space) { transaction in
        try note(token, device, of: person, named: name, in: transaction)
        let values: (inout PairingLinkRecord) -> Void = { link in
          link.secretHash = Secret.hash(secret)
          link.maker = Secret.hash(token)
          link.expires = expires
          link.takenBy = []
        }
        if let old = try transaction.fetch(PairingLinkRecord.self, person) {
          try transaction.update(old, values)
        } else {
          var link = PairingLinkRecord(id: person)
          values(&link)
          try transaction.create(link)
        }
      }
      return (secret, expires)
    }
  }

  /// Makes a device one of the person's whose device showed a link.
  ///
  /// A device that asks again with the same key, because the answer was lost, gets it again for as
  /// long as the link would have opened.
  /// - Throws: `Access.Refusal`.
  func pair(_ secret: String, _ asker: Asker) throws -> Paired {
    try acts.withLock { _ in
      let link = try link(secret, by: asker)
      let person = link.id
      let known = try all(of: person.bytes)
      let token = asker.shown?.token ?? Self.token(secret, asker.key)
      let (hash, id) = (Secret.hash(token), PersonDevice.id(of: Secret.hash(token)))
      if link.takenBy.isEmpty {
        try check(known, adding: hash)
      }
      let chosen = asker.number.flatMap { number in
        number == 0 || number == store.site.device ? nil : number
      }
      let held = asker.shown?.device.number ?? known.first { $0.id == id }?.number
      let number = held ?? chosen ?? UInt64.random(in: 1...UInt64.max)
      try store.write(in: Self.space) { transaction in
        try transaction.set(\PairingLinkRecord.takenBy, of: person, to: Secret.hash(asker.key))
        var device = PersonDevice(id: id)
        device.tokenHash = hash
        device.person = person.bytes
        device.device = Int64(bitPattern: number)
        device.isReplica = asker.isReplica
        device.name = asker.name
        device.since = known.first { $0.id == id }?.since ?? now()
        let stored = device
        if let old = try transaction.fetch(PersonDevice.self, id) {
          try transaction.update(old) { $0 = stored }
        } else {
          try transaction.create(device)
        }
      }
      try grant(hash, rolesOf: link.maker, person)
      return Paired(person: person, token: token, number: number)
    }
  }

  /// The link with that secret, where it opens for who asks.
  private func link(_ secret: String, by asker: Asker) throws -> PairingLinkRecord {
    let hash = Secret.hash(secret)
    let found = Query<PairingLinkRecord>(in: Self.space).filter(\.secretHash == hash)
    guard let link = try store.fetch(found).first, Secret.isEqual(link.secretHash, hash) else {
      throw Access.Refusal(
        status: 401, description: "This link is not valid, or a newer one took its place.")
    }
    let time = try store.lastTime(at: now().wallMilliseconds)
    let latest = time.isLeapt ? Date(wallMilliseconds: time.latest) : now()
    guard link.expires.map({ $0 > latest }) ?? false else {
      throw Access.Refusal(
        status: 410, description: "This link has expired. Have your other device show a new one.")
    }
    guard link.takenBy.isEmpty || Secret.isEqual(link.takenBy, Secret.hash(asker.key)) else {
      throw Access.Refusal(
        status: 410,
        description: "This link was for one device, and one has used it. If that was not yours,"
          + " remove it in the list of your devices.")
    }
    guard let maker = try device(link.maker), maker.person == link.id.bytes,
      !spaces.roles(hash: link.maker).isEmpty
    else {
      throw Access.Refusal(
        status: 410, description: "The device that showed this link has been removed since.")
    }
    return link
  }

  /// Throws where a device cannot become one more of these.
  private func check(_ known: [PersonDevice], adding hash: [UInt8]) throws {
    let standing = known.filter {
      !$0.isRemoved && !spaces.roles(hash: $0.tokenHash).isEmpty
    }
    guard !standing.contains(where: { $0.tokenHash == hash }) else {
      throw Access.Refusal(
        status: 409, description: "This device is yours already. Open the link on another one.")
    }
    guard standing.count < Self.devicesMax else {
      throw Access.Refusal(
        status: 507,
        description: "One person may have \(Self.devicesMax) devices here. Remove one first.")
    }
  }

  /// Gives a new device the roles that another one of the person has.
  private func grant(_ hash: [UInt8], rolesOf maker: [UInt8], _ person: RecordID) throws {
    let all = try all(of: person.bytes)
    guard let device = all.first(where: { $0.tokenHash == hash }) else { return }
    let own = Set(all.map(\.tokenHash))
    for (space, held) in spaces.roles(hash: maker) {
      _ = try space.access.grant(held.role, to: device, among: own, isOwn: space.isOwn)
    }
  }

  /// The token of a device that has none: the same for who asks again.
  private static func token(_ secret: String, _ key: String) -> String {
    Secret.text(SHA256.hash(Array("reunion pairing\0\(secret)\0\(key)".utf8)))
  }
}
