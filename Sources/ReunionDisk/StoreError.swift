/// An error of the store: what kind it is, and a sentence that names what failed and what to do.
///
/// ```swift
/// do {
///   try await replica.write(in: space) { try $0.create(photo) }
/// } catch let error as StoreError where error.code == .diskFull {
///   print("Nothing was written. \(error.message)")
/// } catch let error as StoreError {
///   print(error.code, error)    // the sentence, then SQLite's or the system's own words
/// }
/// ```
///
/// Show the sentence to a person, and decide by the code. A write that throws has written nothing.
public struct StoreError: Error, Sendable {
  /// What kind of error it is; those of records and blobs are added by what keeps them, and new
  /// ones may be added.
  ///
  /// So a `switch` over codes has a `default`.
  public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The number of the kind, by which a program that gets it from elsewhere finds the kind.
    public let rawValue: UInt16
    /// The name of the kind, as code writes it; the number where this version has no name for it.
    public let description: String

    /// The kind of a number, which equals the constant of that number. Its `description` is the
    /// number.
    public init(rawValue: UInt16) { self.init(rawValue, "\(rawValue)") }

    /// A kind with its name.
    package init(_ rawValue: UInt16, _ name: String) {
      self.rawValue = rawValue
      description = name
    }

    /// Kinds are told apart by their numbers alone.
    public static func == (one: Self, other: Self) -> Bool { one.rawValue == other.rawValue }

    /// Hashes the number.
    public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }

    /// Another program has the folder open, another connection a lock on it, or another transfer
    /// the blob. The most usual mistake: two replicas of one folder in one program.
    public static let inUse = Code(1, "inUse")
    /// The folder or a file in it cannot be written, or the store was opened read-only.
    public static let notWritable = Code(3, "notWritable")
    /// Bytes on the disk are not what was written there. Keep the folder: a backup, other replicas
    /// and `reunion salvage` bring back what can be.
    public static let damaged = Code(4, "damaged")
    /// The disk is full, or the quota of the account is used up; the store goes on when there is
    /// room.
    public static let diskFull = Code(5, "diskFull")
    /// The disk failed; the next write opens the store anew and checks it. Also where a file that
    /// was named is not there.
    public static let ioFailed = Code(6, "ioFailed")
    /// A value has more bytes than one may have: 512 KiB, or what the model says of the field. Keep
    /// it as a blob.
    public static let valueTooLarge = Code(7, "valueTooLarge")
    /// A write was started from inside of another, on the same thread. Use the transaction that is
    /// open.
    public static let nestedWrite = Code(11, "nestedWrite")
    /// The store was closed, or a transaction is used after its closure has returned.
    public static let closed = Code(12, "closed")
    /// SQLite refused something that the library should not have asked for: report it, with
    /// `underlying`.
    public static let unexpected = Code(16, "unexpected")
    /// A file cannot be renamed to where another file system is.
    package static let otherFileSystem = Code(22, "otherFileSystem")
    /// There was not enough memory; nothing was changed.
    public static let outOfMemory = Code(60, "outOfMemory")
  }

  /// What kind of error it is.
  public let code: Code
  /// A sentence for a person: the operation, the object and the remedy. It is in English, and may
  /// name files of the device: a server does not send it to others.
  public let message: String
  /// What the layer below said, if it said anything: the words of SQLite or of the system. For a
  /// report, and not for a person.
  public let underlying: String?
  /// For `overQuota`: the numbers.
  public let quota: StoreQuota?

  /// Makes an error: for the closure of a write, say, that wants to fail as the store does.
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
