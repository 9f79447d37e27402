import Foundation
import Reunion
import ReunionCore
import ReunionTools

/// `reunion status`: what of a store is still to go, and who else has it.
enum StatusCommand {
  private static let help = """
    Usage: reunion status FOLDER [--json]

    Says of each space in FOLDER what of this device's is still to go to its server, which blobs are still to
    come, and how far the devices had come that keep a full copy, as a server knows it. The store may be in
    use; after a kill it may know less than what happened in its last minute.

    Exit codes: 0 printed, 1 failed, 2 not understood.
    """

  static let verb = Verb("status", help: help) { arguments, output, _ in
    let folder = try arguments.rest(1...1, or: "Say which folder.")[0]
    let spaces = try StoreStatus.spaces(in: folder)
    if spaces.isEmpty { output.say(["spaces": 0], "There is nothing in \(folder) yet.") }
    for space in spaces { output.say(fields(space), lines(space).joined(separator: "\n")) }
  }

  private static func fields(_ space: SpaceStatus) -> [String: any Sendable] {
    var fields: [String: any Sendable] = [
      "space": space.id.description, "arrival": Int(clamping: space.arrival),
      "missingBlobs": space.missingBlobCount,
    ]
    if let unsent = space.unsent {
      fields["unsentRecords"] = unsent.recordCount
      fields["unsentBytes"] = Int(clamping: unsent.byteCount)
    }
    fields["devices"] = space.replicas.map { replica -> [String: any Sendable] in
      [
        "device": text(replica.device), "hasAll": replica.has(space.arrival),
        "changes": Int(clamping: replica.changes), "blobs": Int(clamping: replica.blobs),
        "heardAt": heard(replica),
      ]
    }
    return fields
  }

  private static func lines(_ space: SpaceStatus) -> [String] {
    var lines = ["Space \(space.id)"]
    if let unsent = space.unsent {
      lines.append(
        unsent.recordCount == 0
          ? "  All records that this device wrote have gone to its server."
          : "  Still to go to its server: \(unsent.recordCount.counted("record")) of this device, with"
            + " \(Int(clamping: unsent.byteCount).counted("byte")).")
    }
    if space.missingBlobCount > 0 {
      lines.append("  Still to come: \(space.missingBlobCount.counted("blob")).")
    }
    for replica in space.replicas {
      let state = replica.has(space.arrival) ? "has everything" : "lacks something"
      lines.append("  Device \(text(replica.device)) \(state); heard at \(heard(replica)).")
    }
    return lines
  }

  private static func text(_ device: UInt64) -> String {
    String(Site(device: device, incarnation: 0).description.prefix(16))
  }

  private static func heard(_ replica: ReplicaStanding) -> String {
    Date(timeIntervalSince1970: Double(replica.silentSeconds ?? 0)).formatted(.iso8601)
  }
}
