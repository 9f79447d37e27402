/// The line that begins a changeset, with attributes in all the ways in which they can be written.
enum OddHeader {
  static func line(_ index: Int, isWild: Bool, _ random: inout SampleRandom) -> String {
    var line = isWild ? random.pick(prefixes) : random.pick(["--changeset ", "-- changeset "])
    line += random.pick(isWild ? authors + oddAuthors : authors)
    line += isWild && random.one(in: 12) ? random.pick([": ", " :", " : "]) : ":"
    line += random.pick(isWild ? ids + oddIDs : ids).replacing("N", with: "\(index)")
    for _ in 0..<random.below(isWild ? 6 : 5) {
      line +=
        isWild ? random.pick([" ", " ", "  ", "\t", ", "]) : random.pick([" ", " ", " ", "  "])
      line += attribute(&random)
    }
    if isWild && random.one(in: 10) { line += random.pick([" ", " --", " ;", " # note", "\t"]) }
    return line
  }

  private static let prefixes = [
    "--changeset ", "-- changeset ", "--CHANGESET ", "--\tchangeset\t", " --changeset ",
    "--  ChangeSet  ", "\t-- changeset ", "--changeSet ",
  ]
  private static let authors = ["bob", "ann", "ann.lee", "b_b-1", "jürgen", "x@example.org"]
  private static let oddAuthors = [
    "Ann Lee", "\"Ann Lee\"", "'ann'", "\"bob\"", "ann (ops)", "安", "a/b", "${who}", "a,b", "👩‍💻",
  ]
  private static let ids = ["N", "1.N", "add-tN", "N_x", "ticket-4N", "2026112400000N"]
  private static let oddIDs = [
    "\"N\"", "\"id N\"", "'N'", "a:N", "a::N", "ünï-N", "N!", "(N)", "#N", "N;", "id N", "N/2",
    "N&x",
  ]

  private static func attribute(_ random: inout SampleRandom) -> String {
    switch random.below(20) {
    case 0: delimiter("endDelimiter", &random)
    case 1: delimiter("rollbackEndDelimiter", &random)
    case 2: flag("splitStatements", &random)
    case 3: flag("rollbackSplitStatements", &random)
    case 4, 5: flag("stripComments", &random)
    case 6: flag("runOnChange", &random)
    case 7: flag("runAlways", &random)
    case 8: flag("runInTransaction", &random)
    case 9: flag("failOnError", &random)
    case 10, 11: context(&random)
    case 12, 13:
      random.pick(["labels:", "labels:", "label:", "LABELS:", "labels: "])
        + random.pick(["x", "x,y", "\"x, y\"", "x, y", "'x'", "x-1.0", "\"x\"", "!x", "x and y"])
    case 14, 15:
      random.pick(["dbms:", "dbms:", "DBMS:"])
        + random.pick([
          "sqlite", "postgresql", "sqlite,postgresql", "!oracle", "!sqlite,postgresql", "oracle",
          "\"sqlite,postgresql\"", "sqlite, postgresql", "none", "all", "h2,sqlite",
        ])
    case 16:
      "logicalFilePath:" + random.pick(["other.sql", "\"other path.sql\"", "dir/o.sql", "none"])
    case 17: random.one(in: 12) ? "runWith:psql" : "failOnError:false"
    case 18:
      random.pick([
        "ignore:true", "objectQuotingStrategy:QUOTE_ALL_OBJECTS", "onValidationFail:HALT",
      ])
    default:
      random.pick(["unknown:thing", "TICKET-1", "tag:v1", "runOnChange", "rollback:no", "author:x"])
    }
  }

  private static func flag(_ name: String, _ random: inout SampleRandom) -> String {
    let name = random.one(in: 6) ? random.pick([name.lowercased(), name.uppercased()]) : name
    return name + random.pick([":", ":", ":", ":", ": ", " :", "="])
      + random.pick(["true", "false", "false", "true", "FALSE", "True", "\"false\"", "no", "0", ""])
  }

  private static func delimiter(_ name: String, _ random: inout SampleRandom) -> String {
    let name = random.one(in: 8) ? random.pick([name.lowercased(), name.uppercased()]) : name
    return name + random.pick([":", ":", ":", ":", ": "])
      + random.pick([
        ";", "//", "/", "\\n/", "\"//\"", "'//'", "GO", "\\nGO", "@@", "$$", "\\n;", ";;", "#",
        "\"; \"", "|",
        "^", "~", "\\n/\\s*\\n|\\n/\\s*$", "END;", "'", "\"", "",
      ])
  }

  private static func context(_ random: inout SampleRandom) -> String {
    random.pick([
      "context:", "context:", "context:", "contexts:", "CONTEXT:", "context: ", "contextFilter:",
    ])
      + random.pick([
        "test", "test,prod", "\"test or prod\"", "\"test and prod\"", "!test", "test and prod",
        "\"!test\"", "'a or b'", "\"(a or b) and !c\"", "@test", "\"a, b\"", "a|b", "\"\"",
        "a_1.b-c",
      ])
  }
}
