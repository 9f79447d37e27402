/// The text of an element, or the value of an attribute, as the parser left it in memory.
///
/// ```swift
/// func line(of point: ParsedElement) -> String {
///   let title = point.first("name")?.text ?? ""
///   return "\(title): \(point.attribute("lat")?.number ?? 0)"
/// }
/// ```
///
/// *Cost*: none until you ask it for something; `String(text)` copies it. If you keep one, it holds
/// the whole element that the parser handed out, with everything inside.
///
/// *Thread*: any; it never changes.
public struct XMLText: @unchecked Sendable {
  // Unchecked for the pointer: what it points to is never written once the parser has handed it out,
  // and lives as long as the tree. That is nil for a literal, whose memory is there for ever.
  @usableFromInline let tree: ElementTree?
  @usableFromInline let bytes: UnsafeBufferPointer<UInt8>

  @inlinable @inline(__always)
  init(tree: ElementTree?, bytes: UnsafeBufferPointer<UInt8>) {
    self.tree = tree
    self.bytes = bytes
  }

  /// No text at all.
  @inlinable public init() {
    self.init(tree: nil, bytes: UnsafeBufferPointer(start: nil, count: 0))
  }

  /// The bytes of its UTF-8.
  @inlinable public var byteCount: Int { bytes.count }

  /// Whether there is nothing, not even white space.
  @inlinable public var isEmpty: Bool { bytes.isEmpty }

  /// The text as the nearest decimal number; nil if it is not a number.
  public var number: Double? {
    defer { withExtendedLifetime(tree) {} }
    return bytes.number
  }

  /// One of the numbers in the text, counted from 0, which white space or commas separate; nil if
  /// there is none.
  public func number(at place: Int) -> Double? {
    defer { withExtendedLifetime(tree) {} }
    return bytes.number(at: place)
  }

  /// The numbers in the text, with white space or commas between them; nil if there is anything
  /// else.
  public var numbers: [Double]? {
    defer { withExtendedLifetime(tree) {} }
    return bytes.numbers
  }

  /// Calls a closure with the UTF-8, without making a string of it. The bytes are valid until the
  /// closure returns. If the document was not well-formed UTF-8, they may not be either.
  @inlinable public func withUTF8<Result, Failure: Error>(
    _ body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    defer { withExtendedLifetime(tree) {} }
    return try body(bytes)
  }
}

extension String {
  /// Copies a text. Bytes that are not UTF-8 become replacement characters.
  @inlinable @inline(__always) public init(_ text: borrowing XMLText) {
    self = text.bytes.text
    withExtendedLifetime(text.tree) {}
  }
}

extension XMLText: CustomStringConvertible {
  /// What `String(text)` makes.
  public var description: String { String(self) }
}

extension XMLText: ExpressibleByStringLiteral {
  /// Creates a text from a literal; it holds no memory.
  public init(stringLiteral value: StaticString) {
    precondition(
      value.hasPointerRepresentation, "A Unicode scalar literal has no memory of its own.")
    self.init(
      tree: nil,
      bytes: UnsafeBufferPointer(start: value.utf8Start, count: value.utf8CodeUnitCount))
  }
}

extension XMLText: Hashable {
  /// Whether the bytes are the same. Unlike with strings, canonical equivalents are not equal.
  public static func == (first: XMLText, second: XMLText) -> Bool {
    defer { withExtendedLifetime((first, second)) {} }
    return first.bytes.elementsEqual(second.bytes)
  }

  /// Mixes in the bytes.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(bytes: UnsafeRawBufferPointer(bytes))
    withExtendedLifetime(tree) {}
  }
}
