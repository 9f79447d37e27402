/// The entries of a map while they are read.
struct YAMLMap {
  private(set) var entries: [YAMLEntry] = []
  private var places: [String: Int] = [:]
  /// Those that came with `<<`: others may come over them.
  private var merged: Set<String> = []

  /// Adds an entry; whether there was one with that key, whose place it takes.
  mutating func add(_ key: String, _ line: Int, _ node: YAMLNode) -> Bool {
    guard let place = places[key] else {
      places[key] = entries.count
      entries.append(YAMLEntry(key: key, line: line, node: node))
      return false
    }
    entries[place] = YAMLEntry(key: key, line: line, node: node)
    return merged.remove(key) == nil
  }

  /// Adds what a map, or each of a list of maps, has and this one has not; false where it is none.
  mutating func merge(_ node: YAMLNode) -> Bool {
    switch node.content {
    case .value: return false
    case .list(let nodes): return nodes.allSatisfy { $0.entries != nil && merge($0) }
    case .map(let others):
      for other in others where places[other.key] == nil {
        places[other.key] = entries.count
        entries.append(other)
        merged.insert(other.key)
      }
      return true
    }
  }
}
