/// Words of the form `name:value` on a line, with the value in quotes if it has blanks. The first
/// of several equal names counts.
struct NamedValues {
  private var values: [String: String] = [:]

  init(_ text: ArraySlice<UInt8>) {
    var scanner = TextScanner(text)
    while !scanner.isAtEnd {
      scanner.skipBlanks()
      let name = scanner.take(while: TextScanner.isWord).text.lowercased()
      guard scanner.take(":") else {
        _ = scanner.take { !TextScanner.isBlank($0) }
        continue
      }
      scanner.skipBlanks()
      let value: String
      if scanner.next == 0x22, scanner.rest.dropFirst().contains(0x22) {
        scanner.skip(1)
        value = scanner.take { $0 != 0x22 }.text
        scanner.skip(1)
      } else {
        value = scanner.take { !TextScanner.isBlank($0) }.text
      }
      if values[name] == nil { values[name] = value }
    }
  }

  subscript(_ name: String) -> String? { values[name] }
}

/// Lines that were meant to say something, and have one dash where two are needed.
enum NearMiss {
  static func check(_ line: ArraySlice<UInt8>, at place: Place) throws(ChangelogError) {
    var scanner = TextScanner(line)
    guard scanner.take("-") else { return }
    let hasBlank = scanner.skipBlanks()
    let word = scanner.take { TextScanner.isWord($0) || $0 == 0x2d }
    let rest = SQLText.trimmed(scanner.rest)
    let isMeant =
      switch word.text.lowercased() {
      case "changeset": rest.contains(0x3a)
      case "rollback": !hasBlank && scanner.next == 0x20 && !rest.isEmpty
      case "comment", "validchecksum", "ignorelines": !hasBlank && rest.first == 0x3a
      case "preconditions", "precondition-sql-check", "precondition-table-exists",
        "precondition-view-exists":
        !hasBlank
      case "property": !hasBlank && rest.starts(with: "name:".utf8)
      default: false
      }
    guard isMeant else { return }
    throw ChangelogError(
      .refused, "The line has one dash, and would be run as SQL.", at: place,
      write: "--" + (word + scanner.rest).text)
  }
}
