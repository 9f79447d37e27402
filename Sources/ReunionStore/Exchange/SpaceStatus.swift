package import ReunionCore
package import ReunionDisk

/// What a store's file says of a space: what is still to go, what is still to come, and who else has it.
package struct SpaceStatus: Hashable, Sendable {
  /// The space.
  package let id: SpaceID
  /// The highest arrival number.
  package let arrival: UInt64
  /// How many blobs its records name that are to come and not here, up to a limit.
  package let missingBlobCount: Int
  /// How far its replicas had come when that was kept last.
  package let replicas: [ReplicaStanding]
  /// How many records this device wrote that its server had not got by then, up to a limit, and the bytes of that;
  /// nil for a store that never met a server.
  package let unsent: Amount?

  /// Records, and bytes of what is in them.
  package struct Amount: Hashable, Sendable {
    package let recordCount: Int
    package let byteCount: UInt64
  }

  /// Reads all spaces on a connection, in the order of their ids.
  package static func all(
    on connection: DatabaseConnection, countMax: Int
  ) throws(StoreError) -> [SpaceStatus] {
    let reader = RecordReader(connection, layout: try Layout(connection))
    let sites = try Identity.sites(connection)
    var all: [SpaceStatus] = []
    for space in try reader.spaces() {
      guard let number = try reader.numbers.existingNumber(of: space) else { continue }
      let kept = try KeptStanding(of: space, connection)
      var unsent: Amount?
      if let sent = kept.sent {
        let found = try reader.unsent(
          after: sent, by: sites[space], space: number, recordsMax: countMax)
        unsent = Amount(recordCount: found.recordCount, byteCount: found.byteCount)
      }
      let policy = try BlobPolicy(of: space, connection)
      let missing = try reader.missingBlobs(space: number, limit: countMax).filter(policy.brings)
      all.append(
        SpaceStatus(
          id: space, arrival: try reader.arrival(space: number),
          missingBlobCount: missing.count,
          replicas: kept.replicas, unsent: unsent))
    }
    return all
  }
}
