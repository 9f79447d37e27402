import CSQLite
import ReunionCore
import ReunionDisk
import ReunionStore

/// The functions by which views show what columns hold in the library's own form.
enum SQLFunctions {
  /// A set or a list, as a JSON array.
  static let elements = "reunion_elements"
  /// A blob: its bytes where they are in the record, else the SHA-256 of its file, as digits.
  static let blob = "reunion_blob"

  static func register(on connection: DatabaseConnection) throws(StoreError) {
    let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS
    try connection.check(
      sqlite3_create_function_v2(
        connection.handle, elements, 1, flags, nil,
        { context, _, arguments in
          guard let bytes = SQLFunctions.bytes(arguments?[0]) else { return }
          let values = Value(kind: .list, bytes: bytes).elements ?? []
          var json = JSONText.list(values.map(SQLFunctions.json)).bytes()
          json.removeLast()
          reunion_result_text(context, json, Int32(clamping: json.count))
        }, nil, nil, nil))
    try connection.check(
      sqlite3_create_function_v2(
        connection.handle, blob, 1, flags, nil,
        { context, _, arguments in
          guard let bytes = SQLFunctions.bytes(arguments?[0]) else { return }
          let value = Value(kind: .blob, bytes: bytes)
          if let bytes = value.inlineBlob {
            reunion_result_blob(context, bytes, Int32(clamping: bytes.count))
          } else if let reference = value.blob {
            let digits = Array(Hexadecimal.text(reference.hash.bytes).utf8)
            reunion_result_text(context, digits, Int32(clamping: digits.count))
          }
        }, nil, nil, nil))
  }

  /// The bytes of an argument, nil where it is no blob; the result is then NULL.
  private static func bytes(_ argument: OpaquePointer?) -> [UInt8]? {
    guard sqlite3_value_type(argument) == SQLITE_BLOB else { return nil }
    let start = sqlite3_value_blob(argument)
    let count = Int(sqlite3_value_bytes(argument))
    guard let start, count > 0 else { return [] }
    return Array(UnsafeRawBufferPointer(start: start, count: count))
  }

  /// An element of a set or a list.
  private static func json(_ value: Value) -> JSONText {
    if let text = value.text { return .text(text) }
    if let int = value.int { return .number(int) }
    if let bool = value.bool { return .bool(bool) }
    if let double = value.double {
      return double.isFinite ? .number("\(double)") : .text("\(double)")
    }
    if let blob = value.blob { return .text(Hexadecimal.text(blob.hash.bytes)) }
    return .text(Hexadecimal.text(value.inlineBlob ?? value.bytes))
  }
}
