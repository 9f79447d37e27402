import FoundationEssentials

/// A time as a calendar and a clock show it, in the Gregorian calendar and with an offset from UTC.
struct CivilTime {
  var year: Int
  var month = 1
  var day = 1
  var hour = 0
  var minute = 0
  var second = 0
  var nanoseconds = 0
  /// East of Greenwich is positive.
  var offsetMinutes = 0

  /// The moment; nil if there is no such day or time.
  var date: Date? {
    guard (1...12).contains(month), (1...daysInMonth).contains(day), hour < 24 || isMidnight,
      minute < 60, second <= 60
    else { return nil }
    let seconds = days * 86_400 + hour * 3_600 + minute * 60 + second - offsetMinutes * 60
    let sinceReference = seconds - 978_307_200
    return Date(
      timeIntervalSinceReferenceDate: Double(sinceReference) + Double(nanoseconds) / 1e9)
  }

  /// 24:00 is the end of the day.
  private var isMidnight: Bool { hour == 24 && minute == 0 && second == 0 && nanoseconds == 0 }

  private var daysInMonth: Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// Days since 1 January 1970. The year is taken to begin in March, so that the day that comes and
  /// goes is its last.
  private var days: Int {
    let shifted = month <= 2 ? year - 1 : year
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }
}
