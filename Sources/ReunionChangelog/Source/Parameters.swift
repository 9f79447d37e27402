/// Values that `${name}` stands for. The first value that a name is given stays; the command's come
/// before those of files.
package struct Parameters: Sendable, Equatable {
  private var values: [String: String] = [:]

  package init(_ values: [String: String] = [:]) { self.values = values }

  var isEmpty: Bool { values.isEmpty }

  mutating func define(_ name: String, _ value: String) {
    if values[name] == nil { values[name] = value }
  }

  /// Adds the values of names that have none.
  mutating func merge(_ others: Parameters) { values.merge(others.values) { mine, _ in mine } }

  subscript(_ name: String) -> String? { values[name] }

  /// The value of a `${name}` that begins at an index, and where it ends; nil where none begins there
  /// or nobody gave the name a value: then it stays as it is.
  func value(at start: Int, in bytes: ArraySlice<UInt8>) -> (value: [UInt8], end: Int)? {
    guard !values.isEmpty, start + 1 < bytes.endIndex, bytes[start + 1] == 0x7b else { return nil }
    // Names are short; nothing is searched to the end of a large text.
    let rest = bytes[(start + 2)...].prefix(256)
    guard let close = rest.firstIndex(of: 0x7d), rest[..<close].allSatisfy({ $0 > 0x20 }),
      let value = values[String(decoding: rest[..<close], as: UTF8.self)]
    else { return nil }
    return (Array(value.utf8), close + 1)
  }

  /// A text with its parameters put in.
  func expand(_ text: String) -> String {
    guard !values.isEmpty, text.utf8.contains(0x24) else { return text }
    let bytes = Array(text.utf8)[...]
    var expanded: [UInt8] = []
    var at = 0
    while at < bytes.count {
      if bytes[at] == 0x24, let (value, end) = value(at: at, in: bytes) {
        expanded += value
        at = end
      } else {
        expanded.append(bytes[at])
        at += 1
      }
    }
    return String(decoding: expanded, as: UTF8.self)
  }
}
