#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Dates and offsets as EXIF writes them, and which of them somebody can have meant.
enum CameraDate {
  /// Reads `YYYY:MM:DD HH:MM:SS`: seconds since 1970, as if the clock showed UTC; nil for what is
  /// no date of the calendar.
  static func seconds(_ text: ArraySlice<UInt8>) -> Int64? {
    guard let parts = numbers(text, as: "dddd:dd:dd dd:dd:dd") else { return nil }
    guard let days = days(parts[0], parts[1], parts[2]), parts[3] < 24, parts[4] < 60, parts[5] < 60
    else { return nil }
    return Int64(days * 86_400 + parts[3] * 3600 + parts[4] * 60 + parts[5])
  }

  /// Reads the satellites' date `YYYY:MM:DD`: seconds since 1970 at its midnight.
  static func midnight(_ text: ArraySlice<UInt8>) -> Int64? {
    guard let parts = numbers(text, as: "dddd:dd:dd"),
      let days = days(parts[0], parts[1], parts[2])
    else { return nil }
    return Int64(days * 86_400)
  }

  /// Reads `+HH:MM`, `-HH:MM` or `Z`: seconds ahead of UTC. All zones in use are whole quarters of
  /// an hour, from -12:00 to +14:00; anything else is none.
  static func offset(_ text: ArraySlice<UInt8>) -> Int? {
    var text = text
    while text.last == UInt8(ascii: " ") { text.removeLast() }
    guard let sign = text.first else { return nil }
    if sign == UInt8(ascii: "Z"), text.count == 1 { return 0 }
    guard sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"), text.count == 6,
      let parts = numbers(text.dropFirst(), as: "dd:dd"), parts[1] < 60
    else { return nil }
    let seconds = (parts[0] * 60 + parts[1]) * (sign == UInt8(ascii: "-") ? -60 : 60)
    return seconds % 900 == 0 && zones.contains(seconds) ? seconds : nil
  }

  /// How far a clock was ahead of UTC that showed `wall` when the satellites said `utc`; nil where
  /// the difference is no zone's: then the clock was wrong, or the satellites had been heard long
  /// before.
  static func offset(ofClock wall: Int64, at utc: Int64) -> Int? {
    let difference = wall - utc
    guard zones.contains(Int(clamping: difference)) else { return nil }
    let nearest = Int((Double(difference) / 900).rounded()) * 900
    let isInUse = nearest % 3600 == 0 || oddZones.contains(nearest / 900)
    return isInUse && abs(difference - Int64(nearest)) <= driftMax ? nearest : nil
  }

  /// Whether somebody can have taken a picture then, by that clock.
  ///
  /// Not before 1826, when the first photograph was taken. Not within a day of where clocks begin
  /// that were never set: 1904, 1970 and 1980. And not more than two days from `now` on, since no
  /// zone is that far ahead; a machine whose own clock is not set judges nobody's future.
  static func isBelievable(_ seconds: Int64, now: Int64) -> Bool {
    guard seconds >= firstPhotograph, seconds < lastYearEnd else { return false }
    guard !clockStarts.contains(where: { abs(seconds - $0) < 86_400 }) else { return false }
    return now < newestStart || seconds - 2 * 86_400 <= now
  }

  /// Whether a worker gone wrong can say so: nothing overflows that is made of it.
  static func isInCalendar(milliseconds: Int64) -> Bool {
    (firstPhotograph * 1000..<lastYearEnd * 1000).contains(milliseconds)
  }

  /// Seconds since 1970 by the clock of this machine.
  static var now: Int64 { Int64(time(nil)) }

  /// Seconds that a zone may be ahead of UTC.
  static let zones = -12 * 3600...14 * 3600
  /// Zones of half and quarter hours in use, in quarters: Newfoundland and the Marquesas, Iran, Kabul, India,
  /// Nepal, Myanmar, Eucla, Adelaide, Lord Howe, and the Chathams; with their summers.
  private static let oddZones: Set<Int> = [
    -38, -14, -10, 14, 18, 22, 23, 26, 35, 38, 42, 51, 55,
  ]
  /// How far a phone's clock and the satellites' are apart at most, in seconds.
  private static let driftMax: Int64 = 300
  private static let clockStarts: [Int64] = [-2_082_844_800, 0, 315_532_800]
  private static let firstPhotograph: Int64 = -4_544_208_000
  /// A clock below this was not set: this was written after 1 January 2026.
  private static let newestStart: Int64 = 1_767_225_600
  private static let lastYearEnd: Int64 = 4_102_444_800

  /// The numbers of a text that begins with this pattern, in which `d` is a digit.
  private static func numbers(_ text: ArraySlice<UInt8>, as pattern: StaticString) -> [Int]? {
    let pattern = pattern.withUTF8Buffer { Array($0) }
    guard text.count >= pattern.count else { return nil }
    var parts = [0]
    for (byte, mark) in zip(text, pattern) {
      if mark != UInt8(ascii: "d") {
        guard byte == mark else { return nil }
        parts.append(0)
      } else {
        guard (0x30...0x39).contains(byte) else { return nil }
        parts[parts.count - 1] = parts[parts.count - 1] * 10 + Int(byte) - 0x30
      }
    }
    return parts
  }

  /// Days from 1970 to one of the Gregorian calendar; nil for one that is not in it.
  ///
  /// Source: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms".
  private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int? {
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    guard year > 0, (1...12).contains(month), (1...lengths[month - 1]).contains(day) else {
      return nil
    }
    let shifted = month <= 2 ? year - 1 : year
    let era = shifted / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }
}
