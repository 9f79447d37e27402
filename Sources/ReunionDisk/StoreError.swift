/// An error of the store: what kind it is, and a sentence that names what failed and what to do.
public struct StoreError: Error, Sendable {
  /// What kind of error it is; those of records and blobs are added by what keeps them, and new ones
  /// may be added.
  public struct Code: RawRepresentable, Hashable, Sendable {
    /// The number of the kind.
    public let rawValue: UInt16

    /// The kind of a number.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Another program has the folder open, another connection a lock on it, or another transfer the
    /// blob.
    public static let inUse = Code(rawValue: 1)
    /// The folder or a file in it cannot be written.
    public static let notWritable = Code(rawValue: 3)
    /// Bytes on the disk are not what was written there.
    public static let damaged = Code(rawValue: 4)
    /// The disk is full; the store goes on when there is room.
    public static let diskFull = Code(rawValue: 5)
    /// The disk failed; the next write opens the store anew and checks it.
    public static let ioFailed = Code(rawValue: 6)
    /// A value has more bytes than one may have.
    public static let valueTooLarge = Code(rawValue: 7)
    /// A write was started from inside of another.
    public static let nestedWrite = Code(rawValue: 11)
    /// The store was closed.
    public static let closed = Code(rawValue: 12)
    /// SQLite refused something that the library should not have asked for.
    public static let unexpected = Code(rawValue: 16)
    /// A file cannot be renamed to where another file system is.
    package static let otherFileSystem = Code(rawValue: 22)
    /// There was not enough memory; nothing was changed.
    public static let outOfMemory = Code(rawValue: 60)
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

extension StoreError: CustomStringConvertible {
  /// The sentence, then what the layer below said.
  public var description: String {
    guard let underlying else { return message }
    return "\(message) (\(underlying))"
  }
}
