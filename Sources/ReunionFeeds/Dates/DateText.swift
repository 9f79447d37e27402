import FoundationEssentials

/// Reads dates and times from text, byte by byte.
struct DateText {
  private var rest: Slice<UnsafeBufferPointer<UInt8>>

  private init(_ text: UnsafeBufferPointer<UInt8>) { rest = text.trimmed[...] }

  /// The time that a feed means: RFC 3339, or RFC 822 as its successors have it.
  static func date(_ text: UnsafeBufferPointer<UInt8>) -> Date? {
    internetDate(text) ?? mailDate(text)
  }

  /// RFC 3339, and the shorter forms of W3C's note: year, month, day, or minutes without seconds.
  ///
  /// A time without a zone is taken for UTC. A leap second is the second after it.
  static func internetDate(_ text: UnsafeBufferPointer<UInt8>) -> Date? {
    var reader = DateText(text)
    guard let year = reader.digits(4) else { return nil }
    var time = CivilTime(year: year)
    if reader.skip("-") {
      guard let month = reader.digits(2) else { return nil }
      time.month = month
      if reader.skip("-") {
        guard let day = reader.digits(2) else { return nil }
        time.day = day
        if reader.skip("T") || reader.skip("t") || reader.skip(" ") {
          guard reader.clock(&time), reader.internetZone(&time) else { return nil }
        }
      }
    }
    return reader.rest.isEmpty ? time.date : nil
  }

  /// RFC 822, 2822 and 5322: `Sat, 07 Sep 2002 00:00:01 GMT`, also without the day of the week or
  /// the seconds, and with a year of two digits.
  static func mailDate(_ text: UnsafeBufferPointer<UInt8>) -> Date? {
    var reader = DateText(text)
    if reader.letters() != nil {
      _ = reader.skip(".")
      guard reader.skip(",") || reader.rest.first == UInt8(ascii: " ") else { return nil }
    }
    reader.skipSpaces()
    guard let day = reader.number(digitsMax: 2), reader.skipGap(), let name = reader.letters(),
      let month = Self.month(name), reader.skipGap()
    else { return nil }
    let before = reader.rest.count
    guard var year = reader.number(digitsMax: 4) else { return nil }
    switch before - reader.rest.count {
    case 2: year += year < 50 ? 2000 : 1900
    case 3: year += 1900
    case 4: break
    default: return nil
    }
    var time = CivilTime(year: year, month: month, day: day)
    reader.skipSpaces()
    if reader.rest.isEmpty { return time.date }
    guard reader.clock(&time) else { return nil }
    reader.skipSpaces()
    guard reader.mailZone(&time) else { return nil }
    reader.skipSpaces()
    // A comment, such as (UTC), says nothing more.
    return reader.rest.isEmpty || reader.rest.first == UInt8(ascii: "(") ? time.date : nil
  }

  // Parts

  /// Hours and minutes, and maybe seconds and a fraction.
  private mutating func clock(_ time: inout CivilTime) -> Bool {
    guard let hour = number(digitsMax: 2), skip(":"), let minute = digits(2) else { return false }
    (time.hour, time.minute) = (hour, minute)
    guard skip(":") else { return true }
    guard let second = digits(2) else { return false }
    time.second = second
    guard skip(".") || skip(",") else { return true }
    var count = 0
    var nanoseconds = 0
    while let digit = digit() {
      // What is finer than a nanosecond is cut off.
      if count < 9 { nanoseconds = nanoseconds * 10 + digit }
      count += 1
    }
    for _ in min(count, 9)..<9 { nanoseconds *= 10 }
    time.nanoseconds = nanoseconds
    return count > 0
  }

  private mutating func internetZone(_ time: inout CivilTime) -> Bool {
    if rest.isEmpty || skip("Z") || skip("z") { return true }
    return offset(&time)
  }

  private mutating func mailZone(_ time: inout CivilTime) -> Bool {
    if rest.isEmpty { return true }
    if let name = letters() {
      // A letter of the army, or a name that nobody knows, says nothing (RFC 2822, 4.3).
      time.offsetMinutes = Self.zones[name] ?? 0
      return true
    }
    return offset(&time)
  }

  /// `+hh:mm` or `+hhmm`.
  private mutating func offset(_ time: inout CivilTime) -> Bool {
    let isWest = rest.first == UInt8(ascii: "-")
    guard skip("+") || skip("-"), let hours = digits(2) else { return false }
    let hasColon = skip(":")
    var minutes = 0
    if hasColon || !rest.isEmpty {
      guard let found = digits(2) else { return false }
      minutes = found
    }
    guard hours < 24, minutes < 60 else { return false }
    time.offsetMinutes = (hours * 60 + minutes) * (isWest ? -1 : 1)
    return true
  }

  private static let zones = [
    "est": -300, "edt": -240, "cst": -360, "cdt": -300, "mst": -420, "mdt": -360, "pst": -480,
    "pdt": -420,
  ]

  private static func month(_ name: String) -> Int? {
    let names = [
      "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]
    return names.firstIndex { name.hasPrefix($0) }.map { $0 + 1 }
  }

  // Characters

  private mutating func digit() -> Int? {
    guard let byte = rest.first, byte &- 48 < 10 else { return nil }
    rest.removeFirst()
    return Int(byte - 48)
  }

  /// Exactly so many digits.
  private mutating func digits(_ count: Int) -> Int? {
    var number = 0
    for _ in 0..<count {
      guard let digit = digit() else { return nil }
      number = number * 10 + digit
    }
    return number
  }

  /// As many digits as there are, if not too many.
  private mutating func number(digitsMax: Int) -> Int? {
    guard var number = digit() else { return nil }
    var count = 1
    while let digit = digit() {
      count += 1
      guard count <= digitsMax else { return nil }
      number = number * 10 + digit
    }
    return number
  }

  /// A word in lower case; nil for none.
  private mutating func letters() -> String? {
    let count = rest.prefix { ($0 | 32) &- 97 < 26 }.count
    guard count > 0 else { return nil }
    let word = String(decoding: rest.prefix(count).map { $0 | 32 }, as: UTF8.self)
    rest = rest.dropFirst(count)
    return word
  }

  private mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard rest.first == UInt8(ascii: character) else { return false }
    rest.removeFirst()
    return true
  }

  /// Spaces, or the hyphen that some put between day, month and year.
  private mutating func skipGap() -> Bool {
    if skip("-") { return true }
    let count = rest.count
    skipSpaces()
    return rest.count < count
  }

  private mutating func skipSpaces() { rest = rest.drop { $0.isSpace } }
}
