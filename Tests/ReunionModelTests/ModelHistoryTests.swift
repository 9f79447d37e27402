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

  /// Git makes CRLF of LF on some machines, and some editors put a mark in front.
  @Test(arguments: ["", "\u{FEFF}"], ["\n", "\r\n"])
  func `line ends and a mark change no version, no hash and no lock`(
    mark: String, end: String
  ) throws {
    func settled(_ text: String) -> String { mark + text.replacing("\n", with: end) }
    let second = Self.first + "  field height @4 int\n"
    let lock = try Self.history([Self.first]).lockText
    let plain = try Self.history([Self.first, second], lock: lock)
    let history = try Self.history(
      [settled(Self.first), settled(second)], lock: settled(lock + "v2 \(plain.current.hash)\n"))
    #expect(history.releasedCount == 2)
    #expect(history.versions.map(\.hash) == plain.versions.map(\.hash))
    #expect(history.lockText == plain.lockText)
    #expect(SwiftSource(history).text == SwiftSource(plain).text)
    // Only some lines, as after a merge.
    let mixed = Self.first.replacing("int\n", with: "int\(end)")
    #expect(try Self.history([mixed]).current.hash == plain.versions[0].hash)
    // Control: another letter is another version, whatever ends the lines.
    #expect(
      Self.problems([settled(Self.first.replacing("width", with: "wide"))], lock: settled(lock))
        .contains("was released and has changed since"))
  }

  @Test(arguments: 0..<200)
  func `a released file that is damaged anywhere is refused by the lock`(number: Int) throws {
    let lock = try Self.history([ModelFileTests.sample]).lockText
    var bytes = Array(ModelFileTests.sample.utf8)
    bytes[number * bytes.count / 200] ^= 1
    #expect(Self.problems([String(decoding: bytes, as: UTF8.self)], lock: lock) != "")
  }

  static let losses: [(second: String, sentence: String)] = [
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
    (
      first.replacing(
        "  field color @2 text\n", with: "  hidden color @2 text\n  field color @4 int\n"
      ),
      "v2.model:4:1: error: color was @2 in v1 and is @4 now. If its values come along, add a line that says"
        + " how; if they do not, give the hidden one another name. Write:   retype @2 to @4 by number"
    ),
    (
      first.replacing(
        "  field color @2 text\n", with: "  hidden color @2 text\n  field color @4 date\n"),
      "Write:   retype @2 to @4 by custom colorOf2"
    ),
    (
      first + "  field tint @4 text as Tint\n",
      "v2.model:5:1: error: Records of v1 have no tint, and the file does not say what they begin with. Say it"
        + " with a default that your type reads, or put a question mark behind the kind. Write:   field"
        + " tint @4 text as Tint default \"\""
    ),
    (
      first + "  field tint @4 bytes as Tint\n",
      "Write:   field tint @4 bytes? as Tint"
    ),
    (
      "minimumReader 3\n\n" + first,
      "This is version 2, which could not read what it writes itself. Write: minimumReader 2"
    ),
  ]

  @Test(arguments: losses)
  func `what would lose or mistake something is an error with its cure`(
    second: String, sentence: String
  ) throws {
    let lock = try Self.history([Self.first]).lockText
    let said = Self.problems([Self.first, second], lock: lock)
    #expect(said.contains(sentence), "\(said)")
  }

  static let sound: [String] = [
    first.replacing("caption @1", with: "title @1"),
    first.replacing(
      "  field color @2 text\n", with: "  hidden oldColor @2 text\n  field color @4 int\n"),
    first.replacing(
      "  field color @2 text\n",
      with: "  hidden color @2 text\n  field color @4 int\n  retype @2 to @4 by number\n"),
    first.replacing("caption @1 text", with: "caption @1 text? max 12 searchable"),
    first.replacing("width @3 int", with: "width @3 double"),
    first.replacing("width @3 int", with: "width @3 double?")
      + "  field tint @4 text as Tint default \"red\"\n",
    first + "  field tint @4 text? as Tint\n",
    first + "  field tint @4 text as Tint\n  fill @4 from @2 by custom tint\n",
    "minimumReader 2\n\n" + first,
    "hidden entity photo @3\n\nentity picture @4\n",
  ]

  @Test(arguments: sound)
  func `renamed, hidden, replaced and new ones are a version`(second: String) throws {
    let lock = try Self.history([Self.first]).lockText
    #expect(Self.problems([Self.first, second], lock: lock) == "")
  }

  static let narrowings: [(was: String, now: String, sentence: String, instead: String)] = [
    (
      "field note @4 text?", "field note @4 text", "note may be none in v1", "  field note @4 text?"
    ),
    (
      "field note @4 double", "field note @4 int", "The number 4 was double in v1",
      "  field note @5 int"
    ),
    (
      "field note @4 set of int", "field note @4 set of double", "a kind never changes",
      "@5 set of double"
    ),
    (
      "field note @4 reference? of photo", "field note @4 reference? of other",
      "note named records of photo in v1", "  field note @5 reference? of other"
    ),
    (
      "field note @4 text\n  fill @4 from @1 by same", "field note @4 text",
      "In v1 @4 comes from a lens", "  fill @4 from @1 by same"
    ),
  ]

  @Test(arguments: narrowings)
  func `nothing is narrowed, and a lens stays`(
    was: String, now: String, sentence: String, instead: String
  ) throws {
    let other = "\nentity other @9\n"
    let lock = try Self.history([Self.first + "  \(was)\n" + other]).lockText
    let said = Self.problems(
      [Self.first + "  \(was)\n" + other, Self.first + "  \(now)\n" + other], lock: lock)
    #expect(
      said.contains(sentence) && said.contains("Write: ") && said.hasSuffix(instead), "\(said)")
    let back = try Self.history([Self.first + "  \(now)\n" + other]).lockText
    // The other way is a version, but for what never changes.
    let isOneWay =
      ["text?", "double", "fill"].contains { was.contains($0) } && !was.contains("set")
    #expect(
      Self.problems(
        [Self.first + "  \(now)\n" + other, Self.first + "  \(was)\n" + other], lock: back) == ""
        || !isOneWay)
  }

  /// What is wrong with the last of some versions; those before it are released.
  static func problems(ofLast versions: [String]) throws -> String {
    var lock = ""
    for count in 1..<versions.count {
      lock = try history(Array(versions.prefix(count)), lock: lock).lockText
    }
    return problems(versions, lock: lock)
  }

  private static let (other, gone) = ("\nentity other @9\n", "hidden entity photo @3\n")

  /// Three versions each, of which the second hides something: what the third may not make of it, and what
  /// it may.
  static let returns: [(versions: [String], wrong: String, sentences: [String])] = [
    (
      [first + other, gone + other, first + other],
      "entity photo @3\n  field width @1 int\n  hidden color @2 text\n" + other,
      [
        "v3.model:2:1: error: The number 1 was text in v1, and a kind never changes. Hide the field and"
          + " take a new number. Write:   field width @3 int",
        "v3.model:1:1: error: v1 has photo.width, and its values stay. Leave it out by name. Write: "
          + "  hidden width @3 int",
      ]
    ),
    (
      [
        first + "  field note @4 text?\n", first + "  hidden note @4 text\n",
        first + "  field note @4 text?\n",
      ],
      first + "  field note @4 text\n",
      [
        "v3.model:5:1: error: note may be none in v1, and who has that version writes none. Leave the"
          + " question mark. Write:   field note @4 text?"
      ]
    ),
    (
      [
        first + other + "  field link @1 reference? of photo\n",
        gone + other + "  hidden link @1 reference? of photo\n",
        first.replacing("photo", with: "picture") + other
          + "  field link @1 reference? of picture\n",
      ],
      gone + "\nentity photo @4\n" + other + "  field link @1 reference? of photo\n",
      [
        "v3.model:6:1: error: link named records of photo in v1, and those that were written still do."
      ]
    ),
    (
      [
        first + "  field note @4 int\n  retype @3 to @4 by times 60\n" + other, gone + other,
        first + "  field note @4 int\n  retype @3 to @4 by times 60\n" + other,
      ],
      first + "  field note @4 int\n" + other,
      ["v3.model:1:1: error: In v1 @4 comes from a lens"]
    ),
  ]

  @Test(arguments: returns)
  func `what comes back after it was hidden is what it was`(
    versions: [String], wrong: String, sentences: [String]
  ) throws {
    #expect(try Self.problems(ofLast: versions) == "")
    let said = try Self.problems(ofLast: Array(versions.prefix(2)) + [wrong])
    for sentence in sentences { #expect(said.contains(sentence), "\(said)") }
  }

  @Test(arguments: [
    ("retype @3 to @4 by times 60", "retype @3 to @4 by times 3600", false),
    ("retype @3 to @4 by times 60", "retype @3 to @4 by custom minutes", false),
    ("retype @3 to @4 by same", "fill @4 from @3 by same", false),
    ("fill @4 from @3 by custom slug", "retype @3 to @4 by custom slug", false),
    ("fill @4 from @3 by custom slug", "fill @4 from @3 @5 by custom slug", false),
    ("fill @4 from @3 by custom slug", "fill @4 from @3 by custom newSlug", true),
  ])
  func `a lens stays as it is, but for the name of a function`(
    was: String, now: String, isSound: Bool
  ) throws {
    let first = Self.first + "  field note @4 int\n  field size @5 int\n"
    let said = try Self.problems(ofLast: [first + "  \(was)\n", first + "  \(now)\n"])
    let sentence =
      "v2.model:7:1: error: In v1 @4 comes from another lens, and devices that have it show what that"
      + " makes. Keep the line, or make a field with a new number. Write:   \(was)"
    #expect(isSound ? said == "" : said.hasSuffix(sentence), "\(said)")
  }

  @Test func `a chain of lenses goes by the numbers of what a later version leaves out`() throws {
    let second =
      Self.first.replacing("field width", with: "hidden width")
      + "  field size @4 double\n  retype @3 to @4 by times 0.5\n"
    let third =
      second.replacing("field size", with: "hidden size")
      + "  field scale @5 text\n  retype @4 to @5 by custom scale\n"
    var lock = ""
    for versions in [[Self.first], [Self.first, second]] {
      lock = try Self.history(versions, lock: lock).lockText
    }
    let swift = SwiftSource(try Self.history([Self.first, second, third], lock: lock)).text
    #expect(
      swift.contains(
        ".earlier(OldField(3, Int.self, initial: 0), to: OldField(4, Double.self), by: .times(0.5)),"
      ))
    #expect(
      swift.contains(".retype(OldField(4, Double.self, initial: 0.0), to: \\.scale, by: .scale),"))
    let without = third.replacing("  retype @3 to @4 by times 0.5\n", with: "")
    #expect(
      Self.problems([Self.first, second, without], lock: lock)
        .contains("Keep the line. Write:   retype @3 to @4 by times 0.5"))
  }

  @Test func `a minimum reader stays, and goes up alone`() throws {
    let texts = ["", "minimumReader 2\n\n", "minimumReader 3\n\n"].map { $0 + Self.first }
    var lock = ""
    for count in 1...3 { lock = try Self.history(Array(texts.prefix(count)), lock: lock).lockText }
    let said = Self.problems(texts + [texts[1]], lock: lock)
    #expect(
      said.contains(
        "What version 3 wrote for readers from version 3 on is still there. Write: minimumReader 3")
    )
    #expect(Self.problems(texts + [texts[0]], lock: lock) == said)
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

  @Test func `lines of slashes alone are remarks, and end no comment of what is made`() throws {
    let history = try Self.history([
      """
      //////////
      /// A note.
      entity note @1
        /// It ends here: *
        ////
        /// Or here: *
        ///
        field text @1 text

      ////
      entity task @2

      """
    ])
    let script = JavaScriptSource(history).text
    #expect(script.contains("/**\n * A note.\n * @typedef {object} Note\n"))
    #expect(script.contains("/**\n * @typedef {object} Task\n"))
    #expect(script.contains("{string} text Or here: *\n"))
    #expect(SwiftSource(history).text.contains("\n/// A note.\nstruct Note: Entity"))
  }

  @Test(arguments: ["Package", "Default", "Public", "Self", "Init", "Eval"])
  func `a model is not named after a word of either language`(name: String) throws {
    let problems = #expect(throws: ModelProblems.self) {
      try ModelHistory(folder: "\(name).reunionmodel", files: ["v1.model": Self.first])
    }
    #expect(
      problems?.description.hasSuffix(
        "“\(name.lowercased())” is a word of Swift or JavaScript. Name the folder otherwise, such as"
          + " \(name)Model.reunionmodel.") == true, "\(String(describing: problems))")
  }

  @Test
  func `generated code is the same each time`()
    throws
  {
    let history = try Self.history([ModelFileTests.sample])
    let sources = Set((0..<10).map { _ in SwiftSource(history).text })
    #expect(sources.count == 1)
    let swift = try #require(sources.first)
    #expect(
      swift.contains(
        "static let album = Model(\n    Album.schema, Picture.schema, version: 1, minimumReader: 1)"
      ))
    #expect(swift.contains("  static let albumHash =\n    \"\(history.current.hash)\"\n"))
    #expect(swift.contains("var caption: String = \"Say \\\"cheese\\\"\\n\""))
    #expect(!swift.contains("Heart") && !swift.contains("color"))
    #expect(
      swift.contains(
        """
            ],
            indexes: [[\\.album, \\.takenAt], [\\.caption]],
            lenses: [
              .retype(OldField(18, Int.self, initial: 0), to: \\.minutes, by: .times(0.5)),
              .split(OldField(20, String.self, initial: ""), to: \\.city, \\.country, by: .separator(", ")),
              .merge(OldField(21, String.self, initial: ""), OldField(22, String.self, initial: ""), to: \\.both, by: .separator("\\n")),
              .fill(\\.slug, from: OldField(3, String.self, initial: "Say \\"cheese\\"\\n"), OldField(20, String.self, initial: ""), by: .slug),
              .retype(OldField(9, Int.self, initial: 0), to: \\.level, by: .cases([0: "low", -1: "say \\"high\\": now"])),
            ])
        }
        """), "\(swift)")
    let script = JavaScriptSource(history).text
    #expect(script.contains("  version: 1,\n  minimumReader: 1,\n"))
    #expect(
      script.contains(
        #"""
              lenses: [
                {
                  sources: [{ number: 18, kind: 'int', initial: 0 }],
                  targets: [{ number: 19, kind: 'double', isOptional: true }],
                  by: ['scale', 0.5],
                },
                {
                  sources: [{ number: 20, kind: 'text', initial: '' }],
                  targets: [{ number: 21, kind: 'text' }, { number: 22, kind: 'text' }],
                  by: ['separator', ", "],
                },
        """#), "\(script)")
    #expect(script.contains("          by: ['custom'],\n          fills: true,\n"))
    #expect(script.contains(#"by: ['cases', [[0, "low"], [-1, "say \"high\": now"]]],"#))
    #expect(
      script.contains(
        "{ number: 3, name: 'caption', kind: 'text', initial: \"Say \\\"cheese\\\"\\n\", bytesMax: 4096 },"
      ))
    #expect(script.contains("{ number: 14, name: 'steps', kind: 'list', element: 'int' },"))
    for type in [
      "{(number|bigint)} views", "{ReadonlySet<string>} tags",
      "{ReadonlyArray<(number|bigint)>} steps",
    ] {
      #expect(script.contains(" * @property \(type)\n"))
    }
    #expect(!script.contains("PictureEdit"))
    #expect(
      swift.contains(".field(15, \"album\", \\.album, onDelete: .delete),")
        && swift.contains(".field(17, \"maker\", \\.maker, to: Album.self, onDelete: .clear),"))
    #expect(
      script.contains(
        "{ number: 16, name: 'cover', kind: 'reference', target: 3, onDelete: 'refuse' },"))
  }
}
