/// Changelogs that run, on SQLite or on PostgreSQL, whole with rollbacks: 4.6.2's schema, data and history after
/// them are recorded, and ours must come to the same.
package enum RunnableSamples {
  package static let seed: UInt64 = 15
  package static let count = 20

  /// The files of a number; the first is the one to run. `middle` is how many changesets stand before the tag.
  package static func sample(_ number: Int, _ dialect: SampleDialect) -> RunnableSample {
    var random = SampleRandom(seed: seed &+ UInt64(number) << 8)
    var writer = RunnableWriter(dialect: dialect)
    // Every third has what is never up to date: what runs always, and what may fail.
    writer.isRestless = number % 3 == 2
    let total = 12 + random.below(10)
    var changesets: [String] = []
    while changesets.count < total { changesets.append(writer.changeset(&random)) }
    let end = number % 5 == 4 ? "\r\n" : "\n"
    return RunnableSample(
      files: files(number, changesets, end), middle: total / 2, total: total,
      isRestless: writer.isRestless)
  }

  private static func files(_ number: Int, _ changesets: [String], _ end: String) -> [Sample] {
    func file(_ name: String, _ changesets: ArraySlice<String>) -> Sample {
      let text = "--liquibase formatted sql\n\n" + changesets.joined(separator: "\n")
      return Sample(name: name, bytes: text.utf8.flatMap { $0 == 10 ? Array(end.utf8) : [$0] })
    }
    let third = changesets.count / 3
    let parts = [
      changesets[..<third], changesets[third..<2 * third], changesets[(2 * third)...],
    ]
    switch number % 4 {
    case 1:
      let names = ["parts/one.sql", "two.sql", "parts/three.sql"]
      let lines = names.enumerated().map { index, name in
        index == 1
          ? #"  <include file="\#(name)"/>"#
          : #"  <include file="\#(name)" relativeToChangelogFile="true"/>"#
      }
      return [master(lines)] + zip(names, parts).map { file($0, $1) }
    case 3:
      let names = ["parts/10-one.sql", "parts/20-two.sql", "parts/30-three.sql"]
      return [master([#"  <includeAll path="parts" relativeToChangelogFile="true"/>"#])]
        + zip(names, parts).map { file($0, $1) }
    default: return [file("changelog.sql", changesets[...])]
    }
  }

  private static func master(_ lines: [String]) -> Sample {
    let text = """
      <?xml version="1.0" encoding="UTF-8"?>
      <databaseChangeLog xmlns="http://www.liquibase.org/xml/ns/dbchangelog"
        xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
        xsi:schemaLocation="http://www.liquibase.org/xml/ns/dbchangelog \
      http://www.liquibase.org/xml/ns/dbchangelog/dbchangelog-4.6.xsd">
      \(lines.joined(separator: "\n"))
      </databaseChangeLog>

      """
    return Sample(name: "master.xml", bytes: Array(text.utf8))
  }
}

package enum SampleDialect: String, Sendable, CaseIterable {
  case sqlite
  case postgresql
}

package struct RunnableSample: Sendable {
  package let files: [Sample]
  package let middle: Int
  package let total: Int
  package let isRestless: Bool
}
