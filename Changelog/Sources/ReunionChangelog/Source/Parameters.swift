/// Values that `${name}` stands for. The first value that a name is given stays; the command's come
/// before those of files. A value may name others.
package struct Parameters: Sendable, Equatable {
  private var values: [String: String] = [:]

  /// How deep values may name others, how many of them, and how long what comes of it may be.
  static let depthMax = 16
  static let countMax = 10_000
  static let bytesMax = 1 << 20

  package init(_ values: [String: String] = [:]) { self.values = values }

  var isEmpty: Bool { values.isEmpty }

  mutating func define(_ name: String, _ value: String) {
    if values[name] == nil { values[name] = value }
  }

  /// Adds the values of names that have none.
  mutating func merge(_ others: Parameters) { values.merge(others.values) { mine, _ in mine } }

  /// The value of a `${name}` that begins at an index, and where it ends. Nil if none begins there,
  /// nobody gave the name a value, or the value grows without end: then the text stays as it is.
  func value(at start: Int, in bytes: ArraySlice<UInt8>) -> (value: [UInt8], end: Int)? {
    guard !values.isEmpty, let (name, end) = Self.name(at: start, in: bytes) else { return nil }
    var growth = Growth()
    guard let value = value(of: name, &growth), !growth.isEndless else { return nil }
    return (value, end)
  }

  /// A text with its parameters put in.
  func expand(_ text: String) -> String {
    guard !values.isEmpty, text.utf8.contains(0x24) else { return text }
    let bytes = Array(text.utf8)[...]
    return replacing(bytes) { value(at: $0, in: bytes) }[...].text
  }

  // MARK: Values that name others

  private struct Growth {
    var depth = 0
    var count = 0
    var bytes = 0
    var isEndless = false
  }

  private func value(of name: String, _ growth: inout Growth) -> [UInt8]? {
    guard let value = values[name] else { return nil }
    let bytes = Array(value.utf8)[...]
    guard value.utf8.contains(0x24) else { return Array(bytes) }
    growth.depth += 1
    growth.count += 1
    defer { growth.depth -= 1 }
    guard growth.depth <= Self.depthMax, growth.count <= Self.countMax else {
      growth.isEndless = true
      return nil
    }
    let expanded = replacing(bytes) { at in
      guard !growth.isEndless, let (name, end) = Self.name(at: at, in: bytes),
        let value = self.value(of: name, &growth)
      else { return nil }
      growth.bytes += value.count
      if growth.bytes > Self.bytesMax { growth.isEndless = true }
      return growth.isEndless ? nil : (value, end)
    }
    return growth.isEndless ? nil : expanded
  }

  private static func name(
    at start: Int, in bytes: ArraySlice<UInt8>
  ) -> (name: String, end: Int)? {
    guard start + 1 < bytes.endIndex, bytes[start + 1] == 0x7b else { return nil }
    // Names are short; nothing is searched to the end of a large text.
    let rest = bytes[(start + 2)...].prefix(256)
    guard let close = rest.firstIndex(of: 0x7d), rest[..<close].allSatisfy({ $0 > 0x20 }) else {
      return nil
    }
    return (rest[..<close].text, close + 1)
  }

  private func replacing(
    _ bytes: ArraySlice<UInt8>, _ value: (Int) -> (value: [UInt8], end: Int)?
  ) -> [UInt8] {
    var expanded: [UInt8] = []
    var at = bytes.startIndex
    while at < bytes.endIndex {
      if bytes[at] == 0x24, let (value, end) = value(at) {
        expanded += value
        at = end
      } else {
        expanded.append(bytes[at])
        at += 1
      }
    }
    return expanded
  }
}
