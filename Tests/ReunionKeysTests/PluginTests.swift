import Foundation
import Testing

/// The build plugin in a package of somebody's own, as the guide keys.md has it.
@Suite struct PluginTests {
  private static let keys = ["weather": "3f9aQk7-plain-weather-key", "maps": "second key, of maps"]
  private static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// A package with nothing but the plugin, its keys, and a program that prints them.
  private static func package(in folder: URL) throws {
    let sources = folder.appending(path: "Sources/App")
    try FileManager.default.createDirectory(at: sources, withIntermediateDirectories: true)
    let files = [
      "Package.swift": """
      // swift-tools-version: 6.2
      import PackageDescription
      let package = Package(
        name: "app", platforms: [.macOS(.v15)],
        dependencies: [.package(name: "reunion", path: "\(root.path)")],
        targets: [
          .executableTarget(
            name: "App", dependencies: [.product(name: "ReunionKeys", package: "reunion")],
            plugins: [.plugin(name: "ObfuscateKeys", package: "reunion")])
        ])
      """,
      "Sources/App/.keys": keys.map { "\($0) = \($1)\n" }.joined(),
      "Sources/App/main.swift": """
      import ReunionKeys
      for key in [Keys.maps, Keys.weather] {
        print(key.withBytes { String(decoding: $0, as: UTF8.self) })
      }
      """,
    ]
    for (name, text) in files {
      try Data(text.utf8).write(to: folder.appending(path: name))
    }
  }

  private static func run(
    _ program: String, _ arguments: [String]
  ) throws -> (isWell: Bool, said: String) {
    let process = Process()
    process.executableURL = URL(filePath: program)
    process.arguments = arguments
    let output = Pipe()
    (process.standardOutput, process.standardError) = (output, output)
    try process.run()
    let bytes = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus == 0, String(decoding: bytes, as: UTF8.self))
  }

  @Test func `an app's two builds share no pad, and no key is found in it`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "plugin-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    try Self.package(in: folder)
    let program = folder.appending(path: ".build/debug/App")
    var pads: [Set<String>] = []
    for _ in 0..<2 {
      let cache = folder.appending(path: "cache").path
      let (isBuilt, said) = try Self.run(
        "/usr/bin/env",
        ["swift", "build", "--package-path", folder.path, "--cache-path", cache])
      try #require(isBuilt, "\(said.suffix(600))")
      let made = try #require(
        FileManager.default.enumerator(atPath: folder.appending(path: ".build").path)?
          .compactMap { $0 as? String }.first { $0.hasSuffix("/Keys.swift") })
      let source = try String(
        contentsOf: folder.appending(path: ".build/\(made)"), encoding: .utf8)
      pads.append(
        Set(source.split(separator: "\n").filter { $0.contains("pad:") }.map(String.init)))
      #expect(
        try Self.run(program.path, []).said == "second key, of maps\n3f9aQk7-plain-weather-key\n")
      let search = Search(try Data(contentsOf: program))
      for key in Self.keys.values { #expect(search.guise(of: Array(key.utf8)) == nil) }
      // What is looked for can be found: the name of a case that the program does hold.
      #expect(search.guise(of: Array("ObfuscatedKey".utf8)) != nil)
    }
    #expect(pads[0].count == 2 && pads[1].count == 2 && pads[0].isDisjoint(with: pads[1]))
  }
}
