private import CPostgres
internal import ReunionChangelog

/// A connection by libpq: statements in, rows or an error out.
///
/// *Thread*: one at a time; calls block.
final class PostgresConnection {
  let address: PostgresAddress
  /// Nil after `close`.
  private var handle: OpaquePointer?
  private let notices: Notices

  /// Connects, and tells the server to talk in UTF-8. It gives up after ten seconds, or what
  /// `connect_timeout` in the URL says.
  init(
    _ address: PostgresAddress, application: String, notice: @escaping (String) -> Void
  ) throws(DatabaseError) {
    self.address = address
    notices = Notices(tell: notice)
    var settings = address.settings
    settings["connect_timeout"] = settings["connect_timeout"] ?? "10"
    settings["application_name"] = application
    settings["client_encoding"] = "UTF8"
    let made = Self.withStrings(settings.map(\.key)) { keys in
      Self.withStrings(settings.map(\.value)) { PQconnectdbParams(keys, $0, 0) }
    }
    handle = made
    guard PQstatus(made) == CONNECTION_OK else {
      let said = PQerrorMessage(made).map { String(cString: $0) } ?? "no memory"
      close()
      throw DatabaseError(Self.sentence(said), code: "08001", isDisconnected: true)
    }
    PQsetNoticeReceiver(
      made,
      { context, result in
        guard let context, let text = PQresultErrorField(result, Field.message) else { return }
        let notices = Unmanaged<Notices>.fromOpaque(context).takeUnretainedValue()
        notices.tell(String(cString: text))
      }, Unmanaged.passUnretained(notices).toOpaque())
  }

  deinit { close() }

  func close() {
    PQfinish(handle)
    handle = nil
  }

  /// What the server calls the process at the other end, as it said when the connection began.
  var announcedProcess: Int32 { handle.map { PQbackendPID($0) } ?? 0 }

  var isOpen: Bool { handle.map { PQstatus($0) == CONNECTION_OK } ?? false }

  var isInTransaction: Bool {
    guard let handle else { return false }
    let status = PQtransactionStatus(handle)
    return status == PQTRANS_INTRANS || status == PQTRANS_INERROR || status == PQTRANS_ACTIVE
  }

  /// Runs what may be several statements, drops their rows, and gives what the last one calls
  /// itself: "COMMIT", "CREATE TABLE".
  @discardableResult
  func run(_ statement: ArraySlice<UInt8>) throws(DatabaseError) -> String {
    let handle = try open()
    if let zero = statement.firstIndex(of: 0) {
      throw DatabaseError(
        "there is a zero byte in the statement, which PostgreSQL does not take", code: "22021",
        offset: zero - statement.startIndex)
    }
    let text = statement + [0]
    let isSent = text.withUnsafeBufferPointer { bytes in
      bytes.withMemoryRebound(to: CChar.self) { PQsendQuery(handle, $0.baseAddress) == 1 }
    }
    guard isSent else { throw failure(of: nil, statement) }
    // Rows are dropped as they arrive, however many they are.
    PQsetSingleRowMode(handle)
    return try finish(handle, statement)
  }

  func run(_ statement: String) throws(DatabaseError) {
    try run(Array(statement.utf8)[...])
  }

  /// Runs one statement with values for `$1` and so on, and gives its rows as text.
  func rows(_ statement: String, _ values: [String?] = []) throws(DatabaseError) -> [[String?]] {
    let handle = try open()
    let result = Self.withStrings(values) {
      PQexecParams(handle, statement, Int32(values.count), nil, $0, nil, nil, 0)
    }
    defer { PQclear(result) }
    let status = PQresultStatus(result)
    guard status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK else {
      throw failure(of: result, Array(statement.utf8)[...])
    }
    return (0..<PQntuples(result)).map { row in
      (0..<PQnfields(result)).map { column in
        guard PQgetisnull(result, row, column) == 0, let value = PQgetvalue(result, row, column)
        else { return nil }
        return String(cString: value)
      }
    }
  }

  // MARK: Answers

  private func open() throws(DatabaseError) -> OpaquePointer {
    guard let handle else {
      throw DatabaseError("the connection was closed", code: "08003", isDisconnected: true)
    }
    return handle
  }

  /// Takes all answers to what was sent: the first error among them is thrown.
  private func finish(
    _ handle: OpaquePointer, _ statement: ArraySlice<UInt8>
  ) throws(DatabaseError) -> String {
    var error: DatabaseError?
    var tag = ""
    while let result = PQgetResult(handle) {
      defer { PQclear(result) }
      switch PQresultStatus(result) {
      case PGRES_FATAL_ERROR, PGRES_BAD_RESPONSE:
        error = error ?? failure(of: result, statement)
        // A connection that is gone gives errors for ever.
        if PQstatus(handle) != CONNECTION_OK { throw failure(of: result, statement) }
      case PGRES_COPY_IN, PGRES_COPY_BOTH:
        error = error ?? Self.copy("COPY … FROM STDIN waits for rows from its client")
        PQputCopyEnd(handle, "a changelog has no rows for it")
      case PGRES_COPY_OUT:
        error = error ?? Self.copy("COPY … TO STDOUT gives rows to its client")
        Self.drop(handle)
      default: tag = PQcmdStatus(result).map { String(cString: $0) } ?? tag
      }
    }
    if let error { throw error }
    return tag
  }

  private static func copy(_ what: String) -> DatabaseError {
    DatabaseError("\(what), and a changelog has none; write INSERT instead", code: "0A000")
  }

  /// Reads away what COPY gives.
  private static func drop(_ handle: OpaquePointer) {
    var row: UnsafeMutablePointer<CChar>?
    while PQgetCopyData(handle, &row, 0) > 0 {
      PQfreemem(row)
      row = nil
    }
  }

  /// What an answer says or, if it says nothing, what the connection says.
  private func failure(
    of result: OpaquePointer?, _ statement: ArraySlice<UInt8>
  ) -> DatabaseError {
    func field(_ code: Int32) -> String? {
      PQresultErrorField(result, code).map { String(cString: $0) }
    }
    let isDisconnected = !isOpen
    guard let message = field(Field.message) else {
      let said = PQerrorMessage(handle).map { String(cString: $0) } ?? "no memory"
      return DatabaseError(
        Self.sentence(said), code: isDisconnected ? "08006" : "XX000",
        isDisconnected: isDisconnected)
    }
    let more = [field(Field.detail), field(Field.hint)].compactMap(\.self).map(Self.sentence)
    return DatabaseError(
      ([Self.sentence(message)] + more).joined(separator: "; "),
      code: field(Field.state) ?? "XX000",
      offset: field(Field.position).flatMap { Int($0) }.map { Self.offset(of: $0, in: statement) },
      isDisconnected: isDisconnected)
  }

  /// The place in bytes of the character of a number, which counts from 1.
  static func offset(of character: Int, in statement: ArraySlice<UInt8>) -> Int {
    var left = character
    for (index, byte) in statement.enumerated() where byte & 0xc0 != 0x80 {
      left -= 1
      if left == 0 { return index }
    }
    return statement.count
  }

  /// One line without the full stop at its end.
  private static func sentence(_ said: String) -> String {
    let lines = said.split(whereSeparator: \.isNewline)
    let line = lines.map { $0.drop { $0 == " " || $0 == "\t" } }.joined(separator: "; ")
    return line.hasSuffix(".") ? String(line.dropLast()) : line
  }

  /// Lends strings as an array of C's, with a null at its end.
  private static func withStrings<Result>(
    _ strings: [String?], _ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> Result
  ) -> Result {
    let bytes = strings.map { text -> UnsafeMutableBufferPointer<CChar>? in
      guard let text else { return nil }
      let copy = UnsafeMutableBufferPointer<CChar>.allocate(capacity: text.utf8.count + 1)
      _ = copy.initialize(from: text.utf8.map { CChar(bitPattern: $0) } + [0])
      return copy
    }
    defer { bytes.forEach { $0?.deallocate() } }
    return (bytes.map { $0.flatMap { UnsafePointer($0.baseAddress) } } + [nil])
      .withUnsafeBufferPointer { body($0.baseAddress) }
  }
}

/// The letters by which libpq calls the parts of an error: macros that C's importer does not read.
private enum Field {
  static let state = Int32(UInt8(ascii: "C"))
  static let message = Int32(UInt8(ascii: "M"))
  static let detail = Int32(UInt8(ascii: "D"))
  static let hint = Int32(UInt8(ascii: "H"))
  static let position = Int32(UInt8(ascii: "P"))
}

/// What a callback of C calls.
private final class Notices {
  let tell: (String) -> Void
  init(tell: @escaping (String) -> Void) { self.tell = tell }
}
