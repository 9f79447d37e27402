public import ReunionCore

/// A record of which the server refused what this device wrote. It has been taken back here.
public struct RefusedChange: Hashable, Sendable {
  /// The space.
  public let space: SpaceID
  /// The entity's number.
  public let entity: UInt32
  /// The record. It may be gone with the change, or stand as it was before.
  public let record: RecordID
  /// Why, as the server's `TransactionRule` says it; nil if this device's role or a limit does not allow it.
  public let sentence: String?

  init(_ refusal: Refusal, in space: SpaceID) {
    self.space = space
    entity = refusal.entity
    record = refusal.record
    sentence = refusal.sentence.isEmpty ? nil : String(decoding: refusal.sentence, as: UTF8.self)
  }
}
