/// Writes one changeset after the other, and knows what those before made.
struct RunnableWriter {
  let dialect: SampleDialect
  var isRestless = false
  private var number = 0
  private var tables: [String] = []
  private var nextRow = 1

  init(dialect: SampleDialect) { self.dialect = dialect }

  private var isServer: Bool { dialect == .postgresql }

  /// The next changeset, with its rollback.
  mutating func changeset(_ random: inout SampleRandom) -> String {
    number += 1
    if tables.isEmpty { return table(&random) }
    switch random.below(isRestless ? 20 : 17) {
    case 0, 1: return table(&random)
    case 2, 3: return rows(&random)
    case 4: return change(&random)
    case 5: return index(&random)
    case 6: return view(&random)
    case 7: return code(&random)
    case 8: return write("dbms:oracle", ["this is none of ours;"], ["drop nothing;"], &random)
    case 9: return marked(&random)
    case 10: return outside(&random)
    case 11: return column(&random)
    case 12: return commented(&random)
    case 13: return parted(&random)
    case 14: return kept(&random)
    case 15: return row("dbms:\(dialect.rawValue),h2 runOnChange:true", &random)
    case 16: return row(isServer ? "dbms:!sqlite" : "dbms:!postgresql,h2", &random)
    case 17: return row("runAlways:true", &random)
    default:
      return write(
        "failOnError:false", ["select * from nowhere_\(number);"], ["not required"], &random)
    }
  }

  // MARK: Kinds

  private mutating func table(_ random: inout SampleRandom) -> String {
    let name = "book_\(number)"
    tables.append(name)
    let key = isServer ? "serial primary key" : "integer primary key autoincrement"
    let more = random.pick([
      "", ", kept boolean default true", ", price numeric(9, 2) check (price > 0)", ", made date",
      ", note varchar(90) default 'a; b'",
    ])
    return write(
      "", ["create table \(name) (id \(key),", "  name text not null, n int\(more));"],
      ["drop table \(name);"], &random)
  }

  private mutating func rows(_ random: inout SampleRandom) -> String {
    let table = random.pick(tables)
    let names = [
      "it''s", "a;b", "-- no comment", "/* none */", "naïve – “quoted” §", "x\n;\ny", "",
      "two  blanks", "a\tb", "c:\\dir", "$$", "表",
    ]
    let lines = (0..<2 + random.below(3)).map { _ in
      "insert into \(table) (name, n) values ('\(random.pick(names))', \(random.below(1000)));"
    }
    return write("", lines, ["delete from \(table) where n < 1000;"], &random)
  }

  private mutating func row(_ attributes: String, _ random: inout SampleRandom) -> String {
    let table = random.pick(tables)
    nextRow += 1
    return write(
      attributes, ["insert into \(table) (name, n) values ('row', \(1000 + nextRow));"],
      ["delete from \(table) where n = \(1000 + nextRow);"], &random)
  }

  private mutating func change(_ random: inout SampleRandom) -> String {
    let table = random.pick(tables)
    return write(
      "", ["update \(table) set n = n + 1000000;"], ["update \(table) set n = n - 1000000;"],
      &random)
  }

  private mutating func index(_ random: inout SampleRandom) -> String {
    let table = random.pick(tables)
    return write(
      "",
      [
        "create index by_n_\(number) on \(table) (n);", "create index by_name_\(number)",
        "on \(table) (name);",
      ],
      ["drop index by_n_\(number);", "drop index by_name_\(number);"], &random)
  }

  private mutating func view(_ random: inout SampleRandom) -> String {
    let table = random.pick(tables)
    return write(
      "", ["create view seen_\(number) as select id, name from \(table)", "where n > 3;"],
      ["drop view seen_\(number);"], &random)
  }

  /// A body with semicolons of its own, as 4.6.2 can take it.
  private mutating func code(_ random: inout SampleRandom) -> String {
    let (attributes, end) = random.pick([
      ("splitStatements:false", ""), ("endDelimiter:\\n/", "\n/"), ("endDelimiter://", "//"),
    ])
    guard isServer else {
      let table = random.pick(tables)
      // 4.6.2 also parts rollbacks by it, with none in them.
      return write(
        attributes,
        [
          "create trigger watch_\(number) after update on \(table) begin",
          "  insert into \(table) (name, n) values ('watch; it', 999);", "end;\(end)",
        ], ["drop trigger watch_\(number)"], &random)
    }
    // 4.6.2 takes comments out of the body too, unless it is told not to.
    let isCommented = random.one(in: 2)
    return write(
      attributes + (isCommented ? " stripComments:false" : ""),
      ["create function add_\(number)(a int) returns int language plpgsql as $$", "begin"]
        + (isCommented ? ["  -- adds; one"] : [])
        + ["  return a + 1;", "end;", "$$\(end)"],
      ["drop function add_\(number)(int)"], &random)
  }

  private mutating func marked(_ random: inout SampleRandom) -> String {
    let table = random.pick(tables)
    let holds = random.one(in: 2)
    let way = random.pick(["MARK_RAN", "MARK_RAN", "CONTINUE", "WARN"])
    let isWanted = isRestless || way != "CONTINUE" || holds
    return write(
      "",
      [
        "--preconditions onFail:\(isWanted ? way : "MARK_RAN") onError:HALT",
        "--precondition-sql-check expectedResult:\(holds ? 0 : 1) select count(*) from \(table) where n = -5",
        "insert into \(table) (name, n) values ('checked', \(2000 + number));",
      ], ["delete from \(table) where n = \(2000 + number);"], &random)
  }

  /// What runs in no transaction.
  private mutating func outside(_ random: inout SampleRandom) -> String {
    let table = random.pick(tables)
    return isServer
      ? write(
        "runInTransaction:false", ["create index concurrently alone_\(number) on \(table) (n);"],
        ["drop index alone_\(number);"], &random)
      : write("runInTransaction:false", ["vacuum;"], ["not required"], &random)
  }

  private mutating func column(_ random: inout SampleRandom) -> String {
    let table = random.pick(tables)
    guard isServer else { return copy(table, &random) }
    return write(
      "",
      [
        "alter table \(table) add column more_\(number) text default 'x;y';",
        "comment on column \(table).more_\(number) is 'it''s more';",
      ], ["alter table \(table)", "drop column more_\(number);"], &random)
  }

  private mutating func copy(_ table: String, _ random: inout SampleRandom) -> String {
    write(
      "", ["create table copy_\(number) as select * from \(table);"],
      ["drop table copy_\(number);"], &random)
  }

  private mutating func commented(_ random: inout SampleRandom) -> String {
    let table = random.pick(tables)
    return write(
      random.pick(["stripComments:false", "", "stripComments:true"]),
      [
        "-- first; a note", "/* of two; */ insert into \(table) (name, n) -- why; not",
        "values ('a -- b', 5 /* x; */);",
      ], ["delete from \(table) where n = 5;"], &random)
  }

  /// Statements that a line GO parts.
  private mutating func parted(_ random: inout SampleRandom) -> String {
    let table = random.pick(tables)
    let (attributes, end) = random.pick([("", "GO"), ("", "go"), ("endDelimiter:@@", "@@")])
    return write(
      attributes,
      [
        "insert into \(table) (name, n) values ('go;', 7)", end,
        "insert into \(table) (name, n) values ('on', 8)", end,
      ], ["delete from \(table) where n in (7, 8)"], &random)
  }

  private mutating func kept(_ random: inout SampleRandom) -> String {
    let table = random.pick(tables)
    return write(
      "", ["insert into \(table) (name, n) values ('kept', -1);"], ["not required"], &random)
  }

  // MARK: Text

  private func write(
    _ attributes: String, _ body: [String], _ rollback: [String], _ random: inout SampleRandom
  ) -> String {
    let author = random.pick(["ann", "bob.b", "jürgen", "x@example.org"])
    let ways = [
      "", "", "", " context:test", " context:\"a or b\"", " labels:x,y", " labels:one context:!c",
    ]
    var lines = [random.pick(["--changeset ", "-- changeset "]) + "\(author):\(number)"]
    lines[0] += attributes.isEmpty ? "" : " " + attributes
    lines[0] += random.pick(ways)
    if random.one(in: 4) { lines.append("--comment: makes number \(number)") }
    lines += body
    // The words below end the statement that stands open before them.
    lines += rollback.map { "--rollback " + $0 }
    return lines.joined(separator: "\n") + random.pick(["\n", "\n\n"])
  }
}
