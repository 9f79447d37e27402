import Foundation
import Testing

/// Memory, of a process that does nothing else.
@Suite struct MemoryTests {
  static func run(_ mode: String) throws -> (entries: Int, peakBytes: Int, lines: [Substring]) {
    // Beside the tests.
    let program = Bundle.main.bundleURL.appending(path: "feed-memory-fixture")
    let process = Process()
    process.executableURL = program
    process.arguments = [mode]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    let lines = String(decoding: data, as: UTF8.self).split(separator: "\n")
    let numbers = try #require(lines.last).split(separator: " ").compactMap { Int($0) }
    try #require(numbers.count == 2)
    return (numbers[0], numbers[1], lines)
  }

  @Test func `memory is that of one entry, and not that of 80 MB of feed`() throws {
    let stream = try Self.run("stream")
    #expect(stream.entries == 40_050)
    #expect(stream.peakBytes < 60 << 20)
    // Negative control: entries that are kept are seen.
    let keep = try Self.run("keep")
    #expect(keep.entries == 40_050)
    #expect(keep.peakBytes > 80 << 20)
  }

  @Test func `an attribute of 12 MB is refused in the memory of a few of them`() throws {
    let attribute = try Self.run("attribute")
    #expect(attribute.entries == 50)
    #expect(attribute.lines.first?.contains("too long") == true)
    #expect(attribute.peakBytes < 120 << 20)
  }
}
