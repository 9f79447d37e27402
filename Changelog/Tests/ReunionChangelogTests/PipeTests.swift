import Foundation
import Testing

@testable import ReunionChangelog

/// What is no file is never waited for.
@Suite struct PipeTests {
  @Test(arguments: ["c.sql", "c.yaml", "m.xml"])
  func `a pipe in the place of a changelog is refused at once`(root: String) throws {
    let bench = try Workbench(["m.xml": MasterTests.xml("<include file=\"c.sql\"/>")])
    for name in ["c.sql", "c.yaml"] {
      #expect(mkfifo(bench.folder.appending(path: name).path, 0o600) == 0)
    }
    let error = try #require(try refusal { _ = try bench.read(root) })
    #expect(error.kind == .refused && error.sentence.contains("is a pipe or a device"))
  }

  @Test func `so is a device that never ends, and a file is read (control)`() throws {
    let bench = try Workbench(["c.sql": Workbench.formatted("--changeset a:1\nselect 1;")])
    try FileManager.default.createSymbolicLink(
      atPath: bench.folder.appending(path: "z.sql").path, withDestinationPath: "/dev/zero")
    #expect(try refusal { _ = try bench.read("z.sql") }?.sentence.contains("device") == true)
    #expect(try bench.read("c.sql").changesets.count == 1)
  }
}
