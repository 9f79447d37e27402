import Testing

@testable import ReunionChangelog

@Suite struct ChecksumTests {
  private static func md5(_ text: String) -> String { Checksum.plain(text) }

  @Test func `MD5 is that of RFC 1321, however it is fed`() {
    #expect(Self.md5("") == "d41d8cd98f00b204e9800998ecf8427e")
    #expect(Self.md5("abc") == "900150983cd24fb0d6963f7d28e17f72")
    #expect(
      Self.md5("12345678901234567890123456789012345678901234567890123456789012345678901234567890")
        == "57edf4a22be3c955ac49da2e2107b67a")
    for count in 0..<200 {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
      var whole = MD5()
      whole.update(bytes)
      var single = MD5()
      for byte in bytes { single.update(byte) }
      var halves = MD5()
      halves.update(bytes[..<(count / 3)])
      halves.update(bytes[(count / 3)...])
      let digest = whole.hexadecimal()
      #expect(digest == single.hexadecimal() && digest == halves.hexadecimal())
    }
  }

  /// As Liquibase 4.6.2 stored them.
  static let recorded: [(attributes: String, sql: String, checksum: String)] = [
    ("", "select 1;", "8:07d7d7a28c35b80d36e41424401a2f3e"),
    ("", "select\u{0c}1;", "8:3bd153525ac5f8dac4f2a6aeaa27a1ae"),
    ("", "select\u{0b}1;", "8:c53a3de3535f2d3884ca9f7b8f8ae1e5"),
    ("", "select\u{1c}1;", "8:f0effafe7b5ea0226ffafa5df59a9d70"),
    ("", "select \t  \n\n 1;  \n", "8:07d7d7a28c35b80d36e41424401a2f3e"),
    ("", "\n\nselect 1;\u{1}", "8:07d7d7a28c35b80d36e41424401a2f3e"),
    ("", "select\u{a0}1;\u{a0}", "8:e7105f98f29d2f3df54eeb55cdba4531"),
    ("", "\u{2003}select 1;", "8:eac789cb5814aade33c1f7430d29bc26"),
    ("", "select ${unknown} ${:lit} ${lower};", "8:c38af3fe2f60dc35c462aac8c5256809"),
    ("", "--property name:lower value:zz\nselect ${lower};", "8:98a458eac43582e5e3331284f6c1c840"),
    ("", "select '\u{e9}\u{1f600}';", "8:c86816efd99937a3f235ffd896c4b66d"),
    ("rollbackSplitStatements:false", "select 1;", "8:c71d1878fe4ecf5861514187b4533579"),
    ("rollbackEndDelimiter://", "select 1;", "8:92e85b62740e3e8e4d9c0a68496fd580"),
    ("endDelimiter:", "select 1;", "8:fd730059581c348534823552059ea441"),
    ("endDelimiter:;", "select 1;", "8:7b9d30645a67ab39bef8376b70c1acb0"),
    ("splitStatements:yes", "select 1;", "8:c71d1878fe4ecf5861514187b4533579"),
    ("splitStatements:", "select 1;", "8:07d7d7a28c35b80d36e41424401a2f3e"),
    ("splitStatements:\"false\"", "select 1;", "8:07d7d7a28c35b80d36e41424401a2f3e"),
    ("SPLITSTATEMENTS:FALSE", "select 1;", "8:c71d1878fe4ecf5861514187b4533579"),
    ("splitStatements : false", "select 1;", "8:07d7d7a28c35b80d36e41424401a2f3e"),
  ]

  @Test func `what Liquibase 4_6_2 stored is accepted, whatever its parser made of the line`()
    throws
  {
    let text =
      Self.recorded.enumerated().map { index, one in
        "--changeset bob:\(index) \(one.attributes)\n\(one.sql)\n"
      }.joined() + "--changeset bob:slash\nselect 1\n/\n"
    let bench = try Workbench(["c.sql": Workbench.formatted(text)])
    let changesets = try bench.read().changesets
    #expect(changesets.count == Self.recorded.count + 1)
    for (changeset, one) in zip(changesets, Self.recorded) {
      #expect(
        changeset.accepts(Checksum(stored: one.checksum), .sqlite), "\(one.attributes) \(one.sql)")
      let other = one.checksum.dropLast() + (one.checksum.hasSuffix("0") ? "1" : "0")
      #expect(!changeset.accepts(Checksum(stored: String(other)), .sqlite))
      #expect(changeset.accepts(changeset.checksum(9, .sqlite), .sqlite))
      #expect(changeset.accepts(changeset.checksum(8, .sqlite), .sqlite))
    }
    // A line / at the end of the file is in the checksum.
    #expect(
      changesets.last?.checksum(8, .sqlite).description == "8:5052c050d234b8725fed2b2ce19a02fd")
  }

  @Test func `both versions are those that Liquibase published`() throws {
    let bench = try Workbench([
      "m.xml": """
      <databaseChangeLog xmlns="http://www.liquibase.org/xml/ns/dbchangelog">
        <changeSet author="fl" id="1">
          <sql dbms="thisDbWillNeverExist">
                  I can write anything here as this content will only be used
                    to generate checksum on versions before 9 </sql>
        </changeSet>
        <changeSet author="fl" id="2">
          <sqlFile dbms="thisDbWillNeverExist" relativeToChangelogFile="true" path="create-table.sql"/>
          <sqlFile dbms="sqlite" relativeToChangelogFile="true" path="create-table.sql"/>
        </changeSet>
        <changeSet author="fl" id="3"><sql dbms="sqlite">select 1</sql></changeSet>
        <changeSet author="x" id="s"><comment>hi</comment><sql>select 1; select 2;</sql>\
      <sql splitStatements="false">select 3</sql></changeSet>
        <changeSet author="x" id="t"><tagDatabase tag="v1"/></changeSet>
      </databaseChangeLog>
      """,
      "create-table.sql": "create table thisShouldRun(id int)\n",
    ])
    let changesets = try bench.read("m.xml").changesets
    #expect(
      changesets.prefix(3).map { $0.checksum(9, .sqlite).description } == [
        "9:d41d8cd98f00b204e9800998ecf8427e", "9:62336a615e62e89c9d86128d1ca60ecf",
        "9:3b78b9910981c62ca27148640fad7bc2",
      ])
    #expect(
      changesets.prefix(2).map { $0.checksum(8, .sqlite).description } == [
        "8:0a36c7b201a287dd3348e8dd19e44be7", "8:a6a54dbc65048ebf1388da78c31ef1a9",
      ])
    // Of several changes, and of a tag, as 4.6.2 stored them.
    #expect(
      changesets.suffix(2).map { $0.checksum(8, .sqlite).description } == [
        "8:bea52253f3727dc2980e7aa2a2489781", "8:66b36565238a5af72e5603468437de78",
      ])
  }

  @Test func `an edit is seen, and what the file calls valid is not one`() throws {
    let bench = try Workbench(["c.sql": Workbench.formatted("--changeset a:1\nselect 1;")])
    let stored = try #require(try bench.read().changesets.first).checksum(9, .sqlite)
    try bench.write(Workbench.formatted("--changeset a:1\nselect 2;"), to: "c.sql")
    #expect(try bench.read().changesets[0].accepts(stored, .sqlite) == false)
    for valid in ["\(stored)", "ANY", "1:any"] {
      let text = Workbench.formatted("--changeset a:1\n--validCheckSum: \(valid)\nselect 2;")
      try bench.write(text, to: "c.sql")
      #expect(try bench.read().changesets[0].accepts(stored, .sqlite))
    }
  }
}
