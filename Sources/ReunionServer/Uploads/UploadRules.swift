import Foundation
public import ReunionCore

/// The application's rules for uploads.
public struct UploadRules: Sendable {
  /// The most bytes of an original (`true`) or a preview (`false`).
  public var byteCountMax: @Sendable (_ isOriginal: Bool) -> UInt64
  /// What one guest may bring in a day; `edit` and `admin` have no limit.
  public var allowance: GuestAllowance
  /// Looks at a whole file, and throws `UploadError` with a sentence if it refuses the file. The
  /// device says whose work this is, so that one person makes others wait for one picture and not
  /// for all of theirs.
  public var check:
    @Sendable (_ path: String, _ hash: BlobHash, _ isOriginal: Bool, _ device: UInt64) async throws
      -> UploadFacts
  /// Called when the blob is on disk, before the upload is acknowledged.
  public var stored:
    @Sendable (_ blob: BlobReference, _ facts: UploadFacts, _ isOriginal: Bool) async throws -> Void

  /// Accepts no upload.
  public static let none = UploadRules(
    byteCountMax: { _ in 0 },
    check: { _, _, _, _ in throw UploadError(403, "This server takes no uploads.") },
    stored: { _, _, _ in })

  /// Accepts any file up to that many bytes, and decodes none.
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
    check: @escaping @Sendable (String, BlobHash, Bool, UInt64) async throws -> UploadFacts,
    stored: @escaping @Sendable (BlobReference, UploadFacts, Bool) async throws -> Void
  ) {
    self.byteCountMax = byteCountMax
    self.allowance = allowance
    self.check = check
    self.stored = stored
  }
}
