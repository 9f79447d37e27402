package import ReunionStore

extension Session {
  /// What a guest may send: the session asks it before it accepts each part of a push, and tells it
  /// what the part weighed.
  package struct Allowance: Sendable {
    /// What is left of the allowance.
    package var rest: @Sendable () -> Weight
    /// How many changes are merged before others take their turns.
    package var changesAtOnce: @Sendable () -> Int
    /// Counts what was let in of `changeCount` changes that were looked at. Returns for how long
    /// nothing more is heard of this guest, because others pay for what it brings, too.
    package var took: @Sendable (_ weight: Weight, _ changeCount: Int) -> Duration
    /// Counts a blob that is about to be fetched; false if there is no room for it today.
    package var takesBlob: @Sendable (_ byteCount: UInt64) -> Bool = { _ in true }
    /// Makes room on the disk for this number of bytes and changes of a push that has not ended.
    /// Returns for how long nothing more is heard of this guest; nil if it has no more room.
    /// `unstages` gives the room back.
    package var stages: @Sendable (_ byteCount: Int, _ changeCount: Int) -> Duration? = { _, _ in
      .zero
    }
    package var unstages: @Sendable (_ byteCount: Int) -> Void = { _ in }

    /// Takes its parts as they are.
    package init(
      rest: @escaping @Sendable () -> Weight, changesAtOnce: @escaping @Sendable () -> Int,
      took: @escaping @Sendable (_ weight: Weight, _ changeCount: Int) -> Duration
    ) {
      self.rest = rest
      self.changesAtOnce = changesAtOnce
      self.took = took
    }
  }
}
