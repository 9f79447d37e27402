/// A download that did not begin, or did not reach its end.
///
/// ```swift
/// do {
///   guard let address = URL(string: "https://example.org/quakes.atom") else { return }
///   _ = try await FeedDownload.start(address)
/// } catch let error as FeedDownloadError where error.code == .unreachable {
///   print("\(error) Again in \(error.retryAfterSeconds ?? 600) s.")
/// }
/// ```
///
/// `unreachable`, `brokenOff` and a status of 429 may pass by themselves; the others need a person.
public struct FeedDownloadError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What went wrong; more codes may be added.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    /// The name of the code, the same in all versions.
    public let description: String

    /// The address is not an `http` or `https` address.
    public static let badAddress = Code(description: "badAddress")
    /// The server did not answer, or said that it cannot now (a status of 500 or more).
    public static let unreachable = Code(description: "unreachable")
    /// The server said no: a status from 400 on, such as 404.
    public static let refused = Code(description: "refused")
    /// The answer began and broke off.
    public static let brokenOff = Code(description: "brokenOff")
    /// An address on the internet led into this machine's networks; the download asked for nothing
    /// there.
    public static let leadsInside = Code(description: "leadsInside")
    /// More came than a document may have, or than can wait.
    public static let tooLong = Code(description: "tooLong")
    /// The task was cancelled.
    public static let cancelled = Code(description: "cancelled")
  }

  /// What went wrong.
  public let code: Code
  /// What to tell a person.
  public let description: String
  /// The status of the answer; nil if there was none.
  public let status: Int?
  /// How many seconds the server asks to wait, if it says so in seconds; RFC 9110, 10.2.3.
  public let retryAfterSeconds: Double?

  /// Creates an error.
  public init(
    _ code: Code, _ description: String, status: Int? = nil, retryAfterSeconds: Double? = nil
  ) {
    self.code = code
    self.description = description
    self.status = status
    self.retryAfterSeconds = retryAfterSeconds
  }
}
