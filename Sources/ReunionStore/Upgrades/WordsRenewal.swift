import ReunionCore
import ReunionDisk

/// How far a store has come with making its indexes of words anew, after an update of the library:
/// what `Store.wordsRenewal` shows.
public struct WordsRenewal: Hashable, Sendable {
  /// How many records have been looked at.
  public var doneCount: Int
  /// How many there are, counted when it began: records with words, of all spaces.
  public let recordCount: Int

  private static let key = "words"
  /// How the words of the index are told apart: 1 since letters of scripts without spaces are
  /// words.
  private static let present: Int64 = 1
  static let batchCount = 256

  /// Whether a store has indexes that were made by an earlier version.
  static func isDue(_ connection: DatabaseConnection, _ layout: Layout) throws(StoreError) -> Bool {
    guard !layout.textIndexes.isEmpty else { return false }
    return try connection.number("SELECT value FROM reunion_meta WHERE key = '\(key)'") != present
  }

  /// Notes that all indexes are as this version makes them, in the transaction that is under way.
  static func note(_ connection: DatabaseConnection) throws(StoreError) {
    try connection.execute("INSERT OR REPLACE INTO reunion_meta VALUES('\(key)', \(present))")
  }
}
