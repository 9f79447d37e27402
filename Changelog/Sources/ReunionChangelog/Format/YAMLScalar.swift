/// A value of YAML without quotes, as Java writes it: `01` is 1, `1.10` is 1.1, `yes` is true.
///
/// YAML 1.1 reads numbers and words of truth there, and Liquibase keeps what comes of them as ids and names.
struct YAMLScalar {
  /// Nil for `null`, and where nothing stands.
  private(set) var text: String?
  /// Whether it is a date, whose text is that of Java in UTC.
  private(set) var isMoment = false

  init(_ written: String) {
    switch written {
    case "", "~", "null", "Null", "NULL": text = nil
    case "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON": text = "true"
    case "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF": text = "false"
    case _ where !Self.mayBeNumber(written): text = written
    default:
      if let number = Self.whole(written) ?? Self.real(written) {
        text = number
      } else if let moment = YAMLMoment(written) {
        text = moment.description
        isMoment = true
      } else {
        text = written
      }
    }
  }

  private static func mayBeNumber(_ written: String) -> Bool {
    guard let first = written.utf8.first else { return false }
    return (0x30...0x39).contains(first) || [0x2b, 0x2d, 0x2e].contains(first)
  }

  // MARK: Whole numbers

  private static func whole(_ written: String) -> String? {
    guard
      written.wholeMatch(
        of: /[-+]?(?:0b[01_]+|0[0-7_]+|0|[1-9][0-9_]*(?::[0-5]?[0-9])*|0x[0-9a-fA-F_]+)/) != nil
    else { return nil }
    let digits = written.filter { $0 != "_" && $0 != "+" && $0 != "-" }
    let number: String
    if digits.hasPrefix("0b") {
      number = decimal(digits.dropFirst(2), 2)
    } else if digits.hasPrefix("0x") {
      number = decimal(digits.dropFirst(2), 16)
    } else if digits.contains(":") {
      // 1:30 is ninety.
      let parts = digits.split(separator: ":").compactMap { Int($0) }
      number = String(parts.reduce(0) { ($0 &* 60) &+ $1 })
    } else {
      number = digits.hasPrefix("0") ? decimal(digits.dropFirst(), 8) : digits
    }
    return written.hasPrefix("-") && number != "0" ? "-" + number : number
  }

  /// Digits of a base as those of ten, however many there are.
  private static func decimal(_ digits: Substring, _ base: Int) -> String {
    var number = [0]
    for digit in digits {
      var carry = digit.hexDigitValue ?? 0
      for index in number.indices {
        let sum = number[index] * base + carry
        number[index] = sum % 10
        carry = sum / 10
      }
      while carry > 0 {
        number.append(carry % 10)
        carry /= 10
      }
    }
    return number.reversed().map(String.init).joined()
  }

  // MARK: Real numbers

  private static func real(_ written: String) -> String? {
    if written.wholeMatch(of: /[-+]?\.(?:inf|Inf|INF)/) != nil {
      return written.hasPrefix("-") ? "-Infinity" : "Infinity"
    }
    if [".nan", ".NaN", ".NAN"].contains(written) { return "NaN" }
    let plain = written.filter { $0 != "_" }
    let isReal =
      written.wholeMatch(
        of: /[-+]?[0-9][0-9_]*(?:\.[0-9_]*)?(?:[eE][-+]?[0-9]+)?|\.[0-9][0-9_]*(?:[eE][-+]?[0-9]+)?/
      )
      != nil
    if isReal {
      // Of those that are no whole number, 08 has neither a point nor an exponent.
      let whole = plain.hasSuffix(".") ? plain + "0" : plain.replacing(".e", with: ".0e")
      return Double(whole.hasPrefix(".") ? "0" + whole : whole).map(java)
    }
    guard written.wholeMatch(of: /[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*/) != nil else {
      return nil
    }
    let parts = plain.drop { $0 == "-" || $0 == "+" }.split(separator: ":")
    let value = parts.reduce(0.0) { $0 * 60 + (Double($1.hasSuffix(".") ? $1 + "0" : $1) ?? 0) }
    return java(plain.hasPrefix("-") ? -value : value)
  }

  /// A number as Java writes it: 0.5, 1234567.0 or 1.2E46.
  static func java(_ value: Double) -> String {
    guard value.isFinite else { return value < 0 ? "-Infinity" : "Infinity" }
    let sign = value.sign == .minus ? "-" : ""
    guard value != 0 else { return sign + "0.0" }
    let parts = value.magnitude.description.split(separator: "e")
    let mantissa = parts[0].split(separator: ".", omittingEmptySubsequences: false)
    let front = mantissa[0]
    var digits = front + (mantissa.count > 1 ? mantissa[1] : "")
    var point = front.count + (parts.count > 1 ? Int(parts[1]) ?? 0 : 0)
    while digits.first == "0", digits.count > 1 {
      digits.removeFirst()
      point -= 1
    }
    while digits.last == "0", digits.count > 1 { digits.removeLast() }
    guard value.magnitude >= 1e-3, value.magnitude < 1e7 else {
      let rest = digits.dropFirst()
      return "\(sign)\(digits.prefix(1)).\(rest.isEmpty ? "0" : rest)E\(point - 1)"
    }
    if point <= 0 { return sign + "0." + String(repeating: "0", count: -point) + digits }
    if digits.count <= point {
      return sign + digits + String(repeating: "0", count: point - digits.count) + ".0"
    }
    return sign + digits.prefix(point) + "." + digits.dropFirst(point)
  }
}

/// A date of YAML, as Java writes it in UTC: `Wed Jan 01 00:00:00 UTC 2020`.
struct YAMLMoment: CustomStringConvertible {
  let description: String

  init?(_ written: String) {
    let form =
      /(\d{4})-(\d\d?)-(\d\d?)(?:(?:[Tt]|[ \t]+)(\d\d?):(\d\d):(\d\d)(?:\.\d*)?[ \t]*(?:Z|([-+])(\d\d?)(?::(\d\d))?)?)?/
    guard let match = written.wholeMatch(of: form) else { return nil }
    // Without a time, months and days have two digits.
    guard match.4 != nil || written.utf8.count == 10 else { return nil }
    guard let year = Int(match.1), let month = Int(match.2), let day = Int(match.3),
      (1...12).contains(month), (1...31).contains(day)
    else { return nil }
    func number(_ text: Substring??) -> Int { text?.flatMap { Int($0) } ?? 0 }
    let zone = (number(match.8) * 60 + number(match.9)) * (match.7 == "-" ? -60 : 60)
    let second = (number(match.4) * 60 + number(match.5)) * 60 + number(match.6) - zone
    let all = Self.day(year, month, day) * 86_400 + second
    description = Self.text(all)
  }

  /// Days since the first of 1970.
  private static func day(_ year: Int, _ month: Int, _ day: Int) -> Int {
    let year = month <= 2 ? year - 1 : year
    let era = year / 400
    let yearOfEra = year - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  private static func text(_ seconds: Int) -> String {
    let days = seconds >= 0 ? seconds / 86_400 : (seconds - 86_399) / 86_400
    let time = seconds - days * 86_400
    var year = 1970 + days / 366
    while day(year + 1, 1, 1) <= days { year += 1 }
    while day(year, 1, 1) > days { year -= 1 }
    var month = 1
    while month < 12, day(year, month + 1, 1) <= days { month += 1 }
    let dayOfMonth = days - day(year, month, 1) + 1
    let name = Array("ThuFriSatSunMonTueWed")[((days % 7 + 7) % 7 * 3)...].prefix(3)
    let monthName = Array("JanFebMarAprMayJunJulAugSepOctNovDec")[((month - 1) * 3)...].prefix(3)
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return String(name) + " " + String(monthName) + " \(two(dayOfMonth)) "
      + "\(two(time / 3600)):\(two(time / 60 % 60)):\(two(time % 60)) UTC \(year)"
  }
}
