package import ReunionDisk
package import ReunionStore

/// What a store's folder says of its spaces: what is still to go and to come, and who else has it. It changes nothing.
///
/// The store may be in use meanwhile. *Cost*: a look at each blob that records name, and at the records that are
/// still to go.
package enum StoreStatus {
  /// The most records and blobs of a space that are counted.
  package static let countMax = 10_000

  /// Reads a folder.
  ///
  /// - Throws: `notFound` if there is no store, `newerVersion`, `damaged`, `ioFailed`.
  package static func spaces(
    in folder: String, on disk: any Disk = .system
  ) throws -> [SpaceStatus] {
    let path = folder + "/store.sqlite"
    guard try disk.exists(path) else {
      throw StoreError(.notFound, "There is no store in \(folder): name the folder that has one.")
    }
    let connection = try DatabaseConnection(path: path, on: disk, readOnly: true)
    defer { connection.close() }
    try connection.keepLogOnClose(true)
    try Database.checkLog(connection, on: disk)
    try Database.verify(connection)
    try connection.execute("BEGIN")
    return try SpaceStatus.all(on: connection, countMax: countMax)
  }
}
