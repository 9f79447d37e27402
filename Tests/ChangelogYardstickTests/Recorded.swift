import Foundation

/// What 4.6.2 was seen to do, as `make changelog-yardstick` recorded it.
enum Recorded {
  /// A generated file, and what was made of it.
  struct File: Decodable {
    let digest: String
    let refused: String?
    let changesets: [Changeset]?
  }

  struct Changeset: Decodable {
    let path: String
    let id: String
    let author: String
    let checksum: String
    let statements: Counted
    let rollback: Counted?
    let flags: [String]?
    let valid: [String]?
    let invalid: [String]?
    /// Contexts, labels, comments and description as the history had them.
    let row: [String?]?
  }

  /// How many texts there were, and a digest of them; or the error that came instead.
  struct Counted: Decodable {
    let count: Int
    let digest: String

    init(from decoder: any Decoder) throws {
      var list = try decoder.unkeyedContainer()
      count = try list.decode(Int.self)
      digest = try list.decode(String.self)
    }
  }

  /// After a step: how its commands ended, the rows of the history, and a digest of schema and data.
  struct Step: Decodable {
    let codes: [Int32]
    let history: [[Cell?]]
    let digest: String
  }

  /// A value of a row, as text.
  struct Cell: Decodable, Equatable {
    let text: String

    init(from decoder: any Decoder) throws {
      let value = try decoder.singleValueContainer()
      if let number = try? value.decode(Int.self) {
        text = String(number)
      } else {
        text = try value.decode(String.self)
      }
    }
  }

  static func files() throws -> [String: File] { try read("parsed.json") }

  /// By "ENGINE NUMBER" and the name of the step.
  static func databases() throws -> [String: [String: Step]] { try read("applied.json") }

  private static func read<Value: Decodable>(_ name: String) throws -> Value {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Vectors/changelog")
    return try JSONDecoder().decode(
      Value.self, from: Data(contentsOf: folder.appending(path: name)))
  }
}
