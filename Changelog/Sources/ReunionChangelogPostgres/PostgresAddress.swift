private import CPostgres
internal import ReunionChangelog

/// Where a database is, as libpq read it of a URL. The password stays inside.
struct PostgresAddress {
  /// What libpq is asked for, by its own words: "host", "dbname", "password" and so on.
  private(set) var settings: [String: String] = [:]

  /// What messages call the database: no password is in it, and nothing of a query but its host.
  var name: String {
    var text = "postgresql://"
    if let user = settings["user"] { text += user + "@" }
    text += settings["host"] ?? settings["hostaddr"] ?? "localhost"
    if let port = settings["port"] { text += ":" + port }
    return text + "/" + (settings["dbname"] ?? settings["user"] ?? "")
  }

  /// Reads `postgresql://USER@HOST:PORT/DATABASE?…`, with the words of libpq in the query, and
  /// `currentSchema` and `ApplicationName` as drivers of Java have them.
  ///
  /// libpq takes what is not in it from the environment and its files: PGPASSWORD, PGPASSFILE.
  init(url: String) throws(DatabaseError) {
    let (given, schema) = Self.withoutWordsOfJava(url)
    let kept = given.hasPrefix("postgres://") ? "postgresql://" + given.dropFirst(11) : given
    guard kept.hasPrefix("postgresql://") else { throw Self.unreadable }
    // What libpq says of a URL that it cannot read quotes it, and a password may be in that.
    guard let options = PQconninfoParse(kept, nil) else { throw Self.unreadable }
    defer { PQconninfoFree(options) }
    var next = options
    while let keyword = next.pointee.keyword {
      if let value = next.pointee.val {
        settings[String(cString: keyword)] = String(cString: value)
      }
      next += 1
    }
    // A password with an @ of its own would be read as a host, and shown.
    let hosts = [settings["host"], settings["hostaddr"], settings["port"]].compactMap(\.self)
    guard !hosts.contains(where: { $0.contains("@") }) else { throw Self.unreadable }
    if let schema {
      // libpq parts options at blanks.
      let quoted = "\"" + schema.replacing("\"", with: "\"\"") + "\""
      let path = quoted.replacing("\\", with: "\\\\").replacing(" ", with: "\\ ")
      settings["options"] = (settings["options"].map { $0 + " " } ?? "") + "-c search_path=" + path
    }
  }

  /// The same server with another database of it.
  func database(_ name: String) -> PostgresAddress {
    var other = self
    other.settings["dbname"] = name
    return other
  }

  private static let unreadable = DatabaseError(
    "the URL cannot be read; write postgresql://USER@HOST:PORT/DATABASE, with %40 for an @ in a name, "
      + "and give the password in PGPASSWORD or a file that PGPASSFILE names", code: "08001")

  /// The URL without the words that only drivers of Java know, and the schema that they named.
  private static func withoutWordsOfJava(_ url: String) -> (url: String, schema: String?) {
    guard let mark = url.firstIndex(of: "?") else { return (url, nil) }
    var kept: [Substring] = []
    var schema: String?
    for word in url[url.index(after: mark)...].split(separator: "&") {
      let parts = word.split(separator: "=", maxSplits: 1)
      switch parts.first {
      case "currentSchema": schema = parts.count > 1 ? unescaped(parts[1]) : nil
      case "ApplicationName", "stringtype", "prepareThreshold", "reWriteBatchedInserts", "ssl":
        break
      default: kept.append(word)
      }
    }
    return (url[..<mark] + (kept.isEmpty ? "" : "?" + kept.joined(separator: "&")), schema)
  }

  /// A part of a URL with its %XX as the bytes that they mean.
  private static func unescaped(_ text: Substring) -> String {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), rest.count >= 2,
        let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
      {
        bytes.append(value)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
