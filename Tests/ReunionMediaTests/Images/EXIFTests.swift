import Testing

@testable import ReunionMedia

@Suite struct EXIFTests {
  /// A little-endian block with one directory.
  private func block(_ entries: [(tag: UInt16, count: UInt32, value: UInt32)], _ rest: [UInt8] = [])
    -> [UInt8]
  {
    var packer = Packer()
    packer.put(UInt32(0x002A_4949))
    packer.put(UInt32(8))
    packer.put(UInt16(entries.count))
    for entry in entries {
      packer.put(entry.tag)
      packer.put(UInt16(2))
      packer.put(entry.count)
      packer.put(entry.value)
    }
    packer.put(UInt32(0))
    return packer.bytes + rest
  }

  /// 27 November 2026.
  private let now: Int64 = 1_795_737_600

  private func time(_ block: EXIFBlock) -> CaptureTime? {
    EXIF(block.bytes)?.captureTime(now: now)
  }

  @Test(
    arguments: [
      ("1970:01:02 00:00:00", Int64(86_400)), ("2000:02:29 12:00:00", 951_825_600),
      ("2024:12:31 23:59:59", 1_735_689_599), ("1969:12:30 23:59:59", -86_401),
      ("1903:06:01 10:00:00", -2_101_298_400), ("2026:11:29 00:00:00", 1_795_910_400),
    ], [true, false])
  func `reads what the camera's clock showed, which is no instant`(
    date: (text: String, seconds: Int64), isLittleEndian: Bool
  ) {
    let time = time(EXIFBlock(date.text, isLittleEndian: isLittleEndian))
    #expect(time?.wallMilliseconds == date.seconds * 1000 && time?.clock == .original)
    #expect(time?.offsetSeconds == nil && time?.zone == nil && time?.instantMilliseconds == nil)
  }

  @Test(arguments: [
    "0000:00:00 00:00:00", "    :  :     :  :  ", "2024-05-06 07:08:09", "2024:13:01 00:00:00",
    "2024", "2026:02:31 10:00:00", "2025:02:29 10:00:00", "2026:04:31 10:00:00",
    "2026:07:14 24:00:00", "2026:07:14 18:60:00", "2026:07:14 18:30:60", "2026:00:14 18:30:00",
    "2026:07:00 18:30:00", "1904:01:01 00:00:00", "1970:01:01 00:00:00", "1969:12:31 19:00:00",
    "1970:01:01 01:00:00", "1980:01:01 00:03:12", "0001:01:01 00:00:00", "1825:12:31 00:00:00",
    "2026:11:30 00:00:00", "2099:01:01 00:00:00", "9999:12:31 23:59:59", "2026:07:14T18:30:00",
  ])
  func `takes a date that nobody can have meant for none`(text: String) {
    #expect(EXIF(EXIFBlock(text).bytes) != nil && time(EXIFBlock(text)) == nil)
    // The next best clock counts then, and only then.
    let day = "2026:07:14 18:30:00"
    #expect(time(EXIFBlock(text, [(0x9004, day)]))?.clock == .digitized)
    #expect(time(EXIFBlock(day, [(0x9004, text)]))?.clock == .original)
  }

  @Test func `a machine whose clock was never set judges no future`() {
    let exif = EXIF(EXIFBlock("2027:07:14 18:30:00").bytes)
    #expect(exif?.captureTime(now: now) == nil)
    #expect(exif?.captureTime(now: 0)?.wallMilliseconds == 1_815_589_800_000)
    #expect(EXIF(EXIFBlock("2199:07:14 18:30:00").bytes)?.captureTime(now: 0) == nil)
  }

  @Test(
    arguments: [
      ("+02:00", 7200), ("-04:00", -14_400), ("+05:45", 20_700), ("-03:30", -12_600),
      ("+14:00", 50_400),
      ("-12:00", -43_200), ("+00:00", 0), ("-00:00", 0), ("Z", 0), ("+02:00 ", 7200),
    ], [true, false])
  func `a time with its offset is an instant`(
    offset: (text: String, seconds: Int), isLittleEndian: Bool
  ) {
    let block = EXIFBlock(
      "2026:07:14 18:30:00", [(0x9011, offset.text)], isLittleEndian: isLittleEndian)
    #expect(time(block)?.offsetSeconds == offset.seconds && time(block)?.zone == .offset)
    #expect(
      time(block)?.instantMilliseconds == 1_784_053_800_000 - Int64(offset.seconds) * 1000)
    #expect(time(block)?.wallMilliseconds == 1_784_053_800_000)
  }

  @Test(arguments: [
    "", "   :  ", "+2:00", "02:00", "+0200", "+15:00", "-13:00", "+02:07", "+99:99", "+02:60",
    "CEST",
    "+02:00:00", "++2:00",
  ])
  func `an offset that no zone has is none`(text: String) {
    let block = EXIFBlock("2026:07:14 18:30:00", [(0x9011, text)])
    #expect(time(block)?.wallMilliseconds == 1_784_053_800_000)
    #expect(time(block)?.offsetSeconds == nil)
  }

  @Test func `an offset counts for the clock that it is of, or for one that shows the same`() {
    let day = "2026:07:14 18:30:00"
    #expect(time(EXIFBlock(day, [(0x9010, "+02:00")]))?.offsetSeconds == 7200)
    #expect(time(EXIFBlock(day, [(0x9012, "+02:00"), (0x9004, day)]))?.offsetSeconds == 7200)
    #expect(
      time(EXIFBlock(day, [(0x9010, "+02:00"), (0x9011, "+09:00")]))?.offsetSeconds == 32_400)
    // Somebody has worked on it at home: that is not where it was taken.
    var edited = EXIFBlock(day, [(0x9010, "-07:00")])
    edited.main = [(0x0132, .text("2026:08:01 09:00:00"))]
    #expect(time(edited)?.clock == .original && time(edited)?.offsetSeconds == nil)
    edited.main = [(0x0132, .text(day))]
    #expect(time(edited)?.offsetSeconds == -25_200)
  }

  @Test(arguments: [
    (18, 30, 4, "2026:07:14", 16, 30, 0, 7200), (18, 30, 0, "2026:07:14", 16, 31, 50, 7200),
    (1, 30, 0, "2026:07:13", 22, 0, 9, 12_600), (18, 30, 0, "2026:07:14", 12, 45, 0, 20_700),
    (22, 0, 0, "2026:07:15", 2, 0, 0, -14_400), (9, 0, 0, "2026:07:14", 9, 0, 0, 0),
  ])
  func `without an offset the satellites tell it`(
    _ hour: Int, _ minute: Int, _ second: Int, _ date: String, _ utcHour: UInt32,
    _ utcMinute: UInt32, _ utcSecond: UInt32, offset: Int
  ) {
    let clock = [hour, minute, second].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
    for isLittleEndian in [true, false] {
      var block = EXIFBlock("2026:07:14 \(clock)", isLittleEndian: isLittleEndian)
      block.add(satellites: date, utcHour, utcMinute, utcSecond)
      #expect(time(block)?.offsetSeconds == offset && time(block)?.zone == .satellites)
      // What the file says itself comes first.
      block.camera.append((0x9011, .text("+01:00")))
      #expect(time(block)?.offsetSeconds == 3600 && time(block)?.zone == .offset)
    }
  }

  @Test func `satellites that were heard long before, or without a date, tell no offset`() {
    for (date, hour, minute) in [
      ("2026:07:14", UInt32(16), UInt32(10)), ("2026:07:12", 16, 30), ("2026:07:14", 16, 15),
      ("2026:02:30", 16, 30), (nil, 16, 30), ("2026:07:14", 25, 30),
    ] {
      var block = EXIFBlock("2026:07:14 18:30:00")
      block.add(satellites: date, hour, minute, 0)
      #expect(time(block)?.offsetSeconds == nil && time(block)?.clock == .original)
    }
    var nothing = EXIFBlock("2026:07:14 18:30:00")
    nothing.place = [(7, .fractions([(16, 0), (30, 0), (0, 0)])), (0x1D, .text("2026:07:14"))]
    #expect(time(nothing)?.offsetSeconds == nil)
  }

  @Test func `the time of the satellites alone is UTC, and better than the file's own`() {
    var block = EXIFBlock(nil)
    block.add(satellites: "2026:07:14", 16, 30, 0)
    #expect(time(block)?.clock == .satellites && time(block)?.offsetSeconds == 0)
    #expect(time(block)?.instantMilliseconds == 1_784_046_600_000)
    block.main = [(0x0132, .text("2026:08:01 09:00:00"))]
    #expect(time(block)?.clock == .satellites)
    block.main = [(0x0132, .text("2026:07:14 18:30:00"))]
    #expect(time(block)?.clock == .file && time(block)?.offsetSeconds == 7200)
    block.place = []
    #expect(time(block)?.clock == .file && time(block)?.offsetSeconds == nil)
  }

  @Test(arguments: [("5", 500), ("04", 40), ("123", 123), ("123456", 123), ("", 0), ("x", 0)])
  func `the parts of a second are its decimals`(text: String, milliseconds: Int64) {
    let block = EXIFBlock("2026:07:14 18:30:00", [(0x9291, text)])
    #expect(time(block)?.wallMilliseconds == 1_784_053_800_000 + milliseconds)
  }

  @Test func `ends where directories name each other or nothing`() {
    let loop = block((0..<80).map { _ in (UInt16(0x8769), UInt32(1), UInt32(8)) })
    #expect(EXIF(loop)?.isOnlyTechnical == false)
    let far = block([(0x8825, 1, .max), (0x9003, .max, .max)])
    #expect(EXIF(far)?.hasLocation == false)
    #expect(EXIF([]) == nil && EXIF([0x49, 0x49, 0x2A, 0]) == nil)
  }

  @Test func `survives every truncation and 20,000 blocks of garbage`() {
    var block = EXIFBlock(
      "2026:07:14 18:30:00", [(0x9011, "+02:00"), (0x9291, "12")], isLittleEndian: false)
    block.add(satellites: "2026:07:14", 16, 30, 0)
    let good = block.bytes
    for count in 0...good.count {
      _ = EXIF(Array(good.prefix(count)))?.captureTime(now: now)
    }
    var random = Seeded(seed: 3)
    for _ in 0..<20_000 {
      var damaged = good
      for _ in 0..<3 {
        damaged[Int.random(in: damaged.indices, using: &random)] = .random(
          in: 0...255, using: &random)
      }
      _ = EXIF(damaged)?.captureTime(now: now)
      let noise = (0..<40).map { _ in UInt8.random(in: 0...40, using: &random) }
      _ = EXIF([0x4D, 0x4D, 0, 0x2A, 0, 0, 0, 8] + noise)?.captureTime(now: now)
    }
  }
}
