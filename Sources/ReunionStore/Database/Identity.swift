package import ReunionCore
package import ReunionDisk

/// Finds out whether a store is still the one that wrote last, or a copy or an older state of it.
///
/// The database names the machine, the disk and the file that it was last opened as, and a nonce
/// that also stands in the file `identity` beside it and is drawn anew before the first write after an
/// opening and at the closing after it.
/// If any differs, the store writes under a new incarnation from then on (guarantee 4). A copy made
/// while the store is open and put back after a crash is found at the next contact with a peer.
package struct Identity {
  let connection: Connection
  let folder: String
  let options: StoreOptions

  private var file: String { folder + "/identity" }

  /// The store's site: that of before, a new incarnation of it, or one of a new device. Of that of
  /// before, a new nonce is due before the first write: who only reads need not wait for the disk.
  func establish() throws(StoreError) -> (site: Site, isNonceDue: Bool) {
    let fingerprint = try fingerprint()
    let nonces = try readNonces()
    guard let device = try number("device"), let incarnation = try number("incarnation") else {
      let site = Site(device: options.random(), incarnation: options.random())
      try rotate(adding: [("device", bytes(site.device))] + identity(site, fingerprint))
      return (site, false)
    }
    let nonce = try connection.kept("nonce")
    let isSame =
      try connection.kept("fingerprint") == fingerprint && nonce.map(nonces.contains) == true
    if isSame { return (Site(device: device, incarnation: incarnation), true) }
    let site = Site(device: device, incarnation: options.random())
    try rotate(adding: identity(site, fingerprint))
    return (site, false)
  }

  /// The site under which a store was last opened.
  package static func site(_ connection: Connection) throws(StoreError) -> Site {
    let identity = Identity(connection: connection, folder: "", options: StoreOptions())
    guard let device = try identity.number("device"),
      let incarnation = try identity.number("incarnation")
    else { throw StoreError(.damaged, "\(connection.path) names no device: restore a backup.") }
    return Site(device: device, incarnation: incarnation)
  }

  /// Makes a new store that of a site: at its first opening it becomes a new incarnation of it.
  package static func write(_ site: Site, _ connection: Connection) throws(StoreError) {
    let identity = Identity(connection: connection, folder: "", options: StoreOptions())
    try connection.keep(identity.bytes(site.device), as: "device")
    try connection.keep(identity.bytes(site.incarnation), as: "incarnation")
  }

  /// Notes a new incarnation, in the transaction that is under way.
  func write(incarnation: UInt64) throws(StoreError) {
    try connection.keep(bytes(incarnation), as: "incarnation")
  }

  /// Begins a new incarnation of the same device, and gives it.
  func renew() throws(StoreError) -> UInt64 {
    let incarnation = options.random()
    try rotate(adding: [("incarnation", bytes(incarnation))])
    return incarnation
  }

  /// Draws a new nonce. The file names both until the database has the new one, so that a crash
  /// between the two is no restore.
  func rotate(adding rows: [(String, [UInt8])] = []) throws(StoreError) {
    let next = bytes(options.random())
    let previous = try connection.kept("nonce") ?? []
    try options.disk.write(Array(Hexadecimal.text(previous + next).utf8), to: file)
    // Synced in either mode: after a power cut a server that became another one would be a stranger,
    // of whom its members cannot tell that it lost anything.
    try DurabilityMode(connection).synced(options) { () throws(StoreError) in
      try connection.keep(next, as: "nonce")
      for (key, bytes) in rows { try connection.keep(bytes, as: key) }
    }
    try options.disk.write(Array(Hexadecimal.text(next).utf8), to: file)
  }

  private func identity(_ site: Site, _ fingerprint: [UInt8]) -> [(String, [UInt8])] {
    [("incarnation", bytes(site.incarnation)), ("fingerprint", fingerprint)]
  }

  private func fingerprint() throws(StoreError) -> [UInt8] {
    var writer = ByteWriter()
    writer.lengthPrefixed((try? options.disk.read("/etc/machine-id")) ?? [])
    if options.seededBugs.contains(.databaseOpenedBeside) {
      _ = try SystemFile(connection.path, .reading)
    }
    let number = try options.disk.number(of: connection.path)
    writer.integer(number.device)
    writer.integer(number.file)
    return SHA256.hash(writer.bytes)
  }

  private func readNonces() throws(StoreError) -> [[UInt8]] {
    guard let text = try options.disk.read(file),
      let nonces = Hexadecimal.bytes(String(decoding: text, as: UTF8.self))
    else { return [] }
    return stride(from: 0, to: nonces.count, by: 8).map { Array(nonces[$0...].prefix(8)) }
  }

  private func number(_ key: String) throws(StoreError) -> UInt64? {
    guard let bytes = try connection.kept(key) else { return nil }
    var reader = ByteReader(bytes)
    return try? reader.integer(UInt64.self)
  }

  private func bytes(_ number: UInt64) -> [UInt8] {
    var writer = ByteWriter()
    writer.integer(number)
    return writer.bytes
  }
}
