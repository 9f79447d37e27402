extension Symbology {
  /// What a barcode of a text carries: the text with the added check digit or character.
  ///
  /// - Throws: what `BarcodeMatrix(encoding:as:)` throws if it cannot carry the text.
  public func carried(_ text: String) throws(BarcodeError) -> String {
    try BarcodeText(symbology: self, text: text).checked()
  }
}

/// What a symbology can carry, and what its encoder is given for a text.
struct BarcodeText {
  let symbology: Symbology
  let text: String

  /// The text with its check digit or character where the symbology has one in the text.
  func checked() throws(BarcodeError) -> String {
    guard !text.isEmpty else {
      throw BarcodeError(
        code: .badLength, message: "A barcode cannot be empty. Give it a text.")
    }
    switch symbology {
    case .qr: return try upTo(2953)
    case .aztec: return try upTo(1914)
    case .pdf417: return try upTo(1108)
    case .dataMatrix:
      return try only(
        { $0.value <= 0xFF }, "letters of Latin-1",
        remedy: "Use qr, aztec or pdf417, which hold every letter"
      ).upTo(1555, unit: "letters")
    case .code128:
      return try only(
        { $0.isASCII }, "ASCII", remedy: "Use qr, aztec or pdf417, which hold every letter"
      ).upTo(80)
    case .code39: return try code39().upTo(60)
    case .code39Mod43:
      let text = try code39().upTo(59)
      guard let check = Code39Check.character(of: text) else { return text }
      return text + String(check)
    case .code93:
      return try only(
        { $0.isASCII }, "ASCII", remedy: "Use qr, aztec or pdf417, which hold every letter"
      ).upTo(80)
    case .ean13: return try gtin(digits: 13)
    case .ean8: return try gtin(digits: 8)
    case .upcA: return try gtin(digits: 12)
    case .upcE: return try upcE()
    case .itf: return try itf()
    case .codabar: return try codabar()
    }
  }

  // MARK: Lengths and letters

  private func upTo(_ most: Int, unit: String = "bytes") throws(BarcodeError) -> String {
    let count = unit == "bytes" ? text.utf8.count : text.unicodeScalars.count
    guard count <= most else {
      throw BarcodeError(
        code: .badLength,
        message: "\(symbology) holds at most \(most) \(unit), this text has \(count). Shorten it"
          + (symbology.isLinear ? ", or use qr." : "."))
    }
    return text
  }

  private func only(
    _ isGood: (Unicode.Scalar) -> Bool, _ what: String, remedy: String
  ) throws(BarcodeError) -> BarcodeText {
    guard let bad = text.unicodeScalars.first(where: { !isGood($0) }) else { return self }
    let shown =
      bad.properties.generalCategory == .control
      ? "the character U+\(String(bad.value, radix: 16, uppercase: true))" : "“\(bad)”"
    throw BarcodeError(
      code: .badCharacter, message: "\(symbology) holds \(what), not \(shown). \(remedy).")
  }

  private func code39() throws(BarcodeError) -> BarcodeText {
    try only(
      { Code39Check.holds($0) }, "digits, capitals, space and - . $ / + %",
      remedy: "Write it so, or use code128")
  }

  private func digitsOnly() throws(BarcodeError) -> BarcodeText {
    try only(
      { ("0"..."9").contains($0) }, "digits alone", remedy: "Leave out the rest, or use code128")
  }

  // MARK: Retail codes

  /// The check digit (GS1 General Specifications, 7.9): weights 3 and 1 from the right.
  static func checkDigit(of digits: some StringProtocol) -> Character {
    var sum = 0
    for (place, digit) in digits.utf8.reversed().enumerated() {
      sum += Int(digit &- 48) * (place % 2 == 0 ? 3 : 1)
    }
    return Character(Unicode.Scalar(UInt8(48 + (10 - sum % 10) % 10)))
  }

  private func gtin(digits count: Int) throws(BarcodeError) -> String {
    let digits = try digitsOnly().text
    return try withCheckDigit(digits, count) { Self.checkDigit(of: $0) }
  }

  private func withCheckDigit(
    _ digits: String, _ count: Int, _ check: (Substring) -> Character
  ) throws(BarcodeError) -> String {
    guard digits.count == count || digits.count == count - 1 else {
      throw BarcodeError(
        code: .badLength,
        message: "\(symbology) has \(count) digits, or \(count - 1) and the check digit is added;"
          + " this text has \(digits.count).")
    }
    let right = check(digits.prefix(count - 1))
    guard digits.count == count else { return digits + String(right) }
    guard digits.last == right else {
      throw BarcodeError(
        code: .badCheckDigit,
        message:
          "The check digit of \(digits) would be \(right). Look for a typing error, or leave out"
          + " the last digit.")
    }
    return digits
  }

  private func upcE() throws(BarcodeError) -> String {
    let digits = try digitsOnly().text
    guard digits.first == "0" || digits.first == "1" else {
      throw BarcodeError(
        code: .badCharacter, message: "UPC-E begins with 0 or 1. Use upca for other numbers.")
    }
    return try withCheckDigit(digits, 8) { Self.checkDigit(of: Self.expanded($0)) }
  }

  /// The 11 digits of UPC-A that 7 of UPC-E stand for.
  static func expanded(_ digits: Substring) -> String {
    let d = Array(digits)
    guard d.count == 7 else { return "" }
    let (system, last) = (String(d[0]), d[6])
    switch last {
    case "0", "1", "2": return system + String(d[1...2]) + String(last) + "0000" + String(d[3...5])
    case "3": return system + String(d[1...3]) + "00000" + String(d[4...5])
    case "4": return system + String(d[1...4]) + "00000" + String(d[5])
    default: return system + String(d[1...5]) + "0000" + String(last)
    }
  }

  // MARK: Other digits

  private func itf() throws(BarcodeError) -> String {
    let digits = try digitsOnly().upTo(80)
    guard digits.count % 2 == 0 else {
      throw BarcodeError(
        code: .badLength,
        message:
          "ITF has an even number of digits, this text has \(digits.count). Put a 0 in front.")
    }
    guard digits.count >= 6 else {
      throw BarcodeError(
        code: .badLength,
        message: "Readers take ITF of fewer than 6 digits for part of another code."
          + " Put zeros in front."
      )
    }
    return digits
  }

  /// Start and stop letters, A to D, are part of the text; both are A if it has none.
  private func codabar() throws(BarcodeError) -> String {
    let isStarted = ("A"..."D").contains(text.first ?? " ")
    let isStopped = text.count > 1 && ("A"..."D").contains(text.last ?? " ")
    guard isStarted == isStopped else {
      throw BarcodeError(
        code: .badCharacter,
        message: "Codabar begins and ends with a letter A to D. Give both of them, or none.")
    }
    let middle = isStarted ? String(text.dropFirst().dropLast()) : text
    let body = try BarcodeText(symbology: symbology, text: middle).only(
      { "0123456789-$:/.+".unicodeScalars.contains($0) }, "digits and - $ : / . +",
      remedy: "Leave out the rest, or use code128"
    ).upTo(78)
    guard body.count >= 3 else {
      throw BarcodeError(
        code: .badLength,
        message: "Readers take Codabar of fewer than 3 characters for noise. Put zeros in front.")
    }
    return isStarted ? text : "A\(body)A"
  }
}
