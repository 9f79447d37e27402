import Foundation
import ReunionStore

/// Why the server refuses an upload or a request to the app: an HTTP status, and a sentence for the
/// person who asked.
///
/// ```swift
/// let greeting = AppRoute([.get], "greeting", "greeting/*", least: .view) { asked in
///   guard asked.parts.count == 2 else { throw UploadError(404, "Say for whom.") }
///   return .respond(.text(200, "Hello, \(asked.parts[1])."))
/// }
/// ```
///
/// The answer is `{"error": SENTENCE}` with that status. Say in it what the person can do, and
/// nothing of the server's inside. A device gives a file up after 410, 413 or 422, and keeps it
/// after any other status.
public struct UploadError: Error, Sendable, CustomStringConvertible {
  /// The HTTP status: 413, 415, 422, 429, 507 …
  public let status: Int
  /// One sentence.
  public let description: String
  /// What the host is told beside it, who can do something about it.
  var detail: String?

  /// Makes an error.
  public init(_ status: Int, _ description: String) {
    self.status = status
    self.description = description
  }

  static let unknown = UploadError(404, "The server does not know this upload. Begin it again.")

  /// What a guest is told where the store failed.
  static func cannotKeep(_ error: StoreError) -> UploadError {
    if error.code == .diskFull { return cannotWrite(ENOSPC) }
    var told = UploadError(500, "The server could not keep the file. Try again, or tell the host.")
    told.detail = "An upload was not kept: \(error)"
    return told
  }

  /// The error of a write that failed with that `errno`.
  static func cannotWrite(_ code: Int32) -> UploadError {
    if code == ENOSPC || code == EDQUOT {
      var told = UploadError(
        507, "The server's disk is full. The file stays on this device and goes when there is room."
      )
      told.detail = HostNotices.fullDisk
      return told
    }
    var told = UploadError(500, "The server could not write the file. Try again, or tell the host.")
    told.detail = "An upload was not written: \(String(cString: strerror(code)))."
    return told
  }
}
