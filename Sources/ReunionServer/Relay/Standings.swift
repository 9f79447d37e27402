import ReunionCore
import ReunionStore
import ReunionSync

/// How far the replicas of a space have come, as a server knows it. Pure: what is heard comes in with the time.
struct Standings: Equatable {
  private struct Replica: Equatable {
    var changes: UInt64 = 0
    var blobs: UInt64 = 0
    var missing: [BlobHash] = []
    /// When it was heard last, in seconds since 1970.
    var heard: UInt64
  }

  /// The most replicas of which it is known: those that were heard last.
  static let replicasMax = KeptStanding.replicasMax
  private var replicas: [UInt64: Replica] = [:]

  /// Nothing is known of any.
  init() {}

  /// Looks at how far a device has come, which is connected. It may have gone back.
  mutating func look(at progress: PeerProgress, of device: UInt64, at seconds: UInt64) {
    replicas[device] = Replica(
      changes: progress.changes, blobs: progress.blobs, missing: progress.missing,
      heard: max(seconds, replicas[device]?.heard ?? 0))
    guard replicas.count > Self.replicasMax else { return }
    if let oldest = latest().last { replicas[oldest.key] = nil }
  }

  /// Forgets those that may not come any more.
  mutating func forget(where isGone: (UInt64) -> Bool) {
    replicas = replicas.filter { !isGone($0.key) }
  }

  /// Those that were heard last first.
  private func latest() -> [(key: UInt64, value: Replica)] {
    replicas.sorted { ($1.value.heard, $0.key) < ($0.value.heard, $1.key) }
  }

  /// The server and the replicas, the one that was heard last first.
  func told(_ server: ReplicaStanding, at seconds: UInt64) -> [ReplicaStanding] {
    var told = [server]
    var missingCount = server.missing.count
    for (device, known) in latest() {
      var replica = ReplicaStanding(
        device: device, changes: known.changes, blobs: known.blobs, missing: known.missing,
        silentSeconds: seconds - min(seconds, known.heard))
      if missingCount + known.missing.count > StandingUpdate.missingMax {
        // Its list has no room: it counts as one that has no blobs.
        (replica.blobs, replica.missing) = (0, [])
      }
      missingCount += replica.missing.count
      told.append(replica)
    }
    return told
  }
}

extension Standings {
  /// What of it the store keeps.
  var kept: [ReplicaStanding] {
    latest().map { device, known in
      ReplicaStanding(
        device: device, changes: known.changes, blobs: known.blobs, missing: known.missing,
        silentSeconds: known.heard)
    }
  }

  /// What the store has kept.
  init(kept: [ReplicaStanding]) {
    for replica in kept {
      replicas[replica.device] = Replica(
        changes: replica.changes, blobs: replica.blobs, heard: replica.silentSeconds ?? 0)
    }
  }
}
