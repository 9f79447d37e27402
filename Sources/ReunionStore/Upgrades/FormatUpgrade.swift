import ReunionDisk

/// Brings the file's own tables to the version that this program writes (`DatabaseSchema.version`),
/// one version after the other. Whoever raises that version adds what leads there.
enum FormatUpgrade {
  /// What leads from each version to the next.
  static let steps: [Int64: @Sendable (DatabaseConnection) throws(StoreError) -> Void] = [
    1: { (connection) throws(StoreError) in try connection.execute(ShownColumns.create) },
    2: { (connection) throws(StoreError) in
      try connection.execute(BlobTenant.create)
      try BlobTenant.noteUnnamed(connection)
      try connection.execute(Retirement.create)
      try Retirement.noteLowerings(connection)
    },
  ]

  /// Changes the tables, in the transaction that is under way.
  static func run(_ connection: DatabaseConnection, from old: Int, to new: Int) throws(StoreError) {
    for version in Int64(old)..<Int64(max(old, new)) {
      guard let step = steps[version] else {
        throw StoreError(
          .unexpected, "Nothing leads from version \(version) of the file on; please report this.")
      }
      try step(connection)
    }
    try connection.execute("PRAGMA user_version = \(new)")
  }
}
