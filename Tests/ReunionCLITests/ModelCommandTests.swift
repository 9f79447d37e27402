import Foundation
import ReunionCore
import ReunionStore
import Testing

/// `reunion model`: what an upgrade does is told before, and no hand-written file is ever touched.
@Suite struct ModelCommandTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "models-\(UUID())")
  private var model: String { folder.appending(path: "Notes.reunionmodel").path }
  private var sources: String { folder.appending(path: "Sources").path }

  private static let first = """
    import ReunionStore

    entity note @1
      field text @1 text
      field minutes @2 int
      field place @3 text

    """
  private static let second = """
    import ReunionStore
    minimumReader 2

    entity note @1
      field title @1 text max 200
      hidden minutes @2 int
      field place @3 text? searchable
      field seconds @4 int
      index title, seconds
      retype @2 to @4 by times 60

    """

  init() throws {
    for name in ["Notes.reunionmodel", "Sources"] {
      try FileManager.default.createDirectory(
        at: folder.appending(path: name), withIntermediateDirectories: true)
    }
  }

  private func write(_ text: String, _ name: String) throws {
    try Data(text.utf8).write(to: URL(filePath: "\(model)/\(name)"))
  }

  private func remove() { try? FileManager.default.removeItem(at: folder) }

  @Test func `a plan says what each version and a store come to, and changes nothing`() throws {
    defer { remove() }
    try write(Self.first, "v1.model")
    #expect(
      try Command.run("model", "plan", model).output
        == "Version 1 is the first: there is nothing to upgrade.\n")
    #expect(try Command.run("model", "release", model).status == 0)
    try write(Self.second, "v2.model")
    let plan = """
      - add the field note.seconds (1.4, int)
      - rename note.text to note.title (1.1)
      - hide note.minutes (1.2); what it holds stays
      - begin note.place (1.3) with nothing
      - index the words of note: place
      - index note by title, seconds
      - compute seconds of note: 0 records
      Some steps write to records: a snapshot is kept, and all is compared before it counts.

      """
    let said = try Command.run("model", "plan", model).output
    #expect(said.hasPrefix("From version 1 to 2:\n"))
    #expect(Self.sorted(said) == Self.sorted("From version 1 to 2:\n" + plan))
    let store = folder.appending(path: "store").path
    let description = EntityDescription(
      number: 1, name: "note",
      fields: [
        FieldDescription(number: 1, name: "text", kind: .text, initial: .text("")),
        FieldDescription(number: 2, name: "minutes", kind: .int, initial: .int(0)),
        FieldDescription(number: 3, name: "place", kind: .text, initial: .text("")),
      ], indexes: [])
    try Store.open(folder: store, model: Model(entities: [description])).close()
    let before = try Self.bytes(of: store)
    let both = try Command.run("model", "plan", model, store)
    #expect(both.output.contains("The store in \(store), to version 2:\n"))
    #expect(
      Self.sorted(both.output)
        == Self.sorted(
          "From version 1 to 2:\n\(plan)The store in \(store), to version 2:\n\(plan)"))
    #expect(try Self.bytes(of: store) == before)
    let objects = try Command.run("model", "plan", model, store, "--json").lines
    #expect(objects.map { $0["to"] as? Int } == [2, 2])
    #expect(objects.first?["from"] as? Int == 1 && objects.last?["from"] as? String == "store")
    let steps = try #require(objects.last?["steps"] as? [[String: String]])
    #expect(
      steps.contains {
        $0["step"] == "compute" && $0["subject"] == "note"
          && $0["text"] == "compute seconds of note: 0 records"
      })
    let missing = try Command.run("model", "plan", model, "\(store)/none")
    #expect(missing.status == 1 && missing.errors.contains("There is no store in"))
  }

  private static func sorted(_ text: String) -> [Substring] { text.split(separator: "\n").sorted() }

  private static func bytes(of folder: String) throws -> [String: Data] {
    var files: [String: Data] = [:]
    // What SQLite keeps beside a database says nothing of it.
    for name in try FileManager.default.subpathsOfDirectory(atPath: folder)
    where !["store.sqlite-shm", "store.sqlite-wal"].contains(name) {
      files[name] = FileManager.default.contents(atPath: "\(folder)/\(name)") ?? Data()
    }
    return files
  }

  /// `REUNION_FAULTS=full` regenerates 1,000 times.
  @Test func `no regeneration changes a byte that was written by hand`() throws {
    defer { remove() }
    let isFull = ProcessInfo.processInfo.environment["REUNION_FAULTS"] == "full"
    try write(Self.first, "v1.model")
    #expect(try Command.run("model", "scaffold", model, sources).output == "Written: Note.swift.\n")
    let hand = URL(filePath: "\(sources)/Note.swift")
    try Data("extension Note { var line: String { text } }\n".utf8).write(to: hand)
    let (before, status) = (try Self.bytes(of: sources), try Self.changeDate(hand))
    let generated = folder.appending(path: "Notes.generated.swift").path
    var made: Set<Data> = []
    for round in 0..<(isFull ? 1000 : 20) {
      // Each draft adds a field, and now and then an entity that has a file to be written.
      let field = "  field extra\(round) @\(round + 4) text\n"
      try write(Self.first + field, "v1.model")
      #expect(try Command.run("model", "generate", model, "--out", generated).status == 0)
      made.insert(try Data(contentsOf: URL(filePath: generated)))
      let again = try Command.run("model", "scaffold", model, sources).output
      #expect(again == "Nothing to write. There already, and left alone: Note.swift.\n")
      #expect(try Self.bytes(of: sources) == before && Self.changeDate(hand) == status)
    }
    #expect(made.count == (isFull ? 1000 : 20))
  }

  private static func changeDate(_ file: URL) throws -> Date? {
    try FileManager.default.attributesOfItem(atPath: file.path)[.modificationDate] as? Date
  }
}
