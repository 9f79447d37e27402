import Foundation
import Testing

/// The packages beside the library build in a clone of any name, but for one that says so.
@Suite struct CloneNameTests {
  static let packages = ["Apps", "Changelog", "Benchmarks"]

  /// A tree of that name with the manifests of this one, and links to its sources.
  static func clone(called name: String) throws -> URL {
    let files = FileManager.default
    let folder = files.temporaryDirectory.appending(path: "clone-\(UUID())").appending(path: name)
    for package in ["."] + packages {
      let (from, to) = (TidyTests.root.appending(path: package), folder.appending(path: package))
      try files.createDirectory(at: to, withIntermediateDirectories: true)
      for item in try files.contentsOfDirectory(atPath: from.path)
      where !item.hasPrefix(".") && !packages.contains(item) {
        let (source, copy) = (from.appending(path: item), to.appending(path: item))
        if item == "Package.swift" {
          try files.copyItem(at: source, to: copy)
        } else {
          try files.createSymbolicLink(at: copy, withDestinationURL: source)
        }
      }
    }
    return folder
  }

  /// What SwiftPM says of a package, and whether it can be built; with a cache of its own, since others
  /// resolve at the same time.
  static func resolve(_ package: String, in clone: URL) throws -> (isWhole: Bool, said: String) {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [
      "swift", "package", "--package-path", clone.appending(path: package).path,
      "--cache-path", clone.appending(path: "cache").path, "show-dependencies",
    ]
    let said = Pipe()
    (process.standardOutput, process.standardError) = (said, said)
    try process.run()
    let bytes = said.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus == 0, String(decoding: bytes, as: UTF8.self))
  }

  @Test(arguments: [("Apps", "albums"), ("Apps", "my reunion"), ("Changelog", "reunion")])
  func `a package builds in a clone of any name`(_ package: String, _ name: String) throws {
    let clone = try Self.clone(called: name)
    defer { try? FileManager.default.removeItem(at: clone.deletingLastPathComponent()) }
    let (isWhole, said) = try Self.resolve(package, in: clone)
    #expect(isWhole, "\(said.suffix(400))")
  }

  @Test(arguments: packages)
  func `a clone that is called like a package in it is told to be renamed`(_ package: String) throws
  {
    let clone = try Self.clone(called: package.lowercased())
    defer { try? FileManager.default.removeItem(at: clone.deletingLastPathComponent()) }
    let (isWhole, said) = try Self.resolve(package, in: clone)
    #expect(!isWhole && said.contains("Rename the clone"), "\(said.suffix(800))")
  }
}
