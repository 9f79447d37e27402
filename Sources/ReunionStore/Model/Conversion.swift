import ReunionCore

/// What a lens makes of values, and back.
///
/// ```swift
/// let inSeconds = Lens<Photo>.retype(OldField(20, Int.self), to: \.stars, by: .times(60))
/// let byName = Lens<Photo>.retype(
///   OldField(21, Bool.self), to: \.caption, by: .cases([true: "yes", false: "no"]))
/// print(inSeconds, byName)
/// ```
/// A conversion is a pure function of what it is given: every device computes the same. It may
/// refuse values, and need not be exact: the store checks each way back by going forward again, and
/// keeps the old field as it is where that differs.
///
/// Those that are listed here are told by a text, so that tools without the app's code compute them
/// too; `custom` is not.
public struct Conversion: Sendable {
  /// Makes values of values: of fields of the first kinds those of the second.
  typealias Making = @Sendable ([Value], [LensEnd], [LensEnd]) -> [Value]?

  /// What tells it from others.
  let text: String
  let forward: Making
  let back: Making?
  /// Why it cannot be between such fields, as the end of a sentence.
  let fault: @Sendable ([LensEnd], [LensEnd]) -> String?

  init(
    _ text: String, forward: @escaping Making, back: Making?,
    fault: @escaping @Sendable ([LensEnd], [LensEnd]) -> String?
  ) {
    self.text = text
    self.forward = forward
    self.back = back
    self.fault = fault
  }

  /// A conversion by functions of the app.
  ///
  /// ```swift
  /// let fullName = Conversion.custom(
  ///   "full name, 1", forward: { (first: String, last: String) in first + "\n" + last },
  ///   back: { (name: String) in
  ///     let parts = name.split(separator: "\n", omittingEmptySubsequences: false)
  ///     return parts.count == 2 ? (String(parts[0]), String(parts[1])) : nil
  ///   })
  /// print(fullName)
  /// ```
  /// The name says which functions, and which version of them: under another name everything is
  /// computed anew. Change the name with the functions. Where they return nil they refuse. They
  /// depend on their arguments alone, on every device: no clock, no locale, no random bits. Without
  /// `back` older devices do not see what is written.
  ///
  /// - Parameters:
  ///   - name: what tells these functions from others, and from their earlier versions.
  ///   - forward: makes the new values of the old ones.
  ///   - back: makes the old values of the new ones.
  /// - Returns: a conversion between fields of these kinds; a model with others is refused.
  public static func custom<each S: FieldValue, each T: FieldValue>(
    _ name: String, forward: @escaping @Sendable (repeat each S) -> (repeat each T)?,
    back: (@Sendable (repeat each T) -> (repeat each S)?)? = nil
  ) -> Conversion {
    Conversion("custom " + digits(Array(name.utf8))) { values, _, _ in
      guard let read: (repeat each S) = read(values), let made = forward(repeat each read) else {
        return nil
      }
      return stored(repeat each made)
    } back: { values, _, _ in
      guard let back, let read: (repeat each T) = read(values),
        let made = back(repeat each read)
      else { return nil }
      return stored(repeat each made)
    } fault: { sources, targets in
      var (reads, makes): ([ValueKind], [ValueKind]) = ([], [])
      for type in repeat (each S).self { reads.append(type.valueKind) }
      for type in repeat (each T).self { makes.append(type.valueKind) }
      return sources.map(\.kind) == reads && targets.map(\.kind) == makes
        ? nil : "its functions are for fields of other types"
    }
  }

  private static func read<each V: FieldValue>(_ values: [Value]) -> (repeat each V)? {
    var rest = values[...]
    func next<One: FieldValue>(_: One.Type) throws(Unread) -> One {
      guard let value = rest.popFirst(), let read = One(storedValue: value) else { throw Unread() }
      return read
    }
    return try? (repeat next((each V).self))
  }

  private static func stored<each V: FieldValue>(_ values: repeat each V) -> [Value] {
    var stored: [Value] = []
    for value in repeat each values { stored.append(value.storedValue) }
    return stored
  }

  /// Bytes as digits, for texts that tell conversions apart.
  static func digits(_ bytes: [UInt8]) -> String {
    bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
  }
}

/// That a value is none of the type that a function takes.
private struct Unread: Error {}
