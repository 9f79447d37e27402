import Reunion
import ReunionCore

extension Quake {
  /// The record of an event: the same name always makes the same id, so that a quake that the feed
  /// tells of again is updated in place.
  static func id(of event: String) -> RecordID {
    let hash = SHA256.hash(Array("quake \(event)".utf8))
    return RecordID(bytes: Array(hash[..<16])) ?? RecordID(high: 0, low: 0)
  }
}
