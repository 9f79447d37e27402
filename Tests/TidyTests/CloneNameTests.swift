import Foundation
import Testing

/// The apps build in a clone of any name, also one that is called like an app.
@Suite struct CloneNameTests {
  /// A tree of that name with the manifests of this one, and links to its sources.
  static func clone(called name: String) throws -> URL {
    let files = FileManager.default
    let folder = files.temporaryDirectory.appending(path: "clone-\(UUID())").appending(path: name)
    for path in ["Apps/Albums", "Apps/Quakes", "Apps/Sudoku", "Apps/Words", "Apps/ScreenTime"] {
      try files.createDirectory(
        at: folder.appending(path: path), withIntermediateDirectories: true)
    }
    for path in [
      "Package.swift", "Apps/Albums/Package.swift", "Apps/Quakes/Package.swift",
      "Apps/Sudoku/Package.swift", "Apps/Words/Package.swift", "Apps/ScreenTime/Package.swift",
    ] {
      try files.copyItem(
        at: TidyTests.root.appending(path: path), to: folder.appending(path: path))
    }
    for path in [
      "Sources", "Tests", "Plugins", "Examples", "Apps/Albums/Sources", "Apps/Quakes/Sources",
      "Apps/Sudoku/Sources", "Apps/Words/Sources", "Apps/ScreenTime/Sources",
    ] {
      try files.createSymbolicLink(
        at: folder.appending(path: path),
        withDestinationURL: TidyTests.root.appending(path: path))
    }
    let link = try files.destinationOfSymbolicLink(
      atPath: TidyTests.root.appending(path: "Apps/reunion").path)
    try files.createSymbolicLink(
      atPath: folder.appending(path: "Apps/reunion").path, withDestinationPath: link)
    return folder
  }

  /// What SwiftPM says of an app's package, and whether it can be built; with a cache of its own,
  /// since others resolve at the same time.
  static func resolve(_ app: String, in clone: URL) throws -> (isWhole: Bool, said: String) {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [
      "swift", "package", "--package-path", clone.appending(path: "Apps/\(app)").path,
      "--cache-path", clone.appending(path: "cache").path, "show-dependencies",
    ]
    let said = Pipe()
    (process.standardOutput, process.standardError) = (said, said)
    try process.run()
    let bytes = said.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus == 0, String(decoding: bytes, as: UTF8.self))
  }

  @Test(arguments: ["Albums", "Quakes", "Sudoku", "Words", "ScreenTime"])
  func `an app builds in a clone that is called like it`(_ app: String) throws {
    let clone = try Self.clone(called: app.lowercased())
    defer { try? FileManager.default.removeItem(at: clone.deletingLastPathComponent()) }
    let (isWhole, said) = try Self.resolve(app, in: clone)
    #expect(isWhole, "\(said.suffix(400))")
  }

  @Test func `a library that is called like the app is not found (negative control)`() throws {
    let clone = try Self.clone(called: "albums")
    defer { try? FileManager.default.removeItem(at: clone.deletingLastPathComponent()) }
    let link = clone.appending(path: "Apps/reunion")
    try FileManager.default.removeItem(at: link)
    let manifest = clone.appending(path: "Apps/Albums/Package.swift")
    let text = try String(contentsOf: manifest, encoding: .utf8)
    try text.replacing("\"../reunion\"", with: "\"../..\"").write(
      to: manifest, atomically: true, encoding: .utf8)
    let (isWhole, said) = try Self.resolve("Albums", in: clone)
    #expect(!isWhole && said.contains("product 'Reunion'"), "\(said.suffix(400))")
  }
}
