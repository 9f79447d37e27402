import Foundation
import ReunionModel
import Testing

/// Versions of a model: nothing of an earlier one is lost or mistaken, and a released one stays as it is.
@Suite struct ModelHistoryTests {
  static let first = """
    entity photo @3
      field caption @1 text
      field color @2 text
      field width @3 int

    """

  static func history(_ versions: [String], lock: String = "") throws(ModelProblems) -> ModelHistory
  {
    var files = ["model.lock": lock]
    for (index, text) in versions.enumerated() { files["v\(index + 1).model"] = text }
    return try ModelHistory(folder: "Album.reunionmodel", files: files)
  }

  static func problems(_ versions: [String], lock: String = "") -> String {
    do {
      _ = try history(versions, lock: lock)
      return ""
    } catch {
      return error.description
    }
  }

  @Test func `a released version stays as it is, and the next one begins after it`() throws {
    let history = try Self.history([Self.first])
    #expect(history.name == "Album" && history.releasedCount == 0)
    let second = Self.first + "  field height @4 int\n"
    #expect(
      Self.problems([Self.first, second]).contains("Version 2 begins when version 1 is released"))
    let released = try Self.history([Self.first, second], lock: history.lockText)
    #expect(released.releasedCount == 1 && released.versions.count == 2)
    #expect(
      Self.problems([Self.first + "  field height @4 int\n"], lock: history.lockText)
        == "Album.reunionmodel/v1.model:1:1: error: Version 1 was released and has changed since. Put it"
        + " back, and write the change into v2.model.")
    #expect(Self.problems([Self.first], lock: released.lockText).contains("v2.model is gone"))
    #expect(Self.problems([Self.first], lock: "nonsense\n").contains("The line is damaged"))
  }

  @Test(arguments: 0..<200)
  func `a released file that is damaged anywhere is refused by the lock`(number: Int) throws {
    let lock = try Self.history([ModelFileTests.sample]).lockText
    var bytes = Array(ModelFileTests.sample.utf8)
    bytes[number * bytes.count / 200] ^= 1
    #expect(Self.problems([String(decoding: bytes, as: UTF8.self)], lock: lock) != "")
  }

  @Test(arguments: [
    ("entity note @1\n", "Write: hidden entity photo @3"),
    (first.replacing("  field color @2 text\n", with: ""), "Write:   hidden color @2 text"),
    (
      first.replacing("color @2 text", with: "color @2 int"),
      "v2.model:3:1: error: The number 2 was text in v1, and a kind never changes. Hide the field and"
        + " take a new number. Write:   field color @4 int"
    ),
    (
      first.replacing("caption @1", with: "color @1").replacing("color @2", with: "caption @2"),
      "In v1 color is the name of another field."
    ),
  ])
  func `what would lose or mistake something is an error with its cure`(
    second: String, sentence: String
  ) throws {
    let lock = try Self.history([Self.first]).lockText
    let said = Self.problems([Self.first, second], lock: lock)
    #expect(said.contains(sentence), "\(said)")
  }

  @Test(arguments: [
    first.replacing("caption @1", with: "title @1"),
    first.replacing(
      "  field color @2 text\n", with: "  hidden color @2 text\n  field color @4 int\n"),
    first.replacing("caption @1 text", with: "caption @1 text? max 12 searchable"),
    "hidden entity photo @3\n\nentity picture @4\n",
  ])
  func `renamed, hidden, replaced and new ones are a version`(second: String) throws {
    let lock = try Self.history([Self.first]).lockText
    #expect(Self.problems([Self.first, second], lock: lock) == "")
  }

  @Test func `a gap, a stray version and another name of the folder are told`() {
    #expect(throws: ModelProblems.self) { try ModelHistory(folder: "A.reunionmodel", files: [:]) }
    #expect(throws: ModelProblems.self) {
      try ModelHistory(
        folder: "A.reunionmodel", files: ["v1.model": Self.first, "v3.model": Self.first])
    }
    #expect(throws: ModelProblems.self) {
      try ModelHistory(folder: "album.reunionmodel", files: ["v1.model": Self.first])
    }
  }

  @Test func `documentation and texts end no comment and no literal of what is made of them`()
    throws
  {
    let history = try Self.history([
      """
      /// It ends */ alert(1) /* here.
      entity note @1
        field text @1 text default "\\\\(1 + 1) '"

      """
    ])
    let script = JavaScriptSource(history).text
    #expect(script.contains(" * It ends *\\/ alert(1) /* here.\n"))
    #expect(SwiftSource(history).text.contains("var text: String = \"\\\\(1 + 1) '\""))
  }

  @Test
  func `generated code is the same each time`()
    throws
  {
    let history = try Self.history([ModelFileTests.sample])
    let sources = Set((0..<10).map { _ in SwiftSource(history).text })
    #expect(sources.count == 1)
    let swift = try #require(sources.first)
    #expect(swift.contains("static let album = Model(\n    Album.schema, Picture.schema)"))
    #expect(swift.contains("var caption: String = \"Say \\\"cheese\\\"\\n\""))
    #expect(!swift.contains("Heart") && !swift.contains("color"))
    let script = JavaScriptSource(history).text
    #expect(
      script.contains(
        "{ number: 3, name: 'caption', kind: 'text', initial: \"Say \\\"cheese\\\"\\n\", bytesMax: 4096 },"
      ))
    #expect(!script.contains("PictureEdit"))
    #expect(
      swift.contains(".field(15, \"album\", \\.album, onDelete: .delete),")
        && swift.contains(".field(17, \"maker\", \\.maker, to: Album.self, onDelete: .clear),"))
    #expect(
      script.contains(
        "{ number: 16, name: 'cover', kind: 'reference', target: 3, onDelete: 'refuse' },"))
  }
}
