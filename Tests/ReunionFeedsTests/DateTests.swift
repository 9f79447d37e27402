import FoundationEssentials
import Testing

@testable import ReunionFeeds

@Suite struct DateTests {
  static func seconds(
    _ text: String, _ read: (UnsafeBufferPointer<UInt8>) -> Date? = DateText.date
  ) -> Double? {
    Array(text.utf8).withUnsafeBufferPointer { read($0)?.timeIntervalSince1970 }
  }

  @Test(arguments: [
    ("1970-01-01T00:00:00Z", 0), ("2026-11-21T17:58:20.040Z", 1_795_283_900.040),
    ("2000-02-29T23:59:59Z", 951_868_799), ("1969-12-31T23:59:59Z", -1),
    ("1985-04-12T23:20:50.52Z", 482_196_050.52), ("1996-12-19T16:39:57-08:00", 851_042_397),
    ("1990-12-31T23:59:60Z", 662_688_000), ("1990-12-31T15:59:60-08:00", 662_688_000),
    ("1937-01-01T12:00:27.87+00:20", -1_041_337_172.13), ("2026-03-01t01:00:00z", 1_772_326_800),
    ("2026-03-01 01:00:00+0000", 1_772_326_800), ("2026-03-01T01:00Z", 1_772_326_800),
    ("2026-03-01", 1_772_323_200), ("2026-03", 1_772_323_200), ("2026", 1_767_225_600),
    ("  2026-03-01T01:00:00Z\n", 1_772_326_800), ("2026-03-01T24:00:00Z", 1_772_409_600),
    ("2026-03-01T01:00:00.123456789123Z", 1_772_326_800.123456789),
    ("0001-01-01T00:00:00Z", -62_135_596_800),
  ]) func `reads times of RFC 3339`(text: String, expected: Double) {
    #expect(Self.seconds(text, DateText.internetDate).map { abs($0 - expected) < 1e-6 } == true)
  }

  @Test(arguments: [
    ("Sat, 07 Sep 2002 00:00:01 GMT", 1_031_356_801),
    ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777),
    ("6 Nov 94 08:49:37 UT", 784_111_777), ("06 Nov 1994 08:49 Z", 784_111_740),
    ("Fri, 21 Nov 1997 09:55:06 -0600", 880_127_706),
    ("Fri, 21 Nov 1997 09:55:06 CST", 880_127_706),
    ("Tue, 1 Jul 2003 10:52:37 +0200", 1_057_049_557),
    ("Tue, 1 Jul 103 10:52:37 +02:00", 1_057_049_557),
    ("Thu, 13 Feb 1969 23:32 -0330 (Newfoundland Time)", -27_723_480),
    ("Wed, 02 October 2002 13:00:00 EDT", 1_033_578_000),
    ("02-Oct-2002 17:00:00 GMT", 1_033_578_000),
    ("1 Jan 49", 2_493_072_000),
    ("1 Jan 50 00:00 GMT", -631_152_000),
    ("Mon,  2  Mar  2026  00:00:00  PST", 1_772_438_400),
  ]) func `reads times of RFC 822 and its successors`(text: String, expected: Double) {
    #expect(Self.seconds(text, DateText.mailDate) == expected)
  }

  @Test(arguments: [
    "09:30:00 CEST", "09:30:00 MEST", "08:30:00 CET", "08:30:00 MEZ", "09:30:00 MESZ",
    "10:30:00 EEST", "07:30:00 WET", "16:30:00 JST", "10:30:00 MSK", "17:30:00 AEST",
    "17:00:00 ACST", "19:30:00 NZST", "03:30:00 EDT", "02:30:00 EST", "02:30:00 CDT",
    "01:30:00 CST", "01:30:00 MDT", "00:30:00 MST", "00:30:00 PDT", "05:00:00 NDT",
    "09:30:00 GMT+0200", "09:30:00 GMT +0200", "09:30:00 UTC+2", "09:30 UTC+02:00",
    "09:30:00 +02:00", "02:00:00 UTC-5:30", "07:30:00 Z", "07:30:00 utc", "07:30:00",
    "09:30:00 +0200 (CEST)",
  ]) func `reads the names of zones that mean one thing`(time: String) {
    #expect(Self.seconds("Tue, 14 Jul 2026 \(time)") == 1_784_014_200)
    if !time.hasSuffix(")") { #expect(Self.seconds("2026-07-14T\(time)") == 1_784_014_200) }
  }

  /// Negative control: until 0.2 these were taken for UTC, hours off.
  @Test(arguments: [
    "BST", "IST", "AST", "GST", "SST", "XYZ", "A", "J", "Y", "Etc/GMT+2", "Europe/Berlin",
    "EST5EDT",
    "JST+0900", "CEST+2", "GMT+", "GMT+25", "UTC+1:75", "GMT+02000", "+2", "+020", "+99",
  ]) func `takes a zone that is unknown or several for none, and gives no time`(zone: String) {
    #expect(Self.seconds("Tue, 14 Jul 2026 09:30:00 \(zone)") == nil)
    #expect(Self.seconds("2026-07-14T09:30:00 \(zone)") == nil)
  }

  @Test(arguments: [
    "", " ", "yesterday", "31 Feb 2026 10:00 GMT", "29 Feb 2026 10:00 GMT", "31 Apr 2026 10:00 GMT",
    "0 Jan 2026 10:00 GMT", "2026-02-31T10:00:00Z", "2026-04-31", "2026-01-01T25:00:00Z",
    "2026-00-10", "4 Marraskuu 2026 10:00 GMT", "4 Ma 2026 10:00 GMT", "2026-13-01T00:00:00Z",
    "2026-02-29T00:00:00Z", "2026-02-28T24:00:01Z",
    "2026-02-28T23:60:00Z", "2026-02-28T23:00:61Z", "2026-02-28T23:00:00+24:00",
    "2026-02-28T23:00:00.Z",
    "2026-2-28", "26-02-28", "2026-02-28T", "2026-02-28T23", "2026-02-28Tx", "+2026-02-28",
    "32 Jan 2026 00:00 GMT", "1 Foo 2026 00:00 GMT", "Mon, ", "1 Jan 12345",
    "1 Jan 2026 00:00 GMT x",
    "1 Jan 2026 25:00 GMT", "Mon, 1 Jan", "99999999999999999999", "2026-01-01T00:00:00Z\u{0}",
  ]) func `takes nothing for a time that is none`(text: String) {
    #expect(Self.seconds(text) == nil)
  }

  /// Every day of 800 years, counted by hand.
  @Test func `knows the days of the calendar`() {
    var day = -135_140  // 1 January 1600
    for year in 1600..<2400 {
      let isLeap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0
      for (index, length) in [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        .enumerated()
      {
        for date in 1...length {
          let time = CivilTime(year: year, month: index + 1, day: date)
          guard time.date?.timeIntervalSince1970 == Double(day * 86_400) else {
            Issue.record("\(year)-\(index + 1)-\(date)")
            return
          }
          day += 1
        }
        #expect(CivilTime(year: year, month: index + 1, day: length + 1).date == nil)
      }
    }
    #expect(day == 157_054)
  }

  @Test(arguments: [
    ("1", 1), ("-0.5", -0.5), ("+54.9351", 54.9351), (" -159.7934\n", -159.7934), ("1e3", 1000),
    ("123456789.123456789123", 123456789.123456789123), (".5", 0.5), ("5.", 5), ("-32400", -32400),
    ("0.1", 0.1), ("179.999999999999", 179.999999999999), ("-0", 0),
  ]) func `reads numbers as the nearest that there is`(text: String, expected: Double) {
    #expect(Array(text.utf8).withUnsafeBufferPointer(\.number) == expected)
  }

  @Test(arguments: [
    "", "-", ".", "nan", "inf", "0x10", "1e999", "1,5", "12a", "١",
    String(repeating: "1", count: 65),
  ])
  func `takes nothing for a number that is none`(text: String) {
    #expect(Array(text.utf8).withUnsafeBufferPointer(\.number) == nil)
  }
}
