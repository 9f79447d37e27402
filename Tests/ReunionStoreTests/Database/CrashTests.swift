import Foundation
import ReunionCore
import Testing
import Waiting

@testable import ReunionStore

@Suite struct CrashTests {
  /// Runs the writer on a folder, kills it after a while, and returns the lines that it printed.
  static func runAndKill(
    _ folder: Folder, _ verb: String = "write", after delay: Duration
  ) throws -> [String] {
    let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program).deletingLastPathComponent()
      .appendingPathComponent("StoreWriter")
    process.arguments = [verb, folder.path]
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    var output = pipe.fileHandleForReading.availableData
    pause(for: delay, because: "the kill comes at any moment of the work")
    #expect(kill(process.processIdentifier, SIGKILL) == 0)
    process.waitUntilExit()
    output += try pipe.fileHandleForReading.readToEnd() ?? Data()
    let lines = String(decoding: output, as: UTF8.self).split(
      separator: "\n", omittingEmptySubsequences: false)
    return lines.dropLast().map(String.init)
  }

  @Test func `keeps every write and blob that was reported before a kill`() throws {
    #if !os(Linux)
      return print("skipped: finds its program by /proc")
    #else
      let folder = Folder()
      var random = Seeded(state: 1)
      var reported: [String] = []
      var site: Site?
      for _ in 0..<20 {
        let delay = Duration.microseconds(Int.random(in: 0..<30_000, using: &random))
        let lines = try Self.runAndKill(folder, after: delay)
        #expect(!lines.isEmpty)
        reported += lines
        let store = try Store.open(folder: folder.path, model: Model())
        if let site { #expect(store.site == site) }
        site = store.site
        let own = SpaceID(high: 1, low: 1)
        for line in reported {
          if line.hasPrefix("blob "), let hash = BlobHash(String(line.dropFirst(5))) {
            #expect(try store.blobs.contains(hash))
            continue
          }
          let id = try #require(RecordID(String(line.prefix(32))))
          let state = try store.record(entity: 1, id, in: own)
          #expect(state?.cells.count == 6)
        }
        let seq = try store.vector(of: own)[store.site]
        #expect(seq % 6 == 0 && seq >= 6)
        try store.close()
      }
      print("20 kills, \(reported.count) reported lines, all there")
    #endif
  }
}
