/// The checksums of a changeset.
extension Changeset {
  /// What a row that is written now gets.
  package func checksum(_ version: Int, _ dialect: Dialect) -> Checksum {
    Checksum.whole(
      version, of: (version == 8 ? changes : counted(dialect)).map { $0.checksum(version) })
  }

  /// Whether a stored checksum is that of this changeset: of either version, also as Liquibase 4.6.2
  /// reads the file, or one that the file calls valid. A version that nobody knows here says nothing.
  package func accepts(_ stored: Checksum, _ dialect: Dialect) -> Bool {
    for valid in validChecksums {
      if valid.lowercased() == "any" || valid.lowercased() == "1:any" { return true }
      if valid == stored.description { return true }
    }
    switch stored.version {
    case 8:
      if checksum(8, dialect) == stored { return true }
      guard let asIn46 else { return false }
      return Checksum.whole(8, of: asIn46.map { $0.checksum(8) }) == stored
    case 9: return checksum(9, dialect) == stored
    default: return true
    }
  }

  /// Whether a stored checksum is that of the whole file as one changeset, which 4.6.2 takes a file for
  /// whose first line it does not know.
  func isOfWholeFile(_ stored: Checksum) -> Bool {
    guard let source = changes.first?.body.source, let version = stored.version else {
      return false
    }
    let options = SplitOptions(splitsStatements: false, stripsComments: false)
    let whole = Change(Body(whole: source), options)
    return Checksum.whole(version, of: [whole.checksum(version)]) == stored
  }

  /// The changes that version 9 counts: those for this database.
  private func counted(_ dialect: Dialect) -> [Change] {
    changes.filter { $0.isFor(dialect) }
  }
}

extension Change {
  fileprivate func checksum(_ version: Int) -> String {
    switch kind {
    case .tag(let tag): Checksum.plain("tagDatabase:[\n    tag=\"\(tag)\"\n]")
    case .empty: Checksum.plain("empty:[]")
    case .sql, .sqlFile:
      version == 8
        ? Checksum.version8(body.text().bytes, options) : Checksum.version9(body.text().bytes)
    }
  }
}
