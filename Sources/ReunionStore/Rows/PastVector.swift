import ReunionCore
import ReunionDisk

/// What a space held of each site at an earlier arrival: what a peer holds that has everything up to there.
///
/// *Cost*: a row for each site that is asked for, once.
struct PastVector {
  private let reader: RecordReader
  private let space: Int64
  private let arrival: UInt64
  private let rises: Rises
  private let bugs: SeededBugs
  /// What was held of the sites that rose since; read where the first of them is asked for.
  private var risen: [Int64: UInt64]?
  /// The answers so far.
  private(set) var seqs: [Site: UInt64]

  /// Of `seqs` it is known already.
  init(
    _ reader: RecordReader, space: Int64, at arrival: UInt64, _ rises: Rises, _ bugs: SeededBugs,
    seqs: [Site: UInt64] = [:]
  ) {
    self.reader = reader
    self.space = space
    self.arrival = arrival
    self.rises = rises
    self.bugs = bugs
    self.seqs = seqs
  }

  /// Up to which of a site's changes all was held; 0 where that is not known.
  mutating func seq(of site: Site) throws(StoreError) -> UInt64 {
    guard arrival > 0 else { return 0 }
    if let seq = seqs[site] { return seq }
    let seq = try read(site)
    seqs[site] = seq
    return seq
  }

  private mutating func read(_ site: Site) throws(StoreError) -> UInt64 {
    guard let number = try reader.numbers.existingNumber(of: site),
      let entry = try reader.entry(of: number, space: space)
    else { return 0 }
    if entry.at <= arrival || bugs.riseForgotten { return entry.seq }
    let known = risen ?? rises.held(at: arrival, space: space)
    risen = known
    return known[number] ?? 0
  }
}

extension RecordReader {
  /// What is held of a site, by its number, and at which arrival that rose. Where it stands in the space's row
  /// as well, the later one counts.
  func entry(of site: Int64, space: Int64) throws(StoreError) -> (seq: UInt64, at: UInt64)? {
    let select = try connection.statement(
      """
      SELECT seq, at FROM reunion_space WHERE number = ?1 AND site = ?2 \
      UNION ALL SELECT seq, at FROM reunion_vector WHERE space = ?1 AND site = ?2 \
      ORDER BY at DESC LIMIT 1
      """)
    defer { select.reset() }
    try select.bind(1, space)
    try select.bind(2, site)
    guard try select.step() else { return nil }
    return (UInt64(bitPattern: select.int(0)), UInt64(bitPattern: select.int(1)))
  }

  /// How many of a site's changes are held.
  func seq(of site: Site, space: Int64) throws(StoreError) -> UInt64 {
    guard let number = try numbers.existingNumber(of: site) else { return 0 }
    return try entry(of: number, space: space)?.seq ?? 0
  }

  /// What rose after an arrival.
  func beyond(_ arrival: UInt64, space: Int64) throws(StoreError) -> VersionVector {
    var vector = VersionVector()
    for dot in try raised(space: space, after: arrival, spaceRow(space)) {
      vector.raise(dot.site, to: dot.seq)
    }
    return vector
  }

  /// The first arrival after another at which an entry rose that a vector does not cover; nil where it covers
  /// all. Cost: O(entries that rose since).
  func firstRise(
    space: Int64, after arrival: UInt64, notIn vector: VersionVector
  ) throws(StoreError) -> UInt64? {
    let select = try connection.statement(
      """
      SELECT site, seq, at FROM reunion_vector WHERE space = ?1 AND at > ?2 \
      UNION ALL SELECT site, seq, at FROM reunion_space \
      WHERE number = ?1 AND site IS NOT NULL AND at > ?2 ORDER BY at
      """)
    defer { select.reset() }
    try select.bind(1, space)
    try select.bind(2, Int64(bitPattern: arrival))
    while try select.step() {
      let dot = Dot(
        site: try numbers.site(select.int(0)), seq: UInt64(bitPattern: select.int(1)))
      if !vector.covers(dot) { return UInt64(bitPattern: select.int(2)) }
    }
    return nil
  }

  /// What is held of one device's sites.
  func vector(space: Int64, ofDevice device: UInt64) throws(StoreError) -> VersionVector {
    let select = try connection.statement(
      "SELECT number, id FROM reunion_site WHERE id >= ?1 AND id <= ?2")
    defer { select.reset() }
    try select.bind(1, Site(device: device, incarnation: 0))
    try select.bind(2, Site(device: device, incarnation: .max))
    var vector = VersionVector()
    while try select.step() {
      if let entry = try entry(of: select.int(0), space: space) {
        vector.raise(try select.identifier(1), to: entry.seq)
      }
    }
    return vector
  }

  /// Whether what was held at an arrival is known: nothing rose since, or it is known from where.
  func isKnown(
    _ arrival: UInt64, space: Int64, _ row: SpaceRow, _ rises: Rises
  ) throws(StoreError) -> Bool {
    if let known = rises.knownFrom(space: space), known <= arrival { return true }
    return try raised(space: space, after: arrival, row).isEmpty
  }
}
