import Foundation
import Reunion
import ReunionFlow
import ReunionServer
import ReunionStore
import Testing

/// The program of docs/getting-started.md, on two devices and without the server.
@Suite struct GettingStartedTests {
  let folder = "\(NSTemporaryDirectory())/started-\(UUID())"
  let space = SpaceID.random()

  /// The example while it runs, and the lines that it has printed.
  private final class Device {
    let lines = Log<String>()
    private let process = Process()

    init(_ arguments: [String]) throws {
      let products = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent()
      let program = products.appending(path: "getting-started-example").path
      // A program whose output is a pipe keeps it to itself for long.
      process.executableURL = URL(filePath: "/usr/bin/stdbuf")
      process.arguments = ["-oL", program] + arguments
      let output = Pipe()
      process.standardOutput = output
      output.fileHandleForReading.readabilityHandler = { [lines] handle in
        for line in String(decoding: handle.availableData, as: UTF8.self).split(separator: "\n") {
          lines.append(String(line))
        }
      }
      try process.run()
    }

    func stop() {
      process.terminate()
      process.waitUntilExit()
    }
  }

  @Test func `two devices show the same errands, and each goes on without the server`() async throws
  {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    var host = try JoiningTests.Host(folder + "/server", space)
    let (port, link) = (host.port, try host.link())
    let phone = try Device([folder + "/phone", link, "Milk"])
    let laptop = try Device([folder + "/laptop", link, "Bread"])
    #expect(await phone.lines.reach { $0.last == "Bread, Milk" })
    #expect(await laptop.lines.reach { $0.last == "Bread, Milk" })
    try host.stop()
    phone.stop()
    let again = try Device([folder + "/phone", link, "Stamps"])
    #expect(await again.lines.reach { $0.last == "Bread, Milk, Stamps" })
    host = try JoiningTests.Host(folder + "/server", space, port: port)
    #expect(await laptop.lines.reach { $0.last == "Bread, Milk, Stamps" })
    #expect(host.access.devices().count == 2)
    again.stop()
    laptop.stop()
    try host.stop()
  }
}
