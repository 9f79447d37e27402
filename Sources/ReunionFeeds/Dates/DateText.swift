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
  /// A time without a zone is taken for UTC. A zone may also have a name, as in mail. A leap second is
  /// the second after it.
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
          guard reader.clock(&time), reader.zone(&time) else { return nil }
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
    guard reader.zone(&time) else { return nil }
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

  /// `Z`, an offset, a name, or both as in `GMT+0200`. A name that nobody knows, or that several zones
  /// have, is no zone: no time is better than one that is hours off.
  private mutating func zone(_ time: inout CivilTime) -> Bool {
    skipSpaces()
    if rest.isEmpty || (rest.count == 1 && (skip("Z") || skip("z"))) { return true }
    guard let name = letters() else { return offset(&time) }
    guard let minutes = ZoneNames.offsetMinutes[name] else { return false }
    time.offsetMinutes = minutes
    skipSpaces()
    let isSigned = rest.first == UInt8(ascii: "+") || rest.first == UInt8(ascii: "-")
    return !isSigned || (ZoneNames.takeOffsets.contains(name) && offset(&time, isShort: true))
  }

  /// `+hh:mm` or `+hhmm`, and in short `+h`.
  private mutating func offset(_ time: inout CivilTime, isShort: Bool = false) -> Bool {
    let isWest = rest.first == UInt8(ascii: "-")
    guard skip("+") || skip("-"), let first = digit() else { return false }
    var hours = first
    if let second = digit() { hours = first * 10 + second } else if !isShort { return false }
    let hasColon = skip(":")
    var minutes = 0
    if hasColon || rest.first.map({ $0 &- 48 < 10 }) == true {
      guard let found = digits(2) else { return false }
      minutes = found
    }
    guard hours < 24, minutes < 60 else { return false }
    time.offsetMinutes = (hours * 60 + minutes) * (isWest ? -1 : 1)
    return true
  }

  /// English names, and what they begin with: `marraskuu` is not March.
  private static func month(_ name: String) -> Int? {
    let names = [
      "january", "february", "march", "april", "may", "june", "july", "august", "september",
      "october", "november", "december",
    ]
    guard name.utf8.count >= 3 else { return nil }
    return names.firstIndex { $0.hasPrefix(name) }.map { $0 + 1 }
  }

  // Characters

  private mutating func digit() -> Int? {
    guard let byte = rest.first, byte &- 48 < 10 else { return nil }
    rest.removeFirst()
    return Int(byte - 48)
  }

  /// Exactly `count` digits.
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
