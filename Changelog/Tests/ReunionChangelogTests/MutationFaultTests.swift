import Foundation
import Testing

@testable import ReunionChangelog

/// Files that somebody or something spoiled.
@Suite struct MutationFaultTests {
  private static let samples = [
    Workbench.formatted(
      """
      --property name:t value:users
      --changeset "ann lee":1 context:"a or (b and !c)" labels:x,y runOnChange:true splitStatements:true
      --comment: why
      --preconditions onFail:MARK_RAN onError:WARN onSqlOutput:TEST
      --precondition-sql-check expectedResult:'0' select count(*) from sqlite_schema
      --precondition-table-exists table:x schema:y
      create table ${t} (id int, n text default 'it''s; "so"'); -- and
      /* more ; */ create trigger g after insert on users begin update users set id = 1; end;
      --rollback drop trigger g;
      --rollback drop table users;
      --changeset b:2 endDelimiter:@@ stripComments:false
      select 1 @@ select ';' @@
      /* liquibase rollback
      select 2;
      */
      --ignoreLines:1
      nothing
      --include file:other.sql context:b
      --changeset c:3 endDelimiter:\\n/
      select [a;b], `c`, $tag$ x $tag$, E'\\'' from "t"
      /
      """),
    MasterTests.xml(
      """
      <property name="x" value="y" dbms="sqlite"/>
      <preConditions onFail="WARN"><not><sqlCheck expectedResult="1">select 1</sqlCheck></not></preConditions>
      <include file="other.sql" relativeToChangelogFile="true" context="a"/>
      <includeAll path="."/>
      <changeSet id="1" author="a"><sql dbms="sqlite" endDelimiter="GO">select &lt; 1</sql>
        <rollback><sql>select 1</sql></rollback></changeSet>
      """),
  ]

  private static let words = [
    "--changeset ", "--rollback ", "--include file:c.sql", "--ignoreLines:", "\"", "'", "$$", "/*",
    "*/",
    ";", "\n", "\r", "${", "}", ":", "(", ")", "BEGIN", "END", "<", ">", "&", "<!--", "]]>",
    "\u{0}",
    "endDelimiter:", "runWith:x", "-changeset a:1", "--precondition-", "GO\n", "\u{feff}",
    "--property name:",
  ]

  /// A sample with a few bytes or words otherwise.
  private static func mutated(_ sample: String, _ random: inout Seeded) -> [UInt8] {
    var bytes = Array(sample.utf8)
    for _ in 0...random.next(below: 6) {
      let at = random.next(below: bytes.count + 1)
      switch random.next(below: 6) {
      case 0 where at < bytes.count: bytes[at] = UInt8(truncatingIfNeeded: random.next())
      case 1: bytes.removeSubrange(at..<min(bytes.count, at + random.next(below: 30)))
      case 2: bytes.insert(contentsOf: words[random.next(below: words.count)].utf8, at: at)
      case 3: bytes = Array(bytes.prefix(at))
      case 4:
        let piece = bytes[at..<min(bytes.count, at + random.next(below: 80))]
        bytes.insert(contentsOf: piece, at: random.next(below: bytes.count + 1))
      default: bytes.swapAt(max(0, min(at, bytes.count - 1)), 0)
      }
      if bytes.isEmpty { bytes = [0x2d] }
    }
    return bytes
  }

  /// What an error lacks that a person needs.
  static func lack(_ error: ChangelogError) -> String? {
    guard let place = error.place, !place.file.isEmpty, place.line >= 1 else { return "place" }
    return error.sentence.last.map { ".?".contains($0) } == true ? nil : "sentence"
  }

  @Test func `no spoiled file traps, and each refusal says where`() throws {
    let count = FaultCount.of(slice: 400, full: 5000)
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = Seeded(seed)
    let bench = try Workbench(["other.sql": Workbench.formatted("--changeset o:1\nselect 1;")])
    var refused = 0
    for number in 0..<count {
      let which = random.next(below: 3) == 0 ? 1 : 0
      let name = which == 0 ? "c.sql" : "c.xml"
      let bytes = Self.mutated(Self.samples[which], &random)
      try Data(bytes).write(to: bench.folder.appending(path: name))
      for dialect in Dialect.allCases {
        let error = try refusal {
          let changelog = try bench.read(name, dialect: dialect)
          for changeset in changelog.changesets {
            _ = changeset.checksum(8, dialect)
            _ = changeset.accepts(Checksum(stored: "8:0"), dialect)
            _ = try Statements.check(changeset.changes, of: changeset, dialect)
          }
          let plan = try UpdatePlan(changelog, [], Selection(contexts: "a", dialect: dialect))
          if let problem = plan.problems.first { throw problem }
        }
        guard let error else { continue }
        refused += 1
        #expect(Self.lack(error) == nil, "seed \(seed), file \(number): \(error)")
      }
      try FileManager.default.removeItem(at: bench.folder.appending(path: name))
    }
    #expect(refused > count / 4)
    print(
      "faults: \(count) spoiled changelogs, \(refused) refusals, each with file and line (seed \(seed))"
    )
  }

  @Test func `a refusal that does not say where is seen (negative control)`() {
    #expect(Self.lack(ChangelogError(.refused, "It is wrong.")) == "place")
    #expect(Self.lack(ChangelogError(.refused, "It is wrong.", at: Place("c.sql", 0))) == "place")
    #expect(Self.lack(ChangelogError(.refused, "It is wrong.", at: Place("c.sql", 1))) == nil)
  }
}
