import ReunionCore
public import ReunionDisk

/// What can go wrong with records, blobs and settings.
///
/// ```swift
/// do {
///   try store.write(in: space) { try $0.delete(album) }
/// } catch let error as StoreError where error.code == .referenced {
///   print(error.message)
/// }
/// ```
/// Each error has a sentence for a person, which names the object and the remedy. Compare codes
/// with `==` and leave a way for others: later versions may add some.
extension StoreError.Code {
  /// A newer version of the library wrote the store. It is left as it is: update this program to
  /// open it.
  public static let newerVersion = Self(2, "newerVersion")
  /// The model contradicts itself, or the model that the store was written with. Opening throws it,
  /// and a fetch or a write of an entity, a field or a search that the model lacks. It is a mistake
  /// of the program; the sentence names what to change.
  public static let invalidModel = Self(8, "invalidModel")
  /// An upgrade would have changed what it must leave as it is. The store is as it was: go on with
  /// the version of the app of before.
  public static let upgradeRefused = Self(70, "upgradeRefused")
  /// There is no such record, conflict or store. An edit throws it for a record that has not
  /// arrived or is deleted; a fetch returns nil instead.
  public static let notFound = Self(9, "notFound")
  /// A living record has this id already: update it instead of creating it.
  public static let alreadyExists = Self(10, "alreadyExists")
  /// The blob is not held here: its file has not arrived, is away with its disk, or was found
  /// damaged. It may come; ask again later, or show that it is missing.
  public static let blobMissing = Self(13, "blobMissing")
  /// The bytes are not those that the hash names. `adopt(file:expecting:in:)` throws it, and the
  /// blob is not kept.
  public static let blobMismatch = Self(14, "blobMismatch")
  /// A piece of a blob does not follow on what is there. It is for sessions, which begin again
  /// where the bytes end.
  public static let wrongOffset = Self(15, "wrongOffset")
  /// What another session of a peer had staged is gone. It is for sessions: the push comes again.
  public static let stagedLost = Self(17, "stagedLost")
  /// Another record names this one and may not be without it, by the model's rule
  /// (`DeleteRule.refuse`). Nothing was deleted; the sentence names the other record.
  public static let referenced = Self(32, "referenced")
  /// A list has no item at that index. The list may have become shorter since you read it: others
  /// edit it too.
  public static let noSuchItem = Self(18, "noSuchItem")
  /// A peer's device has over 4,096 refused changes in a space that it has not taken back. It is
  /// for servers, which take no more of it until it has.
  public static let refusalsUnanswered = Self(21, "refusalsUnanswered")
  /// A query of one space was asked in a write in another. A write reads its own space; ask the
  /// store before the write.
  public static let otherSpace = Self(61, "otherSpace")
  /// The folder holds files of somebody else, and no store. `Store.requireOwnFolder(_:)` throws it.
  public static let foreignFolder = Self(19, "foreignFolder")
  /// The folder is a backup, which is restored before it is used: with `reunion restore`, into a
  /// new folder.
  public static let isBackup = Self(20, "isBackup")
  /// The blob was erased for good in this space: its bytes are not taken again.
  public static let blobErased = Self(30, "blobErased")
  /// The record was erased for good: it takes no more changes. Make a new one instead.
  public static let recordErased = Self(31, "recordErased")
  /// SQL that the store does not run, or that says nothing to SQLite (ReunionTools).
  public static let invalidSQL = Self(50, "invalidSQL")
  /// A query in SQL was cancelled, or went over its limits (ReunionTools).
  public static let interrupted = Self(51, "interrupted")
  /// A sum of whole numbers is beyond 64 bits, or one condition has more than 30,000 values.
  public static let outOfRange = Self(52, "outOfRange")
  /// Settings have no room for a write; `StoreError.quota` has the numbers. Nothing was written.
  public static let overQuota = Self(40, "overQuota")
  /// Two replicas of a program were apart for so long that each may lack deletes that the other has
  /// let go. Nothing was exchanged: let each meet its server first.
  public static let apart = Self(71, "apart")
  /// A `CodableValue` could not be encoded as JSON: `encode(to:)` of its type threw. Nothing of the
  /// value was written.
  public static let notEncodable = Self(62, "notEncodable")
  /// A setting was written with another type or merge rule than its key has, or its rule does not
  /// allow the call. What is written stays.
  public static let wrongType = Self(41, "wrongType")
  /// A setting's name is empty.
  public static let invalidKey = Self(42, "invalidKey")
}

extension StoreError {
  static func valueTooLarge(
    _ field: String, byteCount: Int, bytesMax: Int = Value.bytesMax
  ) -> StoreError {
    StoreError(
      .valueTooLarge,
      "The value of \(field) has \(byteCount) bytes: "
        + (bytesMax < Value.bytesMax
          ? "the model allows \(bytesMax), so shorten it." : "keep over 512 KiB as a blob."))
  }
}
