import ReunionCore

extension Conversion {
  /// The values as they are, between fields of one kind: for a field that gets another number. Both
  /// ways are exact.
  public static let same = Conversion.plain("same") { value, _ in
    value
  } back: { value, _ in
    value
  } fault: { from, to in
    from == to ? nil : "they are of different kinds"
  }

  /// A number times another, such as minutes as seconds; the way back divides, and refuses what
  /// leaves a rest. Between whole numbers and dates, whose numbers are milliseconds; also to a
  /// `Double`.
  ///
  /// A product beyond 64 bits is refused: the field keeps its own value. A factor of 0 is an error
  /// of the model.
  public static func times(_ factor: Int) -> Conversion {
    scaled("times \(factor)", isSound: factor != 0) { number in
      let (product, isTooLarge) = number.multipliedReportingOverflow(by: Int64(factor))
      return isTooLarge ? nil : product
    } whole: { number in
      let (quotient, isTooLarge) = number.dividedReportingOverflow(by: Int64(factor))
      return isTooLarge ? nil : quotient
    } double: {
      $0 * Double(factor)
    } divided: {
      $0 / Double(factor)
    }
  }

  /// A number times another that need not be whole. To a whole number the nearest one counts, and
  /// NaN is refused. A factor that is 0, infinite or NaN is an error of the model.
  public static func times(_ factor: Double) -> Conversion {
    let isSound = factor != 0 && factor.isFinite
    return scaled("times \(factor) as double", isSound: isSound) { number in
      Int64(exactly: (Double(number) * factor).rounded())
    } whole: { number in
      Int64(exactly: (Double(number) / factor).rounded())
    } double: {
      $0 * factor
    } divided: {
      $0 / factor
    }
  }

  /// A whole number divided by another and rounded down, such as seconds as minutes; the way back
  /// multiplies. The old field keeps its value while nobody writes the new one. The divisor is 1 or
  /// more, else the model is refused.
  public static func over(_ divisor: Int) -> Conversion {
    Conversion.plain("over \(divisor)") { value, kind in
      guard let number = value.int else { return nil }
      let (quotient, rest) = number.quotientAndRemainder(dividingBy: Int64(divisor))
      return Value(rest < 0 ? quotient - 1 : quotient, as: kind)
    } back: { value, kind in
      guard let number = value.int else { return nil }
      let (product, isTooLarge) = number.multipliedReportingOverflow(by: Int64(divisor))
      return isTooLarge ? nil : Value(product, as: kind)
    } fault: { from, to in
      if divisor < 1 { return "its divisor is below 1" }
      return from.isWhole && to.isWhole ? nil : "they are not whole numbers or dates"
    }
  }

  /// A number or a truth as its digits, or as `true` and `false`. The way back reads what `number`
  /// reads; texts that are no number are refused, and stay in the new field alone.
  public static let text = Conversion.plain("text") { value, _ in
    written(value)
  } back: { value, kind in
    parsed(value, kind)
  } fault: { from, to in
    [.int, .double, .bool].contains(from) && to == .text ? nil : "it makes texts of numbers alone"
  }

  /// A text as the number that it says, in digits with a point and an exponent; other texts, such
  /// as "nan", "0x1" and " 1", are refused. The way back writes digits, and counts only where
  /// reading them gives the number again.
  public static let number = Conversion.plain("number") { value, kind in
    parsed(value, kind)
  } back: { value, _ in
    written(value)
  } fault: { from, to in
    from == .text && [.int, .double].contains(to) ? nil : "it makes numbers of texts alone"
  }

  /// Values by a list: of numbers, texts and truths. What is not on the list is refused. Of two
  /// pairs with one value the first counts.
  ///
  /// ```swift
  /// let yes = Conversion.cases([true: "yes", false: "no"])
  /// print(yes)
  /// ```
  public static func cases<S: FieldValue, T: FieldValue>(
    _ pairs: KeyValuePairs<S, T>
  ) -> Conversion {
    listed(
      pairs.map { ($0.key.storedValue, $0.value.storedValue) }, S.valueKind, T.valueKind)
  }

  /// Texts cut at a text, or joined with it between them: from one to several fields, or from
  /// several to one. The last part takes the rest; parts that are missing are empty, and empty ones
  /// at the end are not written. An empty separator is an error of the model.
  public static func separator(_ separator: String) -> Conversion {
    let bytes = Array(separator.utf8)
    let making: Making = { values, _, targets in
      let texts = values.filter { $0.kind == .text }.map(\.bytes)
      guard texts.count == values.count else { return nil }
      let made =
        targets.count > 1
        ? texts.first.map { cut($0, at: bytes, into: targets.count) } : [joined(texts, by: bytes)]
      return made?.map { Value(kind: .text, bytes: $0) }
    }
    return Conversion("separator \(digits(bytes))", forward: making, back: making) { from, to in
      if bytes.isEmpty { return "its separator is empty" }
      let isEven = (from.count == 1) != (to.count == 1)
      return isEven && (from + to).allSatisfy { $0.kind == .text }
        ? nil : "a separator is for one text and several"
    }
  }

  /// A conversion by a list of values of two kinds.
  static func listed(
    _ pairs: [(Value, Value)], _ kind: ValueKind, _ other: ValueKind
  ) -> Conversion {
    let list = pairs.map { "\($0.listed):\($1.listed)" }.joined(separator: " ")
    return Conversion.plain("cases \(list)") { value, _ in
      pairs.first { $0.0 == value }?.1
    } back: { value, _ in
      pairs.first { $0.1 == value }?.0
    } fault: { from, to in
      guard from == kind, to == other else { return "its list is of other types" }
      let kinds: [ValueKind] = [.int, .text, .bool]
      return kinds.contains(from) && kinds.contains(to)
        ? nil : "its list is not of numbers, texts or truths"
    }
  }

  private static func cut(_ text: [UInt8], at separator: [UInt8], into count: Int) -> [[UInt8]] {
    var parts: [[UInt8]] = []
    var rest = text[...]
    while parts.count < count - 1, let range = rest.firstRange(of: separator) {
      parts.append(Array(rest[..<range.lowerBound]))
      rest = rest[range.upperBound...]
    }
    parts.append(Array(rest))
    return parts + Array(repeating: [], count: count - parts.count)
  }

  private static func joined(_ parts: [[UInt8]], by separator: [UInt8]) -> [UInt8] {
    let count = (parts.lastIndex { !$0.isEmpty } ?? -1) + 1
    return Array(parts[..<count].joined(separator: separator))
  }

  private static func written(_ value: Value) -> Value? {
    if let bool = value.bool { return .text(bool ? "true" : "false") }
    // The bytes of a NaN are not the same on all machines.
    if let double = value.double { return double.isNaN ? nil : .text("\(double)") }
    return value.int.map { .text("\($0)") }
  }

  private static func parsed(_ value: Value, _ kind: ValueKind) -> Value? {
    guard let text = value.text, Array(text.utf8) == value.bytes else { return nil }
    switch kind {
    case .bool: return text == "true" ? .bool(true) : text == "false" ? .bool(false) : nil
    case .int: return Int64(text).map(Value.int)
    // Texts such as "nan" and "0x1" are no numbers to a person.
    case .double:
      let isPlain = text.utf8.allSatisfy {
        UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0
          || "+-.eE".utf8.contains($0)
      }
      return isPlain ? Double(text).map(Value.double) : nil
    default: return nil
    }
  }

  // From one field to one

  /// A conversion between two fields, of which none stays none where both may be that.
  private static func plain(
    _ text: String, forward: @escaping @Sendable (Value, ValueKind) -> Value?,
    back: @escaping @Sendable (Value, ValueKind) -> Value?,
    fault: @escaping @Sendable (ValueKind, ValueKind) -> String?
  ) -> Conversion {
    func making(_ body: @escaping @Sendable (Value, ValueKind) -> Value?) -> Making {
      { values, _, targets in
        guard let value = values.first, let target = targets.first else { return nil }
        if value == .null { return target.isOptional ? [.null] : nil }
        return body(value, target.kind).map { [$0] }
      }
    }
    return Conversion(text, forward: making(forward), back: making(back)) { sources, targets in
      guard sources.count == 1, targets.count == 1 else { return "it is from one field to one" }
      return fault(sources[0].kind, targets[0].kind)
    }
  }

  private static func scaled(
    _ text: String, isSound: Bool, product: @escaping @Sendable (Int64) -> Int64?,
    whole: @escaping @Sendable (Int64) -> Int64?, double: @escaping @Sendable (Double) -> Double,
    divided: @escaping @Sendable (Double) -> Double
  ) -> Conversion {
    @Sendable func scale(
      _ value: Value, _ kind: ValueKind, _ whole: (Int64) -> Int64?, _ double: (Double) -> Double
    ) -> Value? {
      if let number = value.int, kind != .double {
        return whole(number).map { Value($0, as: kind) }
      }
      guard let number = value.double ?? value.int.map({ Double($0) }) else { return nil }
      if kind == .double { return number.isNaN ? nil : .double(double(number)) }
      return Int64(exactly: double(number).rounded()).map { Value($0, as: kind) }
    }
    return Conversion.plain(text) { value, kind in
      scale(value, kind, product, double)
    } back: { value, kind in
      scale(value, kind, whole, divided)
    } fault: { from, to in
      if !isSound { return "its factor is none" }
      let isNumber = [from, to].allSatisfy { $0.isWhole || $0 == .double }
      return isNumber ? nil : "they are not numbers or dates"
    }
  }
}

extension ValueKind {
  /// Whether its values are whole numbers.
  fileprivate var isWhole: Bool { self == .int || self == .date }
}

extension Value {
  /// A whole number as an int or a date.
  fileprivate init(_ number: Int64, as kind: ValueKind) {
    self = kind == .date ? .date(milliseconds: number) : .int(number)
  }

  /// As texts that tell conversions apart have it.
  package var listed: String { "\(kind.rawValue).\(Conversion.digits(bytes))" }
}
