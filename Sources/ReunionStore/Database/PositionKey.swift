import ReunionCore
import ReunionDisk

/// The key of a store's positions: made with the store, and kept by its copies and backups.
enum PositionKey {
  private static let name = "position key"
  /// How many bytes it has.
  static let byteCount = 32

  /// Draws a key, in the transaction that makes a database.
  static func make(
    _ random: @Sendable () -> UInt64, _ connection: DatabaseConnection
  ) throws(StoreError) {
    var writer = ByteWriter()
    while writer.bytes.count < byteCount { writer.integer(random()) }
    try connection.keep(writer.bytes, as: name)
  }

  /// Reads the key; none where a damaged store has lost it, which then knows no position.
  static func read(_ connection: DatabaseConnection) throws(StoreError) -> [UInt8] {
    try connection.kept(name) ?? []
  }
}
