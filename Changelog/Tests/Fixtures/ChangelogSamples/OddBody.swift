/// The lines below a changeset's first one: SQL and comments, with blanks of every kind, and the lines that
/// mean something to a changelog, in their right form and in near misses.
enum OddBody {
  static func lines(_ random: inout SampleRandom) -> [String] {
    var lines: [String] = []
    if random.one(in: 3) { lines.append(random.pick(notes)) }
    if random.one(in: 8) { lines.append(random.pick(validChecksums)) }
    if random.one(in: 8) { lines += preconditions(&random) }
    for _ in 0..<(random.one(in: 20) ? 0 : 1 + random.below(3)) {
      lines += statement(&random)
      if random.one(in: 12) { lines.append(random.pick(notes)) }
      if random.one(in: 25) { lines += preconditions(&random) }
    }
    if random.one(in: 2) { lines += rollback(&random) }
    if random.one(in: 15) { lines.insert(random.pick(odd), at: random.below(lines.count + 1)) }
    if random.one(in: 12) { lines = ignored(lines, &random) }
    return lines
  }

  private static let notes = [
    "--comment: makes it", "--comment makes it", "-- comment: makes it", "--comments: makes it",
    "--COMMENT: Makes It", "--comment:", "--comment: naïve – “quoted” 🙂", "-- a plain note", "--",
    "/* a block */", "--comment:  two  blanks ", "--commented out: drop table a;",
  ]
  private static let validChecksums = [
    "--validCheckSum: 8:0123456789abcdef0123456789abcdef", "--validCheckSum: 1:any",
    "--validchecksum 8:0123456789abcdef0123456789abcdef", "-- validCheckSum: ANY",
    "--validCheckSum:7:ffff",
  ]
  private static let odd = [
    "--property name:owner value:bob", "-- ${owner}", "--rollbacks", "--roll back;",
    "-rollback drop x;",
    "--liquibase formatted sql", "-- precondition: none", "--pre-condition", "--endignore",
    "--rollback",
    "--changelogsync", "-- changesets", "--ignore:2", "-comment: x", "--rollback:drop table a;",
  ]

  private static func preconditions(_ random: inout SampleRandom) -> [String] {
    var line = random.pick([
      "--preconditions", "-- preconditions", "--PRECONDITIONS", "--preConditions",
    ])
    for name in ["onFail", "onError", "onFailMessage"] where random.one(in: 3) {
      let value = random.pick(["MARK_RAN", "HALT", "CONTINUE", "WARN"])
      line += " " + name + ":" + (random.one(in: 20) ? "FAIL" : value)
    }
    if random.one(in: 4) { line += " onSqlOutput:" + random.pick(["TEST", "FAIL", "IGNORE"]) }
    guard !random.one(in: 6) else { return [line] }
    let check = random.pick([
      "--precondition-sql-check expectedResult:0 SELECT COUNT(*) FROM a",
      "--precondition-sql-check expectedResult:\"0\" select count(*) from a where b = 'x'",
      "--precondition-sql-check expectedResult:'0' select 0",
      "-- precondition-sql-check expectedResult:t select 1 = 1",
      "--precondition-sql-check   expectedResult:12   select  12 ;",
      "--precondition-sql-check select 1",
      "--precondition-sql-check expectedResult:a b select 'a b'",
    ])
    return [line, check]
  }

  private static func rollback(_ random: inout SampleRandom) -> [String] {
    (0..<1 + random.below(3)).map { _ in
      random.pick([
        "--rollback drop table a;", "--rollback drop table a", "-- rollback drop table \"A b\";",
        "--ROLLBACK delete from a where b = 'x;y'; delete from c;", "--rollback not required",
        "--rollback empty", "--rollback ", "--rollback  drop  table  a ; ",
        "--rollback alter table a",
        "--rollback   drop column b;", "--rollback -- nothing", "--rollback /* x */ drop table a;",
        "--rollback changesetId:1 changesetAuthor:bob", "--rollback drop view ü;",
      ])
    }
  }

  private static func ignored(_ lines: [String], _ random: inout SampleRandom) -> [String] {
    let at = random.below(lines.count + 1)
    if random.one(in: 2) {
      return lines[..<at] + ["--ignoreLines:\(random.below(3))"] + lines[at...]
    }
    return lines[..<at] + ["--ignoreLines:start", "this is no SQL;", "--ignoreLines:end"]
      + lines[at...]
  }

  // MARK: SQL

  private static func statement(_ random: inout SampleRandom) -> [String] {
    var text = ""
    for _ in 0..<2 + random.below(10) { text += token(&random) + blank(&random) }
    text += random.pick([
      ";", ";", ";", ";", "", ";;", " ;", "\nGO", "\ngo", "\n/", "//", ";\n\n", "$$", "@@", ";  ",
    ])
    if random.one(in: 6) {
      text += random.pick([
        " -- done", "-- done;", " /* done; */", "\n-- done", "\n/* a\n b; */", "\n;",
      ])
    }
    return text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  private static func token(_ random: inout SampleRandom) -> String {
    switch random.below(14) {
    case 0:
      random.pick([
        "'it''s'", "'a;b'", "'-- no'", "'/* no */'", "''", "'x\n;\ny'", "E'\\';'", "'ü 🙂'",
      ])
    case 1:
      random.pick(["\"Quoted id\"", "\"a;b\"", "`back`", "[bracket]", "\"--\"", "\"a\"\"b\""])
    case 2:
      random.pick(["$$ a; b $$", "$f$ begin; end; $f$", "$1", "$$;$$", "${owner}", "${no such}"])
    case 3:
      random.pick(["/* x; */", "/* 'x */", "/* a /* b */ c */", "/**/", "/*\n;\n*/", "/*+ hint */"])
    case 4: random.pick(["-- x;\n", "--'\n", "--\n", "-- /*\n", "--x ", "- -"])
    case 5:
      random.pick([
        "begin", "end;", "BEGIN\n  a;\nEND;", "case when x then y end", "declare", "END IF;",
      ])
    case 6:
      random.pick([
        "12", "-1", "1.5e3", "x'00'", "0x1F", "null", "?", ":name", "a::text", "@v", "#x",
      ])
    case 7: random.pick([";", "; ", ";\n", ";--x\n", ";/*x*/"])
    case 8: random.pick(["ünïcödé", "表", "é", "\u{feff}", "ſ", "straße"])
    default:
      random.pick([
        "create", "table", "select", "from", "a", "b", "values", "(", ")", ",", "=", "insert into",
        "where",
        "update", "trigger", "function", "GO", "go", "/", "\\", "||", "<>",
      ])
    }
  }

  private static func blank(_ random: inout SampleRandom) -> String {
    // What 4.6.2 has no word for: it makes a checksum, and could not run it.
    if random.one(in: 90) {
      return random.pick(["\u{b}", "\u{c}", "\u{1f}", "\u{0}", "\u{1d}", "🙂", "e\u{301}"])
    }
    if !random.one(in: 4) { return " " }
    return random.pick([
      "  ", "\t", "\n", "\n\n", " \n ", "\n\t", "", "\u{a0}", "\u{2003}", "\u{85}", "\u{2028}",
      "\r", " \t ",
      "\u{3000}", "\u{200b}",
    ])
  }
}
