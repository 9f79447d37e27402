/// The options that Liquibase 4.6.2 finds in the line of a changeset: it looks for the last place where a
/// name and a colon stand, even within another name, and they are in its checksum.
enum OptionsIn46 {
  static func read(_ line: ArraySlice<UInt8>) -> SplitOptions {
    var options = SplitOptions()
    if let value = word(after: "splitstatements:", in: line) {
      options.splitsStatements = value.isWord("true")
    }
    if let value = word(after: "stripcomments:", in: line) {
      options.stripsComments = value.isWord("true")
    }
    options.endDelimiter =
      last("enddelimiter:", in: line) { rest in
        rest.prefix { !TextScanner.isBlank($0) }
      }?.text
    return options
  }

  /// The path of a line's `logicalFilePath:` with the quotes that stand there, to the next blank.
  static func logicalPath(_ line: ArraySlice<UInt8>) -> String? {
    last("logicalfilepath:", in: line) { rest in
      let word = rest.prefix { !TextScanner.isBlank($0) }
      return word.isEmpty ? nil : word
    }?.text
  }

  /// The word behind the last place where a name stands and has one.
  static func word(
    after name: StaticString, in line: ArraySlice<UInt8>
  ) -> ArraySlice<UInt8>? {
    last(name, in: line) { rest in
      let word = rest.prefix(while: TextScanner.isWord)
      return word.isEmpty ? nil : word
    }
  }

  /// The value behind the last place where a name stands and has one.
  private static func last(
    _ name: StaticString, in line: ArraySlice<UInt8>,
    _ value: (ArraySlice<UInt8>) -> ArraySlice<UInt8>?
  ) -> ArraySlice<UInt8>? {
    let count = name.utf8CodeUnitCount
    var at = line.endIndex - count
    while at >= line.startIndex {
      if line[at..<at + count].isWord(name), let value = value(line[(at + count)...]) {
        return value
      }
      at -= 1
    }
    return nil
  }
}
