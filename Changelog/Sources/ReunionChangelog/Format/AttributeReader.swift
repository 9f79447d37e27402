/// Reads what follows author and id: `name:value`, with the value in quotes if it has blanks.
struct AttributeReader {
  private(set) var attributes = Attributes()
  private(set) var options = SplitOptions()
  /// Those of its rollback: there comments stay.
  private(set) var rollbackOptions = SplitOptions(stripsComments: false)
  private(set) var warnings: [Warning] = []
  private let place: Place

  /// The last value that a name is given counts.
  init(_ text: ArraySlice<UInt8>, at place: Place) throws(ChangelogError) {
    self.place = place
    var scanner = TextScanner(text)
    while true {
      scanner.skipBlanks()
      guard !scanner.isAtEnd else { break }
      let name = scanner.take { TextScanner.isWord($0) || $0 == 0x2d }
      guard scanner.next == 0x3a, !name.isEmpty else {
        let junk = name + scanner.take { !TextScanner.isBlank($0) }
        warn("“\(junk.text.prefix(40))” is not read: a value with blanks stands in quotes")
        continue
      }
      scanner.skip(1)
      // As an option of a command has them: Liquibase reads that too.
      let plain = name.drop { $0 == 0x2d }
      try add(plain.text, Self.value(&scanner, of: plain))
    }
  }

  /// A value to its closing quote, or to the next blank.
  private static func value(_ scanner: inout TextScanner, of name: ArraySlice<UInt8>) -> String {
    let mayBeQuoted = !name.isWord("enddelimiter") && !name.isWord("rollbackenddelimiter")
    if mayBeQuoted, scanner.next == 0x22, scanner.rest.dropFirst().contains(0x22) {
      scanner.skip(1)
      let value = scanner.take { $0 != 0x22 }
      scanner.skip(1)
      return value.text
    }
    return scanner.take { !TextScanner.isBlank($0) }.text
  }

  private mutating func add(_ name: String, _ value: String) throws(ChangelogError) {
    switch name.lowercased() {
    case "splitstatements": flag(name, value, \.options.splitsStatements)
    case "stripcomments": flag(name, value, \.options.stripsComments)
    case "enddelimiter": options.endDelimiter = value
    case "rollbacksplitstatements": flag(name, value, \.rollbackOptions.splitsStatements)
    case "rollbackenddelimiter": rollbackOptions.endDelimiter = value
    case "context", "contextfilter": attributes.contexts = value.isEmpty ? nil : value
    case "labels": attributes.labels = Attributes.storedLabels(value)
    case "runwith" where value == "jdbc": break
    case "dbms": attributes.dbms = value.isEmpty ? nil : value
    case "logicalfilepath": attributes.logicalPath = value.isEmpty ? nil : value
    case "runalways": flag(name, value, \.attributes.runsAlways)
    case "runonchange": flag(name, value, \.attributes.runsOnChange)
    case "runintransaction": flag(name, value, \.attributes.isInTransaction)
    case "failonerror": flag(name, value, \.attributes.failsOnError)
    case "ignore": flag(name, value, \.attributes.isIgnored)
    case "runwith", "runwithspoolfile":
      throw ChangelogError(
        .refused, "\(name) asks for another program: every changeset runs over the one connection.",
        at: place, write: "the line without \(name):\(value)")
    case "runorder":
      throw ChangelogError(
        .refused, "runOrder is not supported: changesets run in the order of the files.", at: place,
        write: "the changeset at the place where it is to run, without \(name):\(value)")
    case "objectquotingstrategy", "created", "changelogid": break
    default: warn("the attribute \(name.prefix(40)) is not known")
    }
  }

  /// As Java reads it: a word that is not `true` is false, and what is no word says nothing.
  private mutating func flag(
    _ name: String, _ value: String, _ flag: WritableKeyPath<Self, Bool>
  ) {
    let word = value.utf8.prefix(while: TextScanner.isWord)
    guard !word.isEmpty else {
      if !value.isEmpty { warn("\(name):\(value.prefix(40)) says nothing, write \(name):false") }
      return
    }
    let isTrue = String(decoding: word, as: UTF8.self).lowercased() == "true"
    self[keyPath: flag] = isTrue
    if !isTrue, value.lowercased() != "false" {
      warn("\(name):\(value.prefix(40)) counts as \(name):false")
    }
  }

  private mutating func warn(_ sentence: String) { warnings.append(Warning(place, sentence + ".")) }
}
