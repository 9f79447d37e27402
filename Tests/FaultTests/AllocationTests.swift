import Foundation
import TestThreads
import Testing

/// Allocations of SQLite that fail, in a process of their own.
@Suite(.onOwnThread) struct AllocationTests {
  @Test func `an allocation that fails is told, traps nothing and costs nothing`() throws {
    #if !os(Linux)
      return print("skipped: finds its program by /proc")
    #else
      let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
      let process = Process()
      process.executableURL = URL(fileURLWithPath: program).deletingLastPathComponent()
        .appendingPathComponent("AllocationFaults")
      process.arguments = [Extent.isFull ? "1" : "41"]
      let pipe = Pipe()
      process.standardOutput = pipe
      try process.run()
      let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
      process.waitUntilExit()
      let text = String(decoding: output, as: UTF8.self)
      print("faults: \(text)", terminator: "")
      #expect(process.terminationReason == .exit && process.terminationStatus == 0, "\(text)")
      #expect(text.contains("allocations failed"))
    #endif
  }
}
