import Foundation
import Testing

/// The examples, compiled as somebody else's package: what is `package` is not there.
@Suite struct OutsideTests {
  /// Compiles a program's sources without making anything of them, and gives the errors.
  static func errors(of sources: [String]) throws -> String {
    let products = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
      .deletingLastPathComponent()
    var arguments = [
      "-typecheck", "-swift-version", "6", "-module-name", "outside", "-package-name", "outside",
      "-I", products.appending(path: "Modules").path,
    ]
    for feature in ["ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility"] {
      arguments += ["-enable-upcoming-feature", feature]
    }
    // The modules of C: a library of the system has its map beside the sources, ours beside the products.
    let sourceFolder = TidyTests.root.appending(path: "Sources")
    for name in try FileManager.default.contentsOfDirectory(atPath: sourceFolder.path).sorted() {
      for folder in [sourceFolder.appending(path: name), products.appending(path: "\(name).build")]
      {
        let map = folder.appending(path: "module.modulemap").path
        guard FileManager.default.fileExists(atPath: map) else { continue }
        arguments += ["-Xcc", "-fmodule-map-file=\(map)"]
      }
    }
    // Their headers, as Package.swift finds them.
    let libraries = try GuideTests.read("Package.swift").matches(of: /pkgConfig: "([\w.-]+)"/)
    let flags = try StyleTests.run(
      "pkg-config", ["--cflags-only-I"] + libraries.map { String($0.1) })
    for flag in flags.output.split(whereSeparator: \.isWhitespace) {
      arguments += ["-Xcc", String(flag)]
    }
    let run = try StyleTests.run("swiftc", arguments + sources)
    return run.status == 0 ? "" : String(run.output.prefix(2000))
  }

  private static func sources(of example: String) throws -> [String] {
    let folder = TidyTests.root.appending(path: "Examples/\(example)")
    return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
      .filter { $0.hasSuffix(".swift") }.map { folder.appending(path: $0).path }
  }

  @Test func `an example names nothing that is ours alone`() throws {
    let examples = try FileManager.default.contentsOfDirectory(
      atPath: TidyTests.root.appending(path: "Examples").path)
    // A plugin makes a part of it, and its own package would have to run that.
    for example in examples.sorted() where !["Keys", "Models"].contains(example) {
      let errors = try Self.errors(of: try Self.sources(of: example))
      #expect(
        errors.isEmpty, "Examples/\(example) names what no app can. Have it do without:\n\(errors)")
    }
    #expect(examples.count > 15)
  }

  @Test func `what is ours alone is seen to be so (negative control)`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "outside-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "probe.swift")
    func errors(_ name: String) throws -> String {
      let text = "import Reunion\nfunc probe(_ replica: Replica) { print(replica.store.\(name)) }\n"
      try Data(text.utf8).write(to: file)
      return try Self.errors(of: [file.path])
    }
    #expect(try errors("device").isEmpty)
    #expect(try errors("site").contains("'package' protection level"))
  }
}
