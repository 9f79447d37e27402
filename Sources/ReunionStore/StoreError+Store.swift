import ReunionCore
public import ReunionDisk

/// What can go wrong with records, blobs and settings.
extension StoreError.Code {
  /// A newer version of the library wrote the store.
  public static let newerVersion = Self(2, "newerVersion")
  /// The model contradicts itself, or the model that the store was written with.
  public static let invalidModel = Self(8, "invalidModel")
  /// An upgrade would have changed what it must leave as it is; the store is as it was.
  public static let upgradeRefused = Self(70, "upgradeRefused")
  /// There is no such record.
  public static let notFound = Self(9, "notFound")
  /// A living record has this id already.
  public static let alreadyExists = Self(10, "alreadyExists")
  /// The blob is not held here.
  public static let blobMissing = Self(13, "blobMissing")
  /// The bytes are not those that the hash names.
  public static let blobMismatch = Self(14, "blobMismatch")
  /// A piece of a blob does not follow on what is there.
  public static let wrongOffset = Self(15, "wrongOffset")
  /// What another session of a peer had staged is gone; the push comes again.
  public static let stagedLost = Self(17, "stagedLost")
  /// Another record names this one and may not be without it, by the model's rule.
  public static let referenced = Self(32, "referenced")
  /// A list has no item at that index.
  public static let noSuchItem = Self(18, "noSuchItem")
  /// A peer's device has more refused changes than may wait for its answer.
  public static let refusalsUnanswered = Self(21, "refusalsUnanswered")
  /// A query of one space was asked in a write in another.
  public static let otherSpace = Self(61, "otherSpace")
  /// The folder holds files of somebody else, and no store.
  public static let foreignFolder = Self(19, "foreignFolder")
  /// The folder is a backup, which is restored before it is used.
  public static let isBackup = Self(20, "isBackup")
  /// The blob was erased for good.
  public static let blobErased = Self(30, "blobErased")
  /// The record was erased for good.
  public static let recordErased = Self(31, "recordErased")
  /// SQL that the store does not run, or that says nothing to SQLite.
  public static let invalidSQL = Self(50, "invalidSQL")
  /// A query was cancelled, or went over its limits.
  public static let interrupted = Self(51, "interrupted")
  /// A number is beyond what its type holds.
  public static let outOfRange = Self(52, "outOfRange")
  /// There is no room: `quota` has the numbers.
  public static let overQuota = Self(40, "overQuota")
  /// A `CodableValue` could not be encoded.
  public static let notEncodable = Self(62, "notEncodable")
  /// A setting was written with another type or merge rule.
  public static let wrongType = Self(41, "wrongType")
  /// A setting has no name.
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
