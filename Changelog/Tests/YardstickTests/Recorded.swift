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

  static func files() throws -> [String: File] { try read("parsed.json") }

  private static func read<Value: Decodable>(_ name: String) throws -> Value {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Vectors")
    return try JSONDecoder().decode(
      Value.self, from: Data(contentsOf: folder.appending(path: name)))
  }
}
