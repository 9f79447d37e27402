extension Selection {
  /// Why a changeset is none of this run's.
  package enum Reason: String, Sendable {
    case ignored = "ignore"
    case contexts
    case labels
    case dbms
  }

  /// Why a changeset is none of this run's; nil where it is.
  func reason(against changeset: Changeset) throws(ChangelogError) -> Reason? {
    let attributes = changeset.attributes
    let place = changeset.place
    if attributes.isIgnored { return .ignored }
    if !includes(dbms: attributes.dbms) { return .dbms }
    for inclusion in changeset.includedIn {
      if inclusion.isIgnored { return .ignored }
      if try !includes(contexts: inclusion.contexts, at: place) { return .contexts }
      if try !includes(inclusion: inclusion.labels, at: place) { return .labels }
    }
    if try !includes(contexts: attributes.contexts, at: place) { return .contexts }
    return includes(labels: attributes.labels) ? nil : .labels
  }
}

extension Changeset {
  /// What the history says of its contexts: with those of the files that include it, from the inside out.
  var storedContexts: String? {
    guard let own = attributes.contexts else { return nil }
    let all = includedIn.reversed().compactMap { $0.contexts } + [own]
    return all.map { text in
      let words = text.lowercased().split { $0.isWhitespace || $0 == "," }
      let isCompound = words.contains("or") || words.contains("and") || text.contains(",")
      return isCompound ? "(\(text))" : text
    }.joined(separator: " AND ")
  }
}
