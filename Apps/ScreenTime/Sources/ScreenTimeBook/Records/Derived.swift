package import Reunion
import ReunionCore

/// Ids that two who are apart make alike, so that what they write becomes one record.
extension RecordID {
  /// The id of what is said of something.
  package init(of kind: String, _ name: String) {
    let hash = SHA256.hash(Array("screen time \(kind) \(name)".utf8))
    self = RecordID(bytes: Array(hash[..<16])) ?? RecordID(high: 0, low: 0)
  }
}

extension ProgramKind {
  /// The id of what is said of a program.
  static func id(of program: String) -> RecordID { RecordID(of: "program", program) }
}

extension Budget {
  /// The id of the budget of a category, or of everything.
  static func id(of category: RecordID?) -> RecordID {
    RecordID(of: "budget", category?.description ?? "")
  }
}

extension Arrival {
  /// The id of what is said of a record.
  static func id(of record: RecordID) -> RecordID { RecordID(of: "arrival", record.description) }
}

extension Child {
  /// The id of the one record of a child.
  static func id(in space: SpaceID) -> RecordID { RecordID(high: space.high, low: space.low) }
}
