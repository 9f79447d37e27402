import Foundation
import Testing

@testable import ReunionChangelog

/// Ours beside what 4.6.2 was seen to do with small roots of YAML, JSON, XML and SQL: `Changelog/Yardstick/masters.py`.
@Suite struct RecordedMasterTests {
  struct Record: Decodable {
    let beside: [String: String]
    let cases: [Case]
  }

  struct Case: Decodable {
    let name: String
    let root: String
    let text: String
    let options: [String]
    let code: Int
    let history: [[Cell]]
    let dump: [String]
  }

  /// A text, a number or nothing.
  struct Cell: Decodable {
    let text: String

    init(from decoder: any Decoder) throws {
      let value = try decoder.singleValueContainer()
      if value.decodeNil() {
        text = "NULL"
      } else if let number = try? value.decode(Int.self) {
        text = String(number)
      } else {
        text = try value.decode(String.self)
      }
    }
  }

  private static func record() throws -> Record {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    return try JSONDecoder().decode(
      Record.self, from: Data(contentsOf: folder.appending(path: "Vectors/masters.json")))
  }

  /// What ours leaves of a case: the history, and the tables; nil where it is refused.
  private static func told(
    _ item: Case, _ beside: [String: String], rewrite: (String) -> String = { $0 }
  ) throws -> (history: [String], dump: [String])? {
    let bench = try Workbench(beside)
    try bench.write(rewrite(item.text), to: item.root)
    bench.options.checksumVersion = 8
    func option(_ name: String) -> String? {
      item.options.first { $0.hasPrefix("--\(name)=") }.map { String($0.dropFirst(name.count + 3)) }
    }
    let error = try refusal {
      try bench.update(item.root, contexts: option("contexts"), labels: option("labels"))
    }
    guard error == nil else { return nil }
    let columns =
      "ID, AUTHOR, FILENAME, ORDEREXECUTED, EXECTYPE, MD5SUM, DESCRIPTION, COMMENTS, TAG,"
    let hasHistory =
      try bench.query("SELECT count(*) FROM sqlite_schema WHERE name = 'DATABASECHANGELOG'") == [
        "1"
      ]
    return (
      hasHistory
        ? try bench.query(
          "SELECT \(columns) CONTEXTS, LABELS FROM DATABASECHANGELOG ORDER BY ORDEREXECUTED") : [],
      try bench.query(
        """
        SELECT type || ' ' || name || ' on ' || tbl_name || ': ' || sql FROM sqlite_schema
        WHERE name NOT LIKE 'DATABASE%' AND name NOT LIKE 'sqlite%' ORDER BY type, name
        """)
    )
  }

  /// What both refuse in part: 4.6.2 runs the beginning, and fails at what ours sees before.
  private static func wanted(_ item: Case) -> (history: [String], dump: [String]) {
    (item.history.map { $0.map(\.text).joined(separator: "|") }, item.dump)
  }

  @Test func `history, checksums and schema are those of 4_6_2 for every root`() throws {
    let record = try Self.record()
    #expect(record.cases.count > 110)
    for item in record.cases {
      let told = try Self.told(item, record.beside)
      guard item.code == 0 else {
        #expect(told == nil, "\(item.name): only ours runs it")
        continue
      }
      let wanted = Self.wanted(item)
      #expect(told?.history == wanted.history, "\(item.name)")
      #expect(told?.dump == wanted.dump, "\(item.name)")
    }
  }

  @Test func `a root that is nearly the same leaves something else (negative control)`() throws {
    let record = try Self.record()
    let item = try #require(record.cases.first { $0.name == "ids" })
    let other = try Self.told(item, record.beside) { $0.replacing("1_000", with: "'1_000'") }
    #expect(other?.history != Self.wanted(item).history)
  }
}
