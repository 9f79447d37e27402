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
  let connection: DatabaseConnection
  let folder: String
  let options: StoreOptions

  private var file: String { folder + "/identity" }

  /// The store's sites: those of before, new incarnations of them, or one of a new device. Of those of
  /// before, a new nonce is due before the first write: who only reads need not wait for the disk.
  func establish() throws(StoreError) -> (sites: Sites, isNonceDue: Bool) {
    let fingerprint = try fingerprint()
    let nonces = try readNonces()
    guard let device = try number("device"), let incarnation = try number("incarnation") else {
      let sites = Sites(own: Site(device: options.random(), incarnation: options.random()))
      try rotate(
        adding: [(key: "device", value: bytes(sites.own.device))] + identity(sites, fingerprint))
      return (sites, false)
    }
    var sites = Sites(own: Site(device: device, incarnation: incarnation))
    try sites.readOthers(connection)
    let nonce = try connection.kept("nonce")
    let isSame =
      try connection.kept("fingerprint") == fingerprint && nonce.map(nonces.contains) == true
    if isSame { return (sites, true) }
    sites.renew(options.random())
    try rotate(adding: identity(sites, fingerprint))
    return (sites, false)
  }

  /// The site under which a store was last opened.
  package static func site(_ connection: DatabaseConnection) throws(StoreError) -> Site {
    let identity = Identity(connection: connection, folder: "", options: StoreOptions())
    guard let device = try identity.number("device"),
      let incarnation = try identity.number("incarnation")
    else { throw StoreError(.damaged, "\(connection.path) names no device: restore a backup.") }
    return Site(device: device, incarnation: incarnation)
  }

  /// All sites under which a store was last opened.
  package static func sites(_ connection: DatabaseConnection) throws(StoreError) -> Sites {
    var sites = Sites(own: try site(connection))
    try sites.readOthers(connection)
    return sites
  }

  /// Makes a new store that of some sites: at its first opening it becomes a new incarnation of each.
  package static func write(_ sites: Sites, _ connection: DatabaseConnection) throws(StoreError) {
    let identity = Identity(connection: connection, folder: "", options: StoreOptions())
    try connection.keep(identity.bytes(sites.own.device), as: "device")
    try identity.write(sites)
  }

  /// Notes new sites, in the transaction that is under way.
  func write(_ sites: Sites) throws(StoreError) {
    for (key, value) in sites.rows { try connection.keep(value, as: key) }
  }

  /// Begins new incarnations of the same device.
  func renew(_ sites: inout Sites) throws(StoreError) {
    var renewed = sites
    renewed.renew(options.random())
    try rotate(adding: renewed.rows)
    sites = renewed
  }

  /// Draws a new nonce. The file names both until the database has the new one, so that a crash
  /// between the two is no restore.
  func rotate(adding rows: [(key: String, value: [UInt8])] = []) throws(StoreError) {
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

  private func identity(
    _ sites: Sites, _ fingerprint: [UInt8]
  ) -> [(key: String, value: [UInt8])] {
    sites.rows + [(key: "fingerprint", value: fingerprint)]
  }

  private func fingerprint() throws(StoreError) -> [UInt8] {
    var writer = ByteWriter()
    writer.lengthPrefixed((try? options.disk.read("/etc/machine-id")) ?? [])
    if options.seededBugs.databaseOpenedBeside {
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
