package import Foundation

/// What Liquibase 4.6.2 left of a generated changelog that runs, as `make changelog-yardstick` recorded it.
package struct RecordedRun: Sendable {
  /// The middle, the end, back to the tag, and the end again.
  package static let steps = ["middle", "end", "back", "again"]

  /// The history's columns that two programs can share, in this order.
  package static let columns = [
    "ID", "AUTHOR", "FILENAME", "ORDEREXECUTED", "EXECTYPE", "MD5SUM", "DESCRIPTION", "COMMENTS",
    "TAG", "CONTEXTS", "LABELS",
  ]

  package struct Step: Sendable, Equatable {
    package let history: [[String?]]
    /// MD5 of the lines of schema and data.
    package let digest: String

    package init(history: [[String?]], digest: String) {
      self.history = history
      self.digest = digest
    }
  }

  private let recorded: [String: Step]

  /// What was there after a step.
  package subscript(step: String) -> Step? { recorded[step] }

  /// All that were recorded: "sqlite 3", "postgresql 7".
  package static func all(in file: URL) throws -> [String: RecordedRun] {
    let read = try JSONSerialization.jsonObject(with: Data(contentsOf: file))
    guard let runs = read as? [String: [String: [String: Any]]] else { throw Unreadable() }
    return try runs.mapValues { steps in
      try RecordedRun(
        recorded: steps.mapValues { step in
          guard let rows = step["history"] as? [[Any]], let digest = step["digest"] as? String
          else {
            throw Unreadable()
          }
          let history = rows.map { $0.map { $0 is NSNull ? nil : "\($0)" } }
          return Step(history: history, digest: digest)
        })
    }
  }

  private struct Unreadable: Error {}
}
