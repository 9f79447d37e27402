import ReunionCore
import ReunionStore

extension Store {
  /// All cells of the rows that arrived after a number, and the vector: what a push to one who holds
  /// nothing would bring.
  func changes(
    in space: SpaceID, after cursor: UInt64 = 0
  ) throws -> (changes: [Change], vector: VersionVector) {
    var reading = Conversation.Reading(after: cursor, vectorAfter: 0, held: VersionVector())
    var changes: [Change] = []
    while true {
      let window = try window(in: space, reading, bytesMax: .max)
      changes += window.changes
      reading.after = window.cursor
      guard let end = window.end else { continue }
      var vector = VersionVector()
      for dot in end.raised { vector.raise(dot.site, to: dot.seq) }
      return (changes, vector)
    }
  }
}
