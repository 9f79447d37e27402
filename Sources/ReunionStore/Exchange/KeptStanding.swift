package import ReunionCore
import ReunionDisk

/// What a store keeps of what stands where in a space, through restarts. It goes back with the store.
package struct KeptStanding: Hashable, Sendable {
  /// The arrival here up to which a server has everything; nil if that is not known.
  package var sent: UInt64?
  /// The devices that keep a full copy: how far each had come, and as `silentSeconds` when it was heard, in
  /// seconds since 1970.
  package var replicas: [ReplicaStanding] = []

  /// Nothing is known.
  package init() {}

  /// The most devices of which it is kept.
  package static let replicasMax = StandingUpdate.replicasMax - 1

  /// As a message that has it, but for what is missing at others: until a replica says so again, it counts as one
  /// that has no blobs.
  var encoded: [UInt8] {
    let replicas = replicas.prefix(Self.replicasMax).map { replica in
      var kept = replica
      if !replica.missing.isEmpty { (kept.blobs, kept.missing) = (0, []) }
      return kept
    }
    let update = StandingUpdate(acknowledged: sent.map { $0 + 1 } ?? 0, replicas: replicas)
    return Message.standing(update).encoded()
  }

  /// What a database has kept.
  init(of space: SpaceID, _ connection: DatabaseConnection) throws(StoreError) {
    self.init(decoding: try connection.kept(Self.key(space)) ?? [])
  }

  static func key(_ space: SpaceID) -> String { "standing \(space)" }

  /// What was kept; nothing where that cannot be read: it is heard again.
  init(decoding bytes: [UInt8]) {
    guard case .standing(let update)? = try? Message(decoding: bytes) else { return }
    sent = update.acknowledged == 0 ? nil : update.acknowledged - 1
    replicas = update.replicas
  }
}

extension Store {
  /// What was kept of what stands where in a space.
  package func keptStanding(of space: SpaceID) throws -> KeptStanding {
    try readTransaction { (reader) throws(StoreError) in
      try KeptStanding(of: space, reader.connection)
    }
  }

  /// Keeps some of it anew. *Durability*: as a write.
  package func keepStanding(
    of space: SpaceID, _ change: (inout KeptStanding) -> Void
  ) throws {
    try commit { (_, records) throws(StoreError) in
      let connection = records.reader.connection
      var kept = try KeptStanding(of: space, connection)
      change(&kept)
      try connection.keep(kept.encoded, as: KeptStanding.key(space))
      return ((), nil)
    }
  }
}
