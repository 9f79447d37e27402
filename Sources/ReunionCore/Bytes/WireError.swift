/// An error of the core: a code and a fixed sentence, so that it works in Embedded Swift too.
package struct WireError: Error, Sendable {
  /// What kind of error it is; new kinds may be added.
  package struct Code: RawRepresentable, Equatable, Sendable {
    /// The number on the wire.
    package let rawValue: UInt8

    /// Takes its parts as they are.
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The bytes are not what the protocol allows.
    package static let malformed = Code(rawValue: 1)
    /// The bytes end too early.
    package static let truncated = Code(rawValue: 2)
    /// A length or a count is over its limit.
    package static let tooLarge = Code(rawValue: 3)
    /// The other side speaks a version that this build does not.
    package static let unknownVersion = Code(rawValue: 4)
  }

  /// The kind of error.
  package let code: Code
  /// One sentence that names what was wrong.
  package let reason: StaticString

  /// Makes an error.
  package init(_ code: Code, _ reason: StaticString) {
    self.code = code
    self.reason = reason
  }

  static func malformed(_ reason: StaticString) -> WireError { WireError(.malformed, reason) }
}

#if !hasFeature(Embedded)
  extension WireError: CustomStringConvertible {
    /// One sentence for a person.
    package var description: String { "\(reason)" }
  }
#endif
