import Foundation
public import ReunionCore

/// The application's rules for uploads.
///
/// ```swift
/// var rules = UploadRules.files(bytesMax: 20_000_000)
/// let typeOf = rules.check
/// rules.check = { path, hash, isOriginal, sender in
///   let facts = try await typeOf(path, hash, isOriginal, sender)
///   guard facts.contentType == "application/pdf" else { throw UploadError(422, "Send a PDF.") }
///   return facts
/// }
/// ```
///
/// A file is checked whole, after its last byte came and its hash was found right, and before
/// anybody is told that it is there. Records do not pass here: they have
/// `Server.Configuration.rule`.
public struct UploadRules: Sendable {
  /// The most bytes of an original (`true`) or a preview (`false`).
  public var byteCountMax: @Sendable (_ isOriginal: Bool) -> UInt64
  /// What one guest may bring in a day; `edit` and `admin` have no limit.
  public var allowance: GuestAllowance
  /// Looks at a whole file, and throws `UploadError` with a sentence if it refuses the file. The
  /// sender says whose work this is, so that one person makes others wait for one picture and not
  /// for all of theirs.
  ///
  /// The file is a stranger's: decode it, if you must, in a process of its own. Bytes that were
  /// accepted once for the same use are not looked at again. Any other error than an `UploadError`
  /// is told to the host alone; the sender hears that the server failed, and sends again.
  public var check:
    @Sendable (_ path: String, _ hash: BlobHash, _ isOriginal: Bool, _ sender: Sender) async throws
      -> UploadFacts
  /// Called when the blob is on disk, before the upload is acknowledged. If it throws, the upload
  /// is not acknowledged, and the sender sends again.
  public var stored:
    @Sendable (_ blob: BlobReference, _ facts: UploadFacts, _ isOriginal: Bool) async throws -> Void

  /// Accepts no upload: each is refused with status 403.
  public static let none = UploadRules(
    byteCountMax: { _ in 0 },
    check: { _, _, _, _ in throw UploadError(403, "This server takes no uploads.") },
    stored: { _, _, _ in })

  /// Accepts any file up to that many bytes, and decodes none: its type is what its first bytes
  /// say.
  public static func files(
    bytesMax: UInt64, allowance: GuestAllowance = GuestAllowance()
  ) -> UploadRules {
    UploadRules(
      byteCountMax: { _ in bytesMax }, allowance: allowance,
      check: { path, _, _, _ in
        let file = FileHandle(forReadingAtPath: path)
        defer { try? file?.close() }
        let head = try file?.read(upToCount: MediaType.headBytes)
        return UploadFacts(
          width: 0, height: 0,
          contentType: MediaType(head: head ?? Data())?.rawValue ?? "application/octet-stream")
      },
      stored: { _, _, _ in })
  }

  /// Takes the rules.
  public init(
    byteCountMax: @escaping @Sendable (Bool) -> UInt64,
    allowance: GuestAllowance = GuestAllowance(),
    check: @escaping @Sendable (String, BlobHash, Bool, Sender) async throws -> UploadFacts,
    stored: @escaping @Sendable (BlobReference, UploadFacts, Bool) async throws -> Void
  ) {
    self.byteCountMax = byteCountMax
    self.allowance = allowance
    self.check = check
    self.stored = stored
  }
}
