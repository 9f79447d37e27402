import Foundation
import Testing

/// `reunion serve` as it is started by the command; what it serves is shown by the journeys.
@Suite struct ServeTests {
  @Test func `is a program beside the command, which the help lists`() throws {
    let help = try Command.run("serve", "--help")
    #expect(help.status == 0 && help.output.hasPrefix("Usage: reunion serve FOLDER"))
    #expect(try Command.run("--help").output.contains("\n  serve: reunion-serve\n"))
    let none = try Command.run("serve")
    #expect(none.status == 2)
    #expect(none.errors.hasPrefix("reunion serve: Say in which folder the data is"))
  }
}
