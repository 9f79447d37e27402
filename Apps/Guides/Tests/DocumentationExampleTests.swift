import Foundation
import Testing

/// The examples of doc comments, compiled as an app outside of the library would be.
///
/// An example is a fenced block of `swift` in a `///` comment below `Sources`. It is the body of
///
///     func example(
///       store: Store, replica: Replica, space: SpaceID, album: Album, photo: Photo
///     ) async throws { … }
///
/// in a file that imports Foundation, Reunion and the example's own product.
/// `Documentation/Preamble.swift` declares `Album`, `Photo` and their model.
///
/// A block of which a line begins with `import `, `extension ` or `@main` is a file of its own
/// instead, as it stands; without an import it gets those above. All examples are one module, so
/// that each name that such a file declares is there once. No line is hidden. What is no example,
/// such as a part of a schema, is indented by four and not fenced.
@Suite struct DocumentationExampleTests {
  /// A fenced block of a doc comment.
  struct Example {
    /// The folder below `Sources`.
    let module: String
    /// The file, from the repository's folder.
    let file: String
    /// Where its first line stands in the file, from 1.
    let line: Int
    let code: [String]
    /// The line of code that the comment is about.
    var subject = ""

    /// Whether it is a file of its own.
    var isFile: Bool { code.contains { $0.starts(with: #/import |extension |@main\b/#) } }

    /// Its lines, which the compiler takes for those of the comment.
    var located: [String] {
      ["#sourceLocation(file: \"\(file)\", line: \(line))"] + code + ["#sourceLocation()"]
    }
  }

  /// The examples of a file's text.
  static func examples(in text: String, of module: String, file: String) -> [Example] {
    var found: [Example] = []
    var block: (line: Int, code: [String])?
    var toldCount = 0
    for (index, line) in text.components(separatedBy: "\n").enumerated() {
      let words = line.drop { $0 == " " }
      guard words.hasPrefix("///") else {
        block = nil
        // An attribute stands between a comment and what it is about.
        if words.wholeMatch(of: #/@\w+(\(.*\))?/#) != nil { continue }
        for index in toldCount..<found.count { found[index].subject = String(words) }
        toldCount = found.count
        continue
      }
      let comment = words.dropFirst(words.hasPrefix("/// ") ? 4 : 3)
      if comment == "```swift" {
        block = (index + 2, [])
      } else if comment == "```", let (line, code) = block {
        found.append(Example(module: module, file: file, line: line, code: code))
        block = nil
      } else {
        block?.code.append(String(comment))
      }
    }
    return found
  }

  /// The examples of all sources, by file.
  static func examples() throws -> [Example] {
    let paths = try FileManager.default.subpathsOfDirectory(
      atPath: Page.root.appending(path: "Sources").path)
    return try paths.filter { $0.hasSuffix(".swift") }.sorted().flatMap { path in
      let module = String(path.prefix { $0 != "/" })
      let file = "Sources/\(path)"
      return examples(in: try Page.read(file), of: module, file: file)
    }
  }

  /// The library products, which an app may import.
  static func products() throws -> [String] {
    try Page.read("Package.swift").matches(of: /\.library\(name: "(\w+)", targets/)
      .map { String($0.1) }
  }

  /// The files that examples make: one for each module, and one for each example that is a file.
  static func sources(of examples: [Example]) throws -> [(name: String, text: String)] {
    let products = try products()
    func imports(_ module: String) -> [String] {
      ["Foundation", "Reunion", module]
        .filter { $0 == "Foundation" || products.contains($0) }.map { "import \($0)" }
    }
    var files = [("Preamble", try Page.read("Apps/Guides/Tests/Documentation/Preamble.swift"))]
    for (module, ofModule) in Dictionary(grouping: examples, by: \.module) {
      var lines = imports(module)
      for (number, example) in ofModule.enumerated() {
        guard !example.isFile else {
          let isWhole = example.code.contains { $0.hasPrefix("import ") }
          let text = (isWhole ? [] : imports(module)) + example.located
          files.append(("\(module)\(number)", text.joined(separator: "\n")))
          continue
        }
        lines += [
          "func \(module)Example\(number)(",
          "  store: Store, replica: Replica, space: SpaceID, album: Album, photo: Photo",
          ") async throws {",
        ]
        lines += example.located + ["}"]
      }
      files.append((module, lines.joined(separator: "\n") + "\n"))
    }
    return files
  }

  /// What the compiler says against examples, in one run; nothing where it takes them.
  static func errors(of examples: [Example]) throws -> String {
    let folder = FileManager.default.temporaryDirectory.appending(path: "examples-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let files = try sources(of: examples).map { name, text in
      let file = folder.appending(path: "\(name).swift")
      try Data(text.utf8).write(to: file)
      return file.path
    }
    // Both outputs are one, since each would wait for the other to be read.
    let run = try Program.run(
      URL(filePath: "/bin/sh"), ["-c", "exec swiftc \"$@\" 2>&1", "swiftc"] + options() + files)
    return run.status == 0 ? "" : run.output
  }

  /// What the compiler needs to know of the library's modules, as somebody else's package.
  private static func options() throws -> [String] {
    let products = try Program.path("notes-example").deletingLastPathComponent()
    var options = [
      "-typecheck", "-swift-version", "6", "-module-name", "outside", "-package-name", "outside",
      "-suppress-warnings", "-I", products.appending(path: "Modules").path,
    ]
    for feature in ["ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility"] {
      options += ["-enable-upcoming-feature", feature]
    }
    // A library of the system has its map beside the sources, and ours beside what was built.
    let sources = Page.root.appending(path: "C")
    for name in try FileManager.default.contentsOfDirectory(atPath: sources.path).sorted() {
      for place in [sources.appending(path: name), products.appending(path: "\(name).build")] {
        let map = place.appending(path: "module.modulemap").path
        guard FileManager.default.fileExists(atPath: map) else { continue }
        options += ["-Xcc", "-fmodule-map-file=\(map)"]
      }
    }
    // Their headers, as Package.swift finds them.
    let libraries = try Page.read("Package.swift").matches(of: /pkgConfig: "([\w.-]+)"/)
    let flags = try Program.run(
      URL(filePath: "/usr/bin/env"),
      ["pkg-config", "--cflags-only-I"] + libraries.map { String($0.1) })
    for flag in flags.output.split(whereSeparator: \.isWhitespace) {
      options += ["-Xcc", String(flag)]
    }
    return options
  }

  @Test func `each example of a doc comment compiles outside of the library`() throws {
    let examples = try Self.examples()
    #expect(examples.count(where: { $0.module == "ReunionStore" }) >= 110)
    #expect(examples.count >= 290)
    let errors = try Self.errors(of: examples)
    #expect(
      errors.isEmpty,
      "Mend these examples. The lines are those of the comments:\n\(errors.prefix(8000))")
  }

  @Test func `what is ours alone is refused, by file and line (negative control)`() throws {
    func errors(_ lines: String...) throws -> String {
      let fence = ["/// Says something.", "///", "/// ```swift"] + lines.map { "/// \($0)" }
      let text = (fence + ["/// ```", "public struct Probe {}"]).joined(separator: "\n")
      let found = Self.examples(in: text, of: "ReunionStore", file: "Sources/Probe.swift")
      #expect(found.map(\.subject) == ["public struct Probe {}"])
      return try Self.errors(of: found)
    }
    #expect(try errors("print(store.device, photo.id)").isEmpty)
    #expect(try errors("import Reunion", "extension Photo { var isSeen: Bool { true } }").isEmpty)
    let refused = try errors("print(store.device)", "print(store.site)")
    #expect(refused.contains("'package' protection level"))
    #expect(refused.contains("Sources/Probe.swift:5:"))
  }

  /// The symbols of a catalogue's page, group by group; none for groups of articles alone.
  static func groups(of product: String) throws -> [[String]] {
    let pages = [
      "docs/catalogues/\(product).md", "Sources/\(product)/\(product).docc/\(product).md",
    ]
    let path = try #require(
      pages.first {
        FileManager.default.fileExists(atPath: Page.root.appending(path: $0).path)
      }, "\(product) has no catalogue.")
    let topics = try Page.read(path).components(separatedBy: "\n## Topics\n").dropFirst().joined()
    return topics.components(separatedBy: "\n### ").map { group in
      group.matches(of: /``(\w+)``/).map { String($0.1) }
    }.filter { !$0.isEmpty }
  }

  /// Products of which a program other than an app makes use.
  static let beside: Set = ["ReunionCommandLine", "ReunionDesktop"]

  @Test func `each type that a catalogue names has an example`() throws {
    let subjects = try Self.examples().map(\.subject)
    let products = try Self.products().filter { !Self.beside.contains($0) }
    #expect(products.count >= 12)
    for product in products {
      let names = try Self.groups(of: product).flatMap(\.self)
      #expect(!names.isEmpty)
      let lacking = try names.filter { name in
        let declaration = try Regex(#"\b(struct|class|enum|protocol|actor|extension) \#(name)\b"#)
        return !subjects.contains { $0.contains(declaration) }
      }
      #expect(lacking.isEmpty, "Give \(lacking) of \(product) an example in its doc comment.")
    }
  }
}
