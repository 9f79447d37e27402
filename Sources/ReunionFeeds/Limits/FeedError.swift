/// Why the parser could not read on: what is wrong with the document, and where.
///
/// ```swift
/// do {
///   _ = try FeedParser.entries(of: "<rss><channel><item>".utf8)
/// } catch let error as FeedError {
///   print(error.code, error)    // truncated Line 1, column 21: …
/// }
/// ```
///
/// It is the document's fault, and the same bytes give the same error again; `misuse` alone is the
/// program's.
public struct FeedError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What went wrong; more codes may be added.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    /// The name of the code, the same in all versions.
    public let description: String

    /// The document is not well-formed XML, or not in the encoding that it names.
    public static let malformed = Code(description: "malformed")
    /// The document ends before its last element does: a download that was cut off.
    public static let truncated = Code(description: "truncated")
    /// The document is over one of the ``FeedLimits``.
    public static let limit = Code(description: "limit")
    /// The document declares its own entities or attributes, which the parser never reads.
    public static let forbidden = Code(description: "forbidden")
    /// The document is XML, but not in a format that the parser reads.
    public static let notAFeed = Code(description: "notAFeed")
    /// There was not enough memory.
    public static let outOfMemory = Code(description: "outOfMemory")
    /// The program used the parser after its end, or from inside its own closure.
    public static let misuse = Code(description: "misuse")
  }

  /// What went wrong.
  public let code: Code
  /// A sentence without the place.
  public let message: String
  /// The line of the document, from 1.
  public let line: Int
  /// The column in the line, from 1, in characters.
  public let column: Int

  /// Creates an error.
  public init(_ code: Code, _ message: String, line: Int, column: Int) {
    self.code = code
    self.message = message
    self.line = line
    self.column = column
  }

  /// A sentence with the place.
  public var description: String { "Line \(line), column \(column): \(message)" }
}
