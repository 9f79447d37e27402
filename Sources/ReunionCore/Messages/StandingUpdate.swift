/// How far the speaker has come with a space, and of whom it hears how far they have.
///
/// All numbers are the speaker's arrival numbers, but for `acknowledged`.
package struct StandingUpdate: Hashable, Sendable {
  /// The last push of the other side that the speaker has on its disk, by the number that acknowledges it; 0
  /// for none in this session.
  package var acknowledged: UInt64
  /// The arrival at or below which all that stands here which the other side's device wrote.
  package var arrival: UInt64
  /// The speaker first, if it tells anything, and others: at most `replicasMax`.
  package var replicas: [ReplicaStanding]

  /// The type of its message.
  package static let type: UInt8 = 17
  /// The most replicas of a message, and the most blobs that it says are missing, of all of them together.
  package static let (replicasMax, missingMax) = (64, 1024)

  /// Takes its parts as they are.
  package init(acknowledged: UInt64 = 0, arrival: UInt64 = 0, replicas: [ReplicaStanding] = []) {
    self.acknowledged = acknowledged
    self.arrival = arrival
    self.replicas = replicas
  }

  /// What the speaker says of itself.
  package var speaker: ReplicaStanding? { replicas.first.flatMap { $0.device == 0 ? $0 : nil } }
}

/// How far one replica has come.
package struct ReplicaStanding: Hashable, Sendable {
  /// The number of its device in the space; 0 for the speaker.
  package var device: UInt64
  /// The arrival up to which it has everything on its disk.
  package var changes: UInt64
  /// The one up to which it has all blobs that records name as well, but for those that are missing.
  package var blobs: UInt64
  /// Blobs that it lacks.
  package var missing: [BlobHash]
  /// How many seconds ago it was heard; nil where that is not told.
  package var silentSeconds: UInt64?

  /// The bytes of one that lacks nothing.
  static let bytesMin = 12

  /// Takes its parts as they are.
  package init(
    device: UInt64 = 0, changes: UInt64, blobs: UInt64, missing: [BlobHash] = [],
    silentSeconds: UInt64? = nil
  ) {
    self.device = device
    self.changes = changes
    self.blobs = blobs
    self.missing = missing
    self.silentSeconds = silentSeconds
  }

  /// Whether it has all that stands at an arrival, and none of some blobs is missing.
  package func has(_ arrival: UInt64, _ isWanted: (BlobHash) -> Bool = { _ in true }) -> Bool {
    changes >= arrival && blobs >= arrival && !missing.contains(where: isWanted)
  }
}

extension ByteWriter {
  mutating func standing(_ standing: StandingUpdate) {
    varint(standing.acknowledged)
    varint(standing.arrival)
    varint(UInt64(standing.replicas.count))
    for replica in standing.replicas {
      integer(replica.device)
      varint(replica.changes)
      varint(replica.blobs)
      varint(UInt64(replica.missing.count))
      for hash in replica.missing { bytes(hash.bytes) }
      varint(replica.silentSeconds.map { $0 + 1 } ?? 0)
    }
  }
}

extension ByteReader {
  mutating func standing() throws(WireError) -> StandingUpdate {
    var standing = StandingUpdate(acknowledged: try varint(), arrival: try varint())
    let count = try count(bytesEach: ReplicaStanding.bytesMin)
    var missingCount = 0
    for _ in 0..<count {
      var replica = ReplicaStanding(
        device: try integer(UInt64.self), changes: try varint(), blobs: try varint())
      for _ in 0..<(try self.count(bytesEach: 32)) { replica.missing.append(try blobHash()) }
      let silence = try varint()
      replica.silentSeconds = silence == 0 ? nil : silence - 1
      missingCount += replica.missing.count
      standing.replicas.append(replica)
    }
    guard count <= StandingUpdate.replicasMax, missingCount <= StandingUpdate.missingMax else {
      throw WireError(.tooLarge, "A message tells of too much that stands.")
    }
    return standing
  }
}
