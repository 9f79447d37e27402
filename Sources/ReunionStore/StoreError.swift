import ReunionCore

/// An error of the store: what kind it is, and a sentence that names what failed and what to do.
public struct StoreError: Error, Sendable {
  /// What kind of error it is; new kinds may be added.
  public struct Code: RawRepresentable, Hashable, Sendable {
    /// The number of the kind.
    public let rawValue: UInt16

    /// The kind of a number.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Another program has the folder open, another connection a lock on it, or another transfer the
    /// blob.
    public static let inUse = Code(rawValue: 1)
    /// A newer version of the library wrote the store.
    public static let newerVersion = Code(rawValue: 2)
    /// The folder or a file in it cannot be written.
    public static let notWritable = Code(rawValue: 3)
    /// Bytes on the disk are not what was written there.
    public static let damaged = Code(rawValue: 4)
    /// The disk is full; the store goes on when there is room.
    public static let diskFull = Code(rawValue: 5)
    /// The disk failed; the next write opens the store anew and checks it.
    public static let ioFailed = Code(rawValue: 6)
    /// A value has more bytes than `Value.bytesMax`.
    public static let valueTooLarge = Code(rawValue: 7)
    /// The model contradicts itself, or the model that the store was written with.
    public static let invalidModel = Code(rawValue: 8)
    /// There is no such record.
    public static let notFound = Code(rawValue: 9)
    /// A living record has this id already.
    public static let alreadyExists = Code(rawValue: 10)
    /// A write was started from inside of another.
    public static let nestedWrite = Code(rawValue: 11)
    /// The store was closed.
    public static let closed = Code(rawValue: 12)
    /// The blob is not held here.
    public static let blobMissing = Code(rawValue: 13)
    /// The bytes are not those that the hash names.
    public static let blobMismatch = Code(rawValue: 14)
    /// A piece of a blob does not follow on what is there.
    public static let wrongOffset = Code(rawValue: 15)
    /// SQLite refused something that the library should not have asked for.
    public static let unexpected = Code(rawValue: 16)
    /// What another session of a peer had staged is gone; the push comes again.
    public static let stagedLost = Code(rawValue: 17)
    /// A list has no item at that index.
    public static let noSuchItem = Code(rawValue: 18)
    /// A peer's device has more refused changes than may wait for its answer.
    public static let refusalsUnanswered = Code(rawValue: 21)
    /// There was not enough memory; nothing was changed.
    public static let outOfMemory = Code(rawValue: 60)
    /// A query of one space was asked in a write in another.
    public static let otherSpace = Code(rawValue: 61)
    /// The folder holds files of somebody else, and no store.
    public static let foreignFolder = Code(rawValue: 19)
    /// The folder is a backup, which is restored before it is used.
    public static let isBackup = Code(rawValue: 20)
    /// The blob was erased for good.
    public static let blobErased = Code(rawValue: 30)
    /// The record was erased for good.
    public static let recordErased = Code(rawValue: 31)
    /// SQL that the store does not run, or that says nothing to SQLite.
    public static let invalidSQL = Code(rawValue: 50)
    /// A query was cancelled, or went over its limits.
    public static let interrupted = Code(rawValue: 51)
    /// A number is beyond what its type holds.
    public static let outOfRange = Code(rawValue: 52)
    /// There is no room: `quota` has the numbers.
    public static let overQuota = Code(rawValue: 40)
    /// A setting was written with another type or merge rule.
    public static let wrongType = Code(rawValue: 41)
    /// A setting has no name.
    public static let invalidKey = Code(rawValue: 42)
  }

  /// What kind of error it is.
  public let code: Code
  /// A sentence for a person: the operation, the object and the remedy.
  public let message: String
  /// What the layer below said, where there is one: SQLite's or the system's words.
  public let underlying: String?
  /// For `overQuota`: the numbers.
  public let quota: StoreQuota?

  /// Makes an error.
  public init(
    _ code: Code, _ message: String, underlying: String? = nil, quota: StoreQuota? = nil
  ) {
    self.code = code
    self.message = message
    self.underlying = underlying
    self.quota = quota
  }
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

extension StoreError: CustomStringConvertible {
  /// The sentence, then what the layer below said.
  public var description: String {
    guard let underlying else { return message }
    return "\(message) (\(underlying))"
  }
}
