/// The codes that hold a text together, of those that were found in any number of pictures.
public struct BarcodeSequence: Sendable, Hashable {
  /// What came of putting the parts together.
  public enum Outcome: Sendable, Hashable {
    /// All are there: the text, and the bytes before any character set is applied.
    case whole(text: String, bytes: [UInt8])
    /// Some are missing, by their numbers. If the codes do not say how many there are, those after the
    /// last one that was found are not among them.
    case missing([Int])
    /// Two codes with other contents have one number: they are of two texts.
    case mixed(Int)
    /// The parity that the codes name is not that of what they hold: one was misread, or is of another
    /// text.
    case wrongParity
  }

  /// What kind of code they are.
  public let symbology: Symbology
  /// How many there are, if they say it.
  public let count: Int?
  /// What all of them say alike.
  public let sequence: String
  /// The parts that were found, each once, in their order.
  public let parts: [Barcode]
  /// What they are together.
  public let outcome: Outcome

  /// The sequences of which parts are among some codes, in the order in which their first part was
  /// found. Codes that are whole are in none.
  public static func all(in codes: [Barcode]) -> [BarcodeSequence] {
    var keys: [Key] = []
    var groups: [Key: [Barcode]] = [:]
    for code in codes {
      guard let part = code.part else { continue }
      let key = Key(symbology: code.symbology, count: part.count, sequence: part.sequence)
      if groups[key] == nil { keys.append(key) }
      groups[key, default: []].append(code)
    }
    return keys.map { BarcodeSequence($0, groups[$0] ?? []) }
  }

  private struct Key: Hashable {
    let symbology: Symbology
    let count: Int?
    let sequence: String
  }

  private init(_ key: Key, _ found: [Barcode]) {
    (symbology, count, sequence) = (key.symbology, key.count, key.sequence)
    var byNumber: [Int: Barcode] = [:]
    var mixed: Int?
    for code in found {
      guard let number = code.part?.number else { continue }
      if let other = byNumber[number], other.bytes != code.bytes { mixed = mixed ?? number }
      byNumber[number] = byNumber[number] ?? code
    }
    parts = byNumber.sorted { $0.key < $1.key }.map(\.value)
    if let mixed {
      outcome = .mixed(mixed)
      return
    }
    // A count that is not there: nobody knows what comes after the last one.
    let last = byNumber.keys.max() ?? 0
    let missing = (1...max(1, min(key.count ?? last, Self.countMax))).filter { byNumber[$0] == nil }
    guard missing.isEmpty, key.count != nil else {
      outcome = .missing(missing)
      return
    }
    outcome = Self.joined(parts, symbology, parity: key.sequence)
  }

  /// No symbology has more parts that say how many they are.
  private static let countMax = 99_999

  private static func joined(
    _ parts: [Barcode], _ symbology: Symbology, parity: String
  ) -> Outcome {
    let bytes = parts.flatMap(\.bytes)
    if symbology == .qr, let parity = UInt8(parity), bytes.reduce(0, ^) != parity {
      return .wrongParity
    }
    // A letter of UTF-8 may begin in one part and end in the next.
    let text = String(validating: bytes, as: UTF8.self) ?? parts.map(\.text).joined()
    return .whole(text: text, bytes: bytes)
  }
}
