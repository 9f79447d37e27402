/// For each site, the highest `seq` whose effect, or a later one's, is held.
///
/// A vector is a promise: it may rise only together with everything that it covers (guarantee 3).
/// Cost: lookups are O(log sites); a merge is O(sites).
package struct VersionVector: Hashable, Sendable {
  /// The entries, by site, each with a `seq` over 0.
  package private(set) var entries: [Dot] = []

  /// The vector that covers nothing.
  package init() {}

  /// Takes entries that rise by site.
  init(sorted entries: [Dot]) { self.entries = entries }

  /// The highest `seq` of a site that is covered, or 0 if none is.
  package subscript(site: Site) -> UInt64 {
    let index = position(of: site)
    return index < entries.count && entries[index].site == site ? entries[index].seq : 0
  }

  /// Whether the effect of that change is held.
  package func covers(_ dot: Dot) -> Bool { dot.seq <= self[dot.site] }

  /// Whether everything that the other covers is covered here.
  package func covers(_ other: VersionVector) -> Bool { other.entries.allSatisfy(covers) }

  /// Raises a site's entry; a lower `seq` changes nothing.
  package mutating func raise(_ site: Site, to seq: UInt64) {
    guard seq > 0 else { return }
    let index = position(of: site)
    if index < entries.count, entries[index].site == site {
      if seq > entries[index].seq { entries[index] = Dot(site: site, seq: seq) }
    } else {
      entries.insert(Dot(site: site, seq: seq), at: index)
    }
  }

  /// Takes a site out: nothing of it is covered.
  package mutating func remove(_ site: Site) {
    let index = position(of: site)
    if index < entries.count, entries[index].site == site { entries.remove(at: index) }
  }

  /// Takes out what another covers. Cost: O(sites).
  package mutating func remove(coveredBy other: VersionVector) {
    guard !entries.isEmpty, !other.entries.isEmpty else { return }
    entries.removeAll { other.covers($0) }
  }

  /// The entries of one device's sites.
  package func ofDevice(_ device: UInt64) -> VersionVector {
    VersionVector(sorted: entries.filter { $0.site.device == device })
  }

  /// Raises every entry to the higher of the two.
  package mutating func merge(_ other: VersionVector) {
    for dot in other.entries { raise(dot.site, to: dot.seq) }
  }

  private func position(of site: Site) -> Int {
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].site < site { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

extension ByteReader {
  /// Reads a vector: a count, then site and `seq`, by rising site.
  package mutating func vector() throws(WireError) -> VersionVector {
    var vector = VersionVector()
    for _ in 0..<(try count(bytesEach: 17)) {
      let site = try identifier(Site.self)
      let seq = try varint()
      if let last = vector.entries.last, !(last.site < site) {
        throw .malformed("A version vector is out of order.")
      }
      guard seq > 0 else { throw .malformed("A version vector has an empty entry.") }
      vector.raise(site, to: seq)
    }
    return vector
  }
}

extension ByteWriter {
  /// Appends a vector in the form that `ByteReader.vector` reads.
  package mutating func vector(_ vector: VersionVector) {
    varint(UInt64(vector.entries.count))
    for dot in vector.entries {
      identifier(dot.site)
      varint(dot.seq)
    }
  }
}
