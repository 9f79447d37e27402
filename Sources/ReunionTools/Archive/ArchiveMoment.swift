import ReunionCore
import ReunionStore

/// Moments as an archive writes them: `2026-11-21T21:08:00.123Z`, exact to the millisecond.
///
/// Source: H. Hinnant, "chrono-Compatible Low-Level Date Algorithms", 2013: years begin in March.
enum ArchiveMoment {
  private static let dayMilliseconds: Int64 = 86_400_000
  /// From 1 March of the year 0 to 1970.
  private static let epochDays: Int64 = 719_468
  /// The years 1 to 9999.
  private static let range: Range<Int64> = -62_135_596_800_000..<253_402_300_800_000

  /// The text of milliseconds since 1970; nil outside of the years 1 to 9999.
  static func text(milliseconds: Int64) -> String? {
    guard range.contains(milliseconds) else { return nil }
    let shifted = milliseconds + epochDays * dayMilliseconds
    let (days, time) = (shifted / dayMilliseconds, shifted % dayMilliseconds)
    let era = days / 146_097
    let dayOfEra = days % 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let fromMarch = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * fromMarch + 2) / 5 + 1
    let month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))T"
      + "\(padded(time / 3_600_000, 2)):\(padded(time / 60_000 % 60, 2)):"
      + "\(padded(time / 1000 % 60, 2)).\(padded(time % 1000, 3))Z"
  }

  /// The milliseconds of a text that `text` makes; nil of any other.
  static func milliseconds(_ text: String) -> Int64? {
    let digits = Array(text.utf8)
    guard digits.count == 24 else { return nil }
    func number(_ range: Range<Int>) -> Int64 {
      digits[range].reduce(0) { $0 * 10 + Int64($1) - 48 }
    }
    let (month, day) = (number(5..<7), number(8..<10))
    guard (1...12).contains(month), (1...31).contains(day) else { return nil }
    let year = number(0..<4) - (month <= 2 ? 1 : 0)
    guard (0...9999).contains(year) else { return nil }
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let yearOfEra = year % 400
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    let days = year / 400 * 146_097 + dayOfEra - epochDays
    let seconds = number(11..<13) * 3600 + number(14..<16) * 60 + number(17..<19)
    let milliseconds = days * dayMilliseconds + seconds * 1000 + number(20..<23)
    // Whatever has another form, or is no day, does not come back as it was.
    return Self.text(milliseconds: milliseconds) == text ? milliseconds : nil
  }

  /// The text of a stamp: its moment, then its counter where it is not 0; else its number.
  static func text(_ stamp: Stamp) -> String {
    let counter = stamp.rawValue & 0xffff
    guard let moment = text(milliseconds: Int64(stamp.milliseconds)) else {
      return String(stamp.rawValue)
    }
    return counter == 0 ? moment : "\(moment)+\(counter)"
  }

  /// The stamp of a text that `text` makes; nil of any other.
  static func stamp(_ text: String) -> Stamp? {
    let parts = text.split(separator: "+", omittingEmptySubsequences: false)
    let stamp: Stamp?
    if let moment = milliseconds(String(parts[0])) {
      let counter = parts.count == 2 ? UInt64(parts[1]) : 0
      stamp =
        moment >= 0 ? counter.map { Stamp(rawValue: UInt64(moment) << 16 | $0 & 0xffff) } : nil
    } else {
      stamp = UInt64(text).map(Stamp.init(rawValue:))
    }
    return stamp.flatMap { Self.text($0) == text ? $0 : nil }
  }

  private static func padded(_ number: Int64, _ count: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, count - digits.count)) + digits
  }
}
