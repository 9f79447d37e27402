import Foundation

/// A page of the repository, and what stands in it.
struct Page {
  let text: String

  static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  init(_ path: String) throws { text = try Self.read(path) }

  /// A guide in the catalogue of a product.
  init(_ guide: String, of product: String) throws {
    try self.init("Sources/\(product)/\(product).docc/\(guide).md")
  }

  static func read(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  /// The program of a guide.
  static func guide(_ folder: String, _ file: String = "main.swift") throws -> String {
    try read("Apps/Guides/\(folder)/\(file)").trimmingCharacters(in: .newlines)
  }

  /// The blocks of code in a language.
  func blocks(_ language: String) -> [String] {
    var blocks: [String] = []
    var rest = text[...]
    while let start = rest.range(of: "```\(language)\n"),
      let end = rest.range(of: "\n```", range: start.upperBound..<rest.endIndex)
    {
      blocks.append(String(rest[start.upperBound..<end.lowerBound]))
      rest = rest[end.upperBound...]
    }
    return blocks
  }
}
