import ReunionCore
import ReunionDisk

/// Where peers resume.
extension RecordWriter {
  /// Keeps where a peer resumes.
  func setPosition(of peer: Int64, space: Int64, to position: [UInt8]) throws(StoreError) {
    let insert = try reader.connection.statement(
      "INSERT OR REPLACE INTO reunion_peer(space, site, position) VALUES(?1, ?2, ?3)")
    try insert.bind(1, space)
    try insert.bind(2, peer)
    try insert.bind(3, position)
    try insert.run()
  }

  /// Keeps up to which arrival a peer held all when it told its position, if what it held then is held here.
  func setMark(
    of peer: Int64, space: Int64, beside position: [UInt8], heldUpTo arrival: UInt64?
  ) throws(StoreError) {
    if let arrival, !position.isEmpty {
      let mark = PeerPosition.mark(position, heldUpTo: arrival)
      return try setPosition(of: -peer, space: space, to: mark)
    }
    let delete = try reader.connection.statement(
      "DELETE FROM reunion_peer WHERE space = ?1 AND site = ?2")
    try delete.bind(1, space)
    try delete.bind(2, -peer)
    try delete.run()
  }

  /// Takes back that any peer's position stands for what the peer held: each is told all when it comes again.
  func forgetMarks(space: Int64) throws(StoreError) {
    let delete = try reader.connection.statement(
      "DELETE FROM reunion_peer WHERE space = ?1 AND site < 0")
    try delete.bind(1, space)
    try delete.run()
  }

  /// Has every peer compare a space in full when it comes again; what it told proves still whether it went
  /// back.
  func forgetPositions(space: Int64) throws(StoreError) {
    try forgetMarks(space: space)
    let select = try reader.connection.statement(
      "SELECT site, position FROM reunion_peer WHERE space = ?1")
    try select.bind(1, space)
    var changed: [(site: Int64, position: [UInt8])] = []
    do {
      defer { select.reset() }
      while try select.step() {
        let (kept, new) = (select.bytes(1), PeerPosition.proof(select.bytes(1)))
        if new != kept { changed.append((select.int(0), new)) }
      }
    }
    for (site, position) in changed { try setPosition(of: site, space: space, to: position) }
  }
}

extension RecordReader {
  /// Up to which arrival a peer held all when it told the position that is kept of it; nil where not all is
  /// held here that it held then.
  func heldUpTo(by peer: Int64, space: Int64, beside position: [UInt8]) throws(StoreError)
    -> UInt64?
  {
    try keptPosition(of: -peer, space: space).flatMap {
      PeerPosition.heldUpTo($0, beside: position)
    }
  }

  /// What is kept of a peer under a site's number; nil where it never told a position as that.
  func keptPosition(of site: Int64, space: Int64) throws(StoreError) -> [UInt8]? {
    let select = try connection.statement(
      "SELECT position FROM reunion_peer WHERE space = ?1 AND site = ?2")
    defer { select.reset() }
    try select.bind(1, space)
    try select.bind(2, site)
    return try select.step() ? select.bytes(0) : nil
  }
}
