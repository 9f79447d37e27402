import ReunionCore
public import ReunionDisk

/// What can go wrong with records, blobs and settings.
extension StoreError.Code {
  /// A newer version of the library wrote the store.
  public static let newerVersion = Self(rawValue: 2)
  /// The model contradicts itself, or the model that the store was written with.
  public static let invalidModel = Self(rawValue: 8)
  /// An upgrade would have changed what it must leave as it is; the store is as it was.
  public static let upgradeRefused = Self(rawValue: 70)
  /// There is no such record.
  public static let notFound = Self(rawValue: 9)
  /// A living record has this id already.
  public static let alreadyExists = Self(rawValue: 10)
  /// The blob is not held here.
  public static let blobMissing = Self(rawValue: 13)
  /// The bytes are not those that the hash names.
  public static let blobMismatch = Self(rawValue: 14)
  /// A piece of a blob does not follow on what is there.
  public static let wrongOffset = Self(rawValue: 15)
  /// What another session of a peer had staged is gone; the push comes again.
  public static let stagedLost = Self(rawValue: 17)
  /// Another record names this one and may not be without it, by the model's rule.
  public static let referenced = Self(rawValue: 32)
  /// A list has no item at that index.
  public static let noSuchItem = Self(rawValue: 18)
  /// A peer's device has more refused changes than may wait for its answer.
  public static let refusalsUnanswered = Self(rawValue: 21)
  /// A query of one space was asked in a write in another.
  public static let otherSpace = Self(rawValue: 61)
  /// The folder holds files of somebody else, and no store.
  public static let foreignFolder = Self(rawValue: 19)
  /// The folder is a backup, which is restored before it is used.
  public static let isBackup = Self(rawValue: 20)
  /// The blob was erased for good.
  public static let blobErased = Self(rawValue: 30)
  /// The record was erased for good.
  public static let recordErased = Self(rawValue: 31)
  /// SQL that the store does not run, or that says nothing to SQLite.
  public static let invalidSQL = Self(rawValue: 50)
  /// A query was cancelled, or went over its limits.
  public static let interrupted = Self(rawValue: 51)
  /// A number is beyond what its type holds.
  public static let outOfRange = Self(rawValue: 52)
  /// There is no room: `quota` has the numbers.
  public static let overQuota = Self(rawValue: 40)
  /// A `CodableValue` could not be encoded.
  public static let notEncodable = Self(rawValue: 62)
  /// A setting was written with another type or merge rule.
  public static let wrongType = Self(rawValue: 41)
  /// A setting has no name.
  public static let invalidKey = Self(rawValue: 42)
}

extension StoreError {
  static func valueTooLarge(
    field: UInt32, byteCount: Int, bytesMax: Int = Value.bytesMax
  ) -> StoreError {
    StoreError(
      .valueTooLarge,
      "The value of field \(field) has \(byteCount) bytes: "
        + (bytesMax < Value.bytesMax
          ? "the model allows \(bytesMax), so shorten it." : "keep over 512 KiB as a blob."))
  }
}
