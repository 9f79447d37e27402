public import ReunionCore

/// A record of which the server refused what this device wrote. It has been taken back here.
///
/// ```swift
/// let watching = store.observeCommits { commit in
///   for change in commit.refused {
///     print(change.sentence ?? "You may not change that.", change.record)
///   }
/// }
/// ```
/// A refusal covers a whole transaction: each record that it wrote is named. What the device wrote
/// into the record later, and had not sent by then, stays. `Replica.refusedChanges` gives the same
/// one by one.
public struct RefusedChange: Hashable, Sendable {
  /// The space in which the server refused it.
  public let space: SpaceID
  /// The number of the record's entity, as the model has it (`EntitySchema.number`).
  public let entity: UInt32
  /// The record. It is gone if the refused change had created it; otherwise it is as it was before.
  public let record: RecordID
  /// Why, as the server's `TransactionRule` says it, in at most 1,024 bytes of UTF-8. It is written
  /// for a person.
  ///
  /// It is nil if no rule spoke: this device's role does not allow the change, or a limit was met.
  public let sentence: String?

  /// What of this device's it took back.
  package let dots: [Dot]

  init(_ refusal: Refusal, _ dots: [Dot], in space: SpaceID) {
    self.space = space
    self.dots = dots
    entity = refusal.entity
    record = refusal.record
    sentence = refusal.sentence.isEmpty ? nil : String(decoding: refusal.sentence, as: UTF8.self)
  }
}
