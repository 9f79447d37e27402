/// Header fields in the order in which they came. Names are found in any case.
public struct HTTPHeaders: Sendable, Equatable, ExpressibleByDictionaryLiteral {
  /// One field.
  public struct Field: Sendable, Equatable {
    /// The name as it was written.
    public let name: String
    /// The value, without blanks around it.
    public let value: String
  }

  /// All fields.
  public private(set) var fields: [Field] = []

  /// No fields.
  public init() {}

  /// Fields from a literal, in its order.
  public init(dictionaryLiteral elements: (String, String)...) {
    for (name, value) in elements { add(name, value) }
  }

  /// The value of the first field of that name.
  public subscript(name: String) -> String? {
    fields.first { $0.name.isSameToken(as: name) }?.value
  }

  /// The values of all fields of that name.
  public func all(_ name: String) -> [String] {
    fields.filter { $0.name.isSameToken(as: name) }.map(\.value)
  }

  /// The comma-separated members of all fields of that name, in lower case.
  func tokens(_ name: String) -> [String] {
    all(name).flatMap { $0.split(separator: ",") }.map { $0.trimmed.lowercased() }
  }

  /// Adds a field at the end. Control characters, which could end the field, become blanks.
  public mutating func add(_ name: String, _ value: String) {
    let clean = value.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7f ? " " : $0 }
    fields.append(Field(name: name, value: String(String.UnicodeScalarView(clean))))
  }

  /// Replaces all fields of that name by one.
  public mutating func set(_ name: String, _ value: String) {
    fields.removeAll { $0.name.isSameToken(as: name) }
    add(name, value)
  }
}

extension StringProtocol {
  /// True where both are the same ASCII text but for case.
  func isSameToken(as other: String) -> Bool {
    utf8.elementsEqual(other.utf8) { $0 == $1 || ($0 | 0x20 == $1 | 0x20 && ($0 | 0x20).isLetter) }
  }

  /// Without the blanks and tabs around it.
  var trimmed: SubSequence {
    guard let start = firstIndex(where: { $0 != " " && $0 != "\t" }),
      let end = lastIndex(where: { $0 != " " && $0 != "\t" })
    else { return self[endIndex...] }
    return self[start...end]
  }
}

extension UInt8 {
  fileprivate var isLetter: Bool { self >= 0x61 && self <= 0x7a }
}
