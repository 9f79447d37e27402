import ReunionModel
import Testing

/// A model's file: one right form, and errors that say what to write instead.
@Suite struct ModelFileTests {
  static let sample = """
    // What the shared album holds.
    import Reunion
    import ReunionMedia
    minimumReader 1

    /// The album itself.
    entity album @1
      field name @1 text max 1024

    /// A photo: its bytes as they were taken.
    entity photo @3 as Picture
      field original @1 blob? inlineBelow 32768
      field caption @3 text default "Say \\"cheese\\"\\n" max 4096 searchable
      field width @4 int default -1
      field score @5 double default 0.5
      field isShown @6 bool default true
      field takenAt @7 date?
      field token @8 uuid
      /// Crop and turns.
      field edit @11 bytes? as PictureEdit max 64
      field views @12 counter
      field tags @13 set of text searchable
      field steps @14 list of int
      field album @15 reference? of album inverse photos onDelete delete
      field cover @16 reference? of photo onDelete refuse
      field maker @17 reference? of album as RecordID onDelete clear
      hidden color @9 int
      field seconds @18 int
      field minutes @19 double?
      field place @20 text
      field city @21 text
      field country @22 text
      field both @23 text
      field slug @24 text
      field level @25 text default "low"
      index album, takenAt
      index caption
      retype @18 to @19 by times 0.5
      split @20 to @21 @22 by separator ", "
      merge @21 @22 to @23 by separator "\\n"
      fill @24 from @3 @20 by custom slug
      retype @9 to @25 by cases 0: "low", -1: "say \\"high\\": now"

    hidden entity heart @4

    """

  @Test func `a file prints back byte for byte`() throws {
    let file = try ModelFile(Self.sample, name: "v1.model")
    #expect(file.text == Self.sample)
    #expect(file.entities.map(\.line.swiftType) == ["Album", "Picture", "Heart"])
    #expect(file.entities[1].fields.count == 23)
    #expect(file.entities[1].fields[1].line.initial == .text("Say \"cheese\"\n"))
    #expect(file.entities[1].fields[7].documentation == ["/// Crop and turns."])
  }

  /// Each line in place of the caption's, where it goes wrong, and what to write.
  @Test(
    arguments: [
      ("  field caption", 16, "Here the number of the field, such as @3, is missing.", nil),
      ("  field caption 3 text", 17, "“3” stands where the number", nil),
      (
        "  field caption @0 text", 17, "“0” is no number of the field: it is a number from 1 to",
        nil
      ),
      ("  field caption @99999999999 text", 17, "“99999999999” is no number", nil),
      ("  field caption @3 string", 20, "“string” is no kind. The kinds are bool, int", nil),
      ("  field Caption @3 text", 9, "“Caption” is no name of a field", nil),
      ("  field caption @3 counter?", 20, "A counter is never none", nil),
      ("  field caption @3 reference of album", 20, "put a question mark behind it", nil),
      ("  field caption @3 reference?", 30, "It needs to say of what: reference? of photo.", nil),
      ("  field caption @3 set of counter", 27, "A set is of one of bool", nil),
      ("  field caption @3 int max 12", 24, "Only texts and bytes have a limit", nil),
      ("  field caption @3 text max 0", 29, "“0” is no limit in bytes", nil),
      (
        "  field caption @3 text default 12", 33, "“12” is no text: write one such as \"a text\".",
        nil
      ),
      ("  field caption @3 text? default \"\"", 26, "begins as none", nil),
      ("  field caption @3 int default 007", 32, "“007” is no int", nil),
      ("  field caption @3 text searchable max 12", 36, "“max” is one word too many", nil),
      ("  field caption @3 text inverse photos", 25, "Only a reference has an inverse", nil),
      (
        "  field caption @3 text onDelete clear", 25, "Only a reference has a rule for deletes", nil
      ),
      (
        "  field caption @3 reference? of album onDelete cascade", 49,
        "“cascade” is no rule for deletes. The rules are clear, delete, refuse.", nil
      ),
      (
        "  field caption @3 reference? of album onDelete", 48,
        "Here what a delete does is missing.",
        nil
      ),
      (
        "  field caption @3 reference? of album onDelete clear inverse photos", 55,
        "“inverse” is one word too many", nil
      ),
      (
        "  field caption @3 reference? of heart onDelete clear", 1,
        "heart is left out of this version.",
        "  hidden caption @3 reference? of heart"
      ),
      ("  index caption tags", 16, "spaced or ordered otherwise", "  index caption, tags"),
      ("  index", 8, "Here the name of a field is missing.", nil),
      ("  index Caption", 9, "“Caption” is no name of a field", nil),
      ("  index width, nothing", 1, "There is no field nothing in photo.", nil),
      ("  index color", 1, "color is left out of this version. Take it out of the index too.", nil),
      ("  index tags", 1, "tags is a set, which no index has.", nil),
      ("  index width, width", 1, "The index has a field twice.", "  index width"),
      ("  index album, takenAt", 1, "The index stands here twice.", nil),
      (
        "  retype 4 to @7 by text", 10, "Here the number of a field is missing, as in retype @4",
        nil
      ),
      ("  retype @4 @7 by text", 16, "Here “to” and the numbers of fields are missing.", nil),
      ("  retype @4 to @7", 18, "Here “by” and how the values change are missing: same,", nil),
      ("  retype @4 to @7 by magic", 22, "“magic” is no conversion. They are same, times", nil),
      ("  retype @4 to @7 by times 0", 28, "“0” is no factor", nil),
      ("  retype @4 to @7 by times 007", 28, "“007” is no factor", nil),
      (
        "  retype @4 to @7 by times 5e-1", 28, "ordered otherwise", "  retype @4 to @7 by times 0.5"
      ),
      ("  retype @4 to @7 by over 0", 27, "“0” is no divisor", nil),
      ("  split @4 to @7 @8 by separator ,", 34, "“,” is no separator: write it in quotes", nil),
      ("  retype @4 to @7 by cases 1 \"low\"", 28, "“1” needs a colon behind it", nil),
      ("  retype @4 to @7 by cases 1: low", 31, "“low” is no case", nil),
      (
        "  retype @4 to @7 by cases 1: \"a\", 2: \"a\"", 36,
        "The case 2: \"a\" stands twice on one side", nil
      ),
      ("  retype @4 to @7 by cases 1: 0.5", 31, "“0.5” is a double, which is no case", nil),
      ("  fill @24 from @4 by custom Slug", 30, "“Slug” is no name of a conversion", nil),
      ("  fill @24 from @4 by text more", 28, "“more” is one word too many", nil),
      ("  retype @90 to @19 by text", 1, "There is no field @90 in photo.", nil),
      ("  fill @20 from @22 by same", 1, "The lens makes what it is made of.", nil),
      ("  retype @20 to @20 by same", 1, "@20 cannot come from itself.", nil),
      ("  merge @20 @20 to @24 by separator \"-\"", 1, "The lens reads a field twice.", nil),
      (
        "  retype @5 to @4 by times 60", 1,
        "“times” does not make int of double: it makes ints, dates or doubles of such", nil
      ),
      (
        "  retype @20 to @4 by text", 1, "“text” does not make int of text: it makes a text of", nil
      ),
      ("  retype @12 to @4 by same", 1, "A lens has single values, and this is a counter.", nil),
      ("  retype @4 @5 to @20 by text", 1, "A retype has one field on each side.", nil),
      ("minimumReader 2", 1, "The minimum reader stands at the top", nil),
      ("  fields caption @3 text", 3, "“fields” begins no line", nil),
      ("field caption @3 text", 1, "spaced or ordered otherwise", "  field caption @3 text"),
      ("  field  caption @3 text ", 9, "spaced or ordered otherwise", "  field caption @3 text"),
      ("  field caption @4 text", 1, "The number 4 is caption's, in photo.", nil),
      ("  field width @3 text", 1, "photo has two fields width.", nil),
      ("  field creator @3 text", 1, "Each record has a creator already.", nil),
      ("  field caption @3 reference? of nobody", 1, "There is no entity nobody.", nil),
    ] as [(String, Int, String, String?)])
  func `a wrong line is told with its place`(
    line: String, column: Int, sentence: String, instead: String?
  ) throws {
    var rows = Self.sample.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let at = try #require(rows.firstIndex { $0.contains("field caption") })
    rows[at] = line
    let problems = #expect(throws: ModelProblems.self) {
      try ModelFile(rows.joined(separator: "\n"), name: "v1.model")
    }
    let problem = try #require(
      problems?.all.first {
        $0.line == at + 1 || sentence.hasPrefix("The number") || line.contains("field width")
          || sentence.hasPrefix("The index stands")
      })
    #expect(problem.column == column, "\(problem)")
    #expect(problem.sentence.contains(sentence), "\(problem)")
    #expect(problem.instead == instead)
  }

  @Test(arguments: [
    ("", "The model has no entity. Write: entity note @1"),
    ("entity note @1", "v1.model:1:15: error: The last line does not end."),
    ("  field text @1 text\n", "A field stands below its entity"),
    ("entity note @16777200\n", "it is a number from 1 to 16777199"),
    ("entity note @1\nentity Note @2\n", "“Note” is no name of a entity"),
    ("entity note @1\nentity task @1\n", "The number 1 is note's."),
    ("entity string @1\n", "Write: entity string @1 as StringRecord"),
    (
      "entity note @1 as Foo.Bar\n",
      "v1.model:1:19: error: “Foo.Bar” has a dot, and what is made stands in no other type. Take FooBar."
    ),
    ("minimumReader 1\nminimumReader 1\nentity note @1\n", "stands here twice"),
    ("minimumReader 0\n", "“0” is no version: it is a number from 1 to 100000."),
    ("  index text\n", "An index stands below its entity"),
    ("  retype @1 to @2 by same\n", "A lens stands below its entity"),
    ("entity note @1\nimport Reunion\n", "Imports stand at the top"),
    ("entity sqliteNote @1\n", "the libraries' own"),
    ("entity note @1\r\r\n", "v1.model:1:15: error: Here is a character that nobody sees."),
    ("entity note @1\n\r", "v1.model:2:1: error: Here is a character that nobody sees."),
    ("entity\u{FEFF} note @1\n", "v1.model:1:"),
    ("\u{FEFF}\u{FEFF}entity note @1\n", "v1.model:1:"),
    ("entity note @1\u{0}\n", "v1.model:1:15: error: Here is a character that nobody sees."),
    ("/// It ends\rhere.\nentity note @1\n", "v1.model:1:12: error: Here is a character"),
    ("import Foundation\n\nentity note @1\n", "Write: import Reunion"),
    (String(repeating: "entity ", count: 200_000), "over 1048576 bytes"),
  ])
  func `a wrong file is told in a sentence`(text: String, sentence: String) {
    let problems = #expect(throws: ModelProblems.self) { try ModelFile(text, name: "v1.model") }
    #expect(problems?.description.contains(sentence) == true, "\(String(describing: problems))")
  }

  @Test func `of 2,000 damaged files none traps, and what is read prints back byte for byte`()
    throws
  {
    print("seed \(RandomModelTests.seed)")
    var random = Seeded(state: RandomModelTests.seed)
    let words = [
      "@", "?", "\"", "\\", " ", "\n", "entity", "field", "hidden", "text", "9", "é", "\u{0}", "of",
      ",", ":", "index", "retype", "split", "merge", "fill", "by", "cases", "times", "-", ".",
      "onDelete",
      "minimumReader", "to", "from", "separator", "custom",
    ]
    var readCount = 0
    for _ in 0..<2000 {
      var bytes = Array(Self.sample.utf8)
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let at = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: bytes.remove(at: at)
        case 1: bytes[at] = UInt8.random(in: 0...127, using: &random)
        case 2:
          bytes.insert(contentsOf: Array((words.randomElement(using: &random) ?? "").utf8), at: at)
        default: bytes.removeSubrange(at..<min(bytes.count, at + 40))
        }
      }
      let text = String(decoding: bytes, as: UTF8.self)
      do {
        let file = try ModelFile(text, name: "v1.model")
        readCount += 1
        #expect(file.text == text)
      } catch {
        #expect(!error.all.isEmpty && error.all.allSatisfy { $0.line >= 1 && $0.column >= 1 })
      }
    }
    // Numbers and comments may differ, so some are models.
    #expect(readCount > 20 && readCount < 1500)
  }
}
