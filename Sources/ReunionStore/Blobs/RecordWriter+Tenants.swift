import ReunionCore
import ReunionDisk

extension RecordWriter {
  /// Ends what is older than the grace, but for bytes that something of the space names still.
  func expireTenants(_ age: UInt64, _ graceMilliseconds: UInt64) throws(StoreError) {
    guard age >= max(graceMilliseconds, 1) else { return }
    let select = try reader.connection.statement(
      "SELECT hash, space FROM reunion_tenant WHERE age <= ?1")
    try select.bind(1, Int64(clamping: age - max(graceMilliseconds, 1)))
    var over: [(hash: BlobHash, space: Int64)] = []
    do {
      defer { select.reset() }
      while try select.step() {
        guard let hash = BlobHash(bytes: select.bytes(0)) else {
          throw select.damaged("a blob's hash")
        }
        over.append((hash, select.int(1)))
      }
    }
    let use = try BlobUse(reader)
    for (hash, space) in over {
      if try use.isAside(hash, in: space) {
        let update = try reader.connection.statement(
          "UPDATE reunion_tenant SET age = ?3 WHERE hash = ?1 AND space = ?2")
        try update.bind(1, hash.bytes)
        try update.bind(2, space)
        try update.bind(3, Int64(clamping: age))
        try update.run()
      } else {
        try removeTenant(space, of: hash)
      }
    }
  }
}
