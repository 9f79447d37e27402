import ReunionCore
import ReunionDisk

extension RecordWriter {
  /// Notes what a peer is proved to hold of one's own site.
  func setHeld(of site: Site, by peer: Int64, space: Int64, to seq: UInt64) throws(StoreError) {
    let insert = try reader.connection.statement(
      "INSERT OR REPLACE INTO reunion_peer_held(space, peer, site, seq) VALUES(?1, ?2, ?3, ?4)")
    try insert.bind(1, space)
    try insert.bind(2, peer)
    try insert.bind(3, try reader.numbers.number(of: site))
    try insert.bind(4, Int64(bitPattern: seq))
    try insert.run()
  }

  /// What a peer is proved to hold of one's own site.
  func held(of site: Site, by peer: Site, space: Int64) throws(StoreError) -> UInt64 {
    guard let peer = try reader.numbers.existingNumber(of: peer),
      let site = try reader.numbers.existingNumber(of: site)
    else { return 0 }
    let statement = try reader.connection.statement(
      "SELECT seq FROM reunion_peer_held WHERE space = ?1 AND peer = ?2 AND site = ?3")
    defer { statement.reset() }
    try statement.bind(1, space)
    try statement.bind(2, peer)
    try statement.bind(3, site)
    return try statement.step() ? UInt64(bitPattern: statement.int(0)) : 0
  }

  /// What any peer is proved to hold of one's own site.
  func held(of site: Site, space: Int64) throws(StoreError) -> UInt64 {
    guard let site = try reader.numbers.existingNumber(of: site) else { return 0 }
    let statement = try reader.connection.statement(
      "SELECT max(seq) FROM reunion_peer_held WHERE space = ?1 AND site = ?2")
    defer { statement.reset() }
    try statement.bind(1, space)
    try statement.bind(2, site)
    return try statement.step() ? UInt64(bitPattern: statement.int(0)) : 0
  }

  /// Those of some blobs that are not held and were not erased in a space, each once.
  func notHeld(_ blobs: [BlobReference], space: Int64) throws(StoreError) -> [BlobReference] {
    guard !blobs.isEmpty else { return [] }
    var seen: Set<BlobReference> = []
    var missing: [BlobReference] = []
    let use = try BlobUse(reader)
    for blob in blobs where seen.insert(blob).inserted {
      if try !reader.holdsBlob(blob.hash), try !use.spaces(erasing: blob.hash).contains(space) {
        missing.append(blob)
      }
    }
    return missing
  }

  /// Forgets that a peer was met as other incarnations: a machine that is put back twice may have one of
  /// them again.
  func forgetOtherIncarnations(of peer: Site, space: Int64) throws(StoreError) {
    let delete = try reader.connection.statement(
      """
      DELETE FROM reunion_peer WHERE space = ?1 AND abs(site) IN (SELECT number FROM reunion_site \
      WHERE id >= ?2 AND id <= ?3 AND id <> ?4)
      """)
    try delete.bind(1, space)
    try delete.bind(2, Site(device: peer.device, incarnation: 0))
    try delete.bind(3, Site(device: peer.device, incarnation: .max))
    try delete.bind(4, peer)
    try delete.run()
  }
}

extension RecordReader {
  /// The position that a peer gave to resume from, or that another incarnation of its device gave;
  /// empty if neither did.
  func position(of peer: Site, space: Int64) throws(StoreError) -> [UInt8] {
    if let site = try numbers.existingNumber(of: peer),
      let kept = try keptPosition(of: site, space: space)
    {
      return kept
    }
    // What proves how far one copy of a guest in doubt was compared says nothing of another: the first may
    // have brought what covered a change, which was refused, and the other the change itself.
    guard try !doubted(space: space).keys.contains(where: { $0.device == peer.device }) else {
      return []
    }
    let select = try connection.statement(
      """
      SELECT position FROM reunion_peer WHERE space = ?1 AND site IN (SELECT number FROM \
      reunion_site WHERE id >= ?2 AND id <= ?3) ORDER BY site DESC LIMIT 1
      """)
    defer { select.reset() }
    try select.bind(1, space)
    try select.bind(2, Site(device: peer.device, incarnation: 0))
    try select.bind(3, Site(device: peer.device, incarnation: .max))
    return try select.step() ? select.bytes(0) : []
  }

  /// Whether a peer told where to resume as another incarnation, and never as this one.
  func isRenewed(_ peer: Site, space: Int64) throws(StoreError) -> Bool {
    let select = try connection.statement(
      """
      SELECT total(s.id = ?4), count(*) FROM reunion_peer p JOIN reunion_site s \
      ON s.number = p.site WHERE p.space = ?1 AND s.id >= ?2 AND s.id <= ?3
      """)
    defer { select.reset() }
    try select.bind(1, space)
    try select.bind(2, Site(device: peer.device, incarnation: 0))
    try select.bind(3, Site(device: peer.device, incarnation: .max))
    try select.bind(4, peer)
    return try select.step() && select.int(0) == 0 && select.int(1) > 0
  }
}
