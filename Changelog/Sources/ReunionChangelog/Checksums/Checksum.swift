/// What stands in MD5SUM of a changeset: a version, a colon and 32 hexadecimal digits.
package struct Checksum: Sendable, Hashable, CustomStringConvertible {
  package let description: String

  /// A checksum as it was stored or written in a file.
  package init(stored: String) { description = stored }

  /// The number in front of the colon; nil if there is none.
  package var version: Int? {
    guard let colon = description.firstIndex(of: ":") else { return nil }
    return Int(description[..<colon])
  }

  /// The checksum of a changeset, from those of its changes.
  package static func whole(_ version: Int, of changes: [String]) -> Checksum {
    var digest = MD5()
    for change in changes { digest.update("\(version):\(change):".utf8) }
    return Checksum(stored: "\(version):\(digest.hexadecimal())")
  }

  /// What version 8 makes of a change of SQL: its options, and the text with each run of whitespace
  /// as one blank.
  package static func version8(_ sql: ArraySlice<UInt8>, _ options: SplitOptions) -> String {
    var digest = MD5()
    let (splits, strips) = (options.splitsStatements, options.stripsComments)
    digest.update("\(options.endDelimiter ?? "null"):\(splits):\(strips):".utf8)
    var hasBegun = false
    forEachWord(of: sql) { word in
      if hasBegun { digest.update(0x20) }
      hasBegun = true
      digest.update(word)
    }
    return digest.hexadecimal()
  }

  /// What version 9 makes of it: the text without any whitespace.
  package static func version9(_ sql: ArraySlice<UInt8>) -> String {
    var digest = MD5()
    forEachWord(of: sql) { digest.update($0) }
    return digest.hexadecimal()
  }

  /// What either version makes of a change that is no SQL, as it is written down.
  package static func plain(_ text: String) -> String {
    var digest = MD5()
    digest.update(text.utf8)
    return digest.hexadecimal()
  }

  private static func forEachWord(
    of sql: ArraySlice<UInt8>, _ body: (UnsafeBufferPointer<UInt8>) -> Void
  ) {
    sql.withUnsafeBufferPointer { bytes in
      var at = 0
      while at < bytes.count {
        while at < bytes.count, isWhitespace(bytes[at]) { at += 1 }
        let start = at
        while at < bytes.count, !isWhitespace(bytes[at]) { at += 1 }
        if start < at { body(UnsafeBufferPointer(rebasing: bytes[start..<at])) }
      }
    }
  }

  private static func isWhitespace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09
  }
}
