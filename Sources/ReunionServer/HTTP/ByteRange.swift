/// What a Range field asks of a file.
///
/// *Source*: RFC 9110 section 14. Several ranges in one field are answered with the whole file,
/// which the RFC allows.
enum ByteRange: Equatable {
  /// The whole file: no field, or one to ignore.
  case whole
  /// These bytes.
  case part(Range<UInt64>)
  /// Nothing that the file has: 416.
  case unsatisfiable

  init(_ field: String?, of size: UInt64) {
    self = .whole
    guard let field else { return }
    let sides = field.trimmed.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard sides.count == 2, sides[0].trimmed.isSameToken(as: "bytes") else { return }
    let ends = sides[1].trimmed.split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]) else {
      return
    }
    switch (first, last) {
    case (nil, nil): return
    case (nil, let suffix?):
      self = suffix == 0 || size == 0 ? .unsatisfiable : .part(size - min(suffix, size)..<size)
    case (let first?, nil):
      self = first < size ? .part(first..<size) : .unsatisfiable
    case (let first?, let last?):
      guard first <= last else { return }
      self = first < size ? .part(first..<min(last, size - 1) + 1) : .unsatisfiable
    }
  }

  /// A number, `.some(nil)` for an empty one, `nil` for garbage. A number too large is the largest.
  private static func number(_ text: Substring) -> UInt64?? {
    if text.isEmpty { return .some(nil) }
    guard text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return nil }
    return UInt64(text) ?? .max
  }
}
