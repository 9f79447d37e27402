package import ReunionCore

/// What a peer may change here.
package enum Authority: Hashable, Sendable {
  /// Everything, other people's changes included.
  case all
  /// New records, and changes to those that its device created; of its own device only.
  case own(device: UInt64)
  /// Nothing.
  case none
}

/// What an apply did.
package struct Applied: Hashable, Sendable {
  /// Nothing so far.
  package init() {}

  /// How many records had changes refused; each stands in the ledger of refusals.
  package var refusedCount = 0
  /// Whether any record is now another.
  package var changed = false
  /// Whether the peer turned out to lack what it had sent: the session ends, and the next one compares
  /// everything.
  package var comparesAnew = false
  /// How many records changed that an audit had found to differ.
  package var repairedCount = 0
  /// Those of which more is held here than came.
  package var fuller: [RecordName] = []
  /// What of a guest's was let in.
  package var weight = Weight()
  /// Blobs that are named now, were not before, and are not held.
  package var wanted: [BlobReference] = []
  /// Whether the peer holds more of this store's own site than this store wrote: it was rolled back
  /// or copied. Nothing was changed then.
  package var isForked = false
  /// Whether deletes are gone here by now that the peer may lack. Nothing was changed then.
  package var isOutdated = false
}
