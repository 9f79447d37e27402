import Foundation
import Testing

/// Each public name is used: by an app, a command, an example, a test, a benchmark, or a page of the docs.
///
/// It goes by words: a name that something else has as well counts as used.
@Suite struct UnusedNameTests {
  private static let types: Set<String> = [
    "struct", "class", "enum", "protocol", "typealias", "actor",
  ]
  private static let kinds = types.union(["func", "var", "let"])

  /// What a protocol asks for: it is used where a type conforms, and seldom by its name.
  private static let required: Set<String> = [
    "errorDescription", "makeIterator", "Iterator", "AsyncIterator", "minimumResolution",
    "arrayKind", "isOptional",
  ]

  /// The public names of a file, and whether each is that of a type.
  static func declared(in text: String) -> [(name: String, isType: Bool)] {
    text.split(separator: "\n").compactMap { line in
      // A declaration stands on one line, as `swift format` leaves it.
      let words = Self.words(of: line)
      guard let start = words.firstIndex(of: "public"), !line.contains("//"),
        let kind = words[start...].firstIndex(where: kinds.contains), kind + 1 < words.count,
        words[kind] != "class" || !kinds.contains(words[kind + 1])
      else { return nil }
      return (words[kind + 1], types.contains(words[kind]))
    }
  }

  private static func words(of text: some StringProtocol) -> [String] {
    text.utf8.split { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
        false
      default: true
      }
    }.map { String(decoding: $0, as: UTF8.self) }
  }

  /// Where a name may be used, but for the lists of all names.
  private static func users() throws -> Set<String> {
    var words: Set<String> = []
    let folders = [
      "Apps", "Commands", "Changelog", "Tests", "Benchmarks", "docs",
    ]
    let guides = CatalogueTests.guides().map { TidyTests.root.appending(path: $0) }
    for file in folders.flatMap({ TidyTests.files(in: $0) }) + guides
    where ["swift", "md"].contains(file.pathExtension) {
      words.formUnion(Self.words(of: try String(contentsOf: file, encoding: .utf8)))
    }
    return words
  }

  @Test func `each public name is used by an app, an example, a test or a page`() throws {
    let used = try Self.users()
    // A type that a call takes or gives is used by who calls it, and need not be spelled.
    var inSignatures: [String: Int] = [:]
    var declared: [(file: String, name: String, isType: Bool)] = []
    for file in TidyTests.swiftFiles(in: "Sources") {
      let text = try String(contentsOf: file, encoding: .utf8)
      declared += Self.declared(in: text).map { (file.lastPathComponent, $0.name, $0.isType) }
      for line in text.split(separator: "\n") where !line.contains("///") {
        for word in Self.words(of: line) { inSignatures[word, default: 0] += 1 }
      }
    }
    for (file, name, isType) in declared where !Self.required.contains(name) {
      #expect(
        used.contains(name) || isType && inSignatures[name] ?? 0 > 1,
        """
        \(file): nobody uses the public `\(name)`. Use it in a test or show it on a page, make it \
        `package`, or delete it.
        """)
    }
    #expect(declared.count > 1000)
  }

  @Test func `declarations are found, whatever stands before them (negative control)`() {
    let text = """
      public struct One {
        @inlinable public static func two() {}
        public private(set) var three = 3
        package let four = 4
        @available(*, deprecated) public final class Five {}
        public init() {}
      """
    #expect(Self.declared(in: text).map(\.name) == ["One", "two", "three", "Five"])
    #expect(Self.declared(in: text).map(\.isType) == [true, false, false, true])
  }
}
