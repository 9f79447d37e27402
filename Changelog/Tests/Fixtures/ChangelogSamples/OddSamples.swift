/// Changelogs as people, tools and mischief write them: what 4.6.2 made of each is recorded, and ours must
/// make the same of it. Their SQL is never run.
package enum OddSamples {
  package static let seed: UInt64 = 20_261_124
  package static let count = 1_600

  /// The file of a number. Every third is wild: its first line and its headers are odd as well.
  package static func sample(_ number: Int) -> Sample {
    var random = SampleRandom(seed: seed &+ UInt64(number))
    let isWild = number % 3 == 0
    var text = isWild ? firstLine(&random) : "--liquibase formatted sql"
    text += "\n"
    let changesets = isWild ? 1 + random.below(2) : 2 + random.below(3)
    for index in 0..<changesets {
      text += OddHeader.line(index, isWild: isWild, &random) + "\n"
      text += OddBody.lines(&random).joined(separator: "\n") + "\n"
      if random.one(in: 4) { text += "\n" }
    }
    if random.one(in: 9) {
      text += random.pick(["/", "/\n", " / \n\n", "GO", "\n\n/", "/\n--the end"])
    }
    return Sample(name: "odd\(number).sql", bytes: bytes(of: text, &random))
  }

  private static func firstLine(_ random: inout SampleRandom) -> String {
    switch random.below(12) {
    case 0: "-- liquibase formatted sql"
    case 1: "--  liquibase   formatted   sql"
    case 2: "--LIQUIBASE FORMATTED SQL"
    case 3: "\n\n--liquibase formatted sql"
    case 4: " --liquibase formatted sql"
    case 5: "--liquibase formatted sql logicalFilePath:logical/\(random.below(9)).sql"
    case 6: "--liquibase formatted sql logicalFilePath:\"logical path.sql\" changeLogId:a1b2"
    case 7: "--liquibase formatted SQL dbms:sqlite"
    case 8: "--\tliquibase\tformatted\tsql"
    case 9: "-- a note\n--liquibase formatted sql"
    case 10: "--liquibase formatted sql-like"
    default: "--liquibase formatted sql  "
    }
  }

  /// The text with line ends as some system leaves them, and now and then a mark at its start.
  private static func bytes(of text: String, _ random: inout SampleRandom) -> [UInt8] {
    let end = random.pick(["\n", "\n", "\n", "\n", "\n", "\r\n", "\r\n", "\r"])
    var bytes: [UInt8] = random.one(in: 20) ? [0xef, 0xbb, 0xbf] : []
    for byte in text.utf8 {
      if byte == UInt8(ascii: "\n") { bytes += Array(end.utf8) } else { bytes.append(byte) }
    }
    // What is no UTF-8.
    if random.one(in: 40) { bytes.insert(0xe9, at: bytes.count - min(bytes.count, 6)) }
    return bytes
  }
}
