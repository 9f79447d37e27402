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

  @Test(arguments: [
    ("1970:01:01 00:00:00", Int64(0)), ("2000:02:29 12:00:00", 951_825_600),
    ("2024:12:31 23:59:59", 1_735_689_599), ("1969:12:31 23:59:59", -1),
  ])
  func `reads the date as written`(text: String, seconds: Int64) {
    let bytes = block([(0x9003, 20, 26)], Array(text.utf8) + [0])
    #expect(EXIF(bytes)?.captureDate == seconds)
  }

  @Test(arguments: [
    "0000:00:00 00:00:00", "    :  :     :  :  ", "2024-05-06 07:08:09", "2024:13:01 00:00:00",
    "2024",
  ])
  func `takes a date that makes no sense for none`(text: String) {
    let bytes = block([(0x9003, 20, 26)], Array(text.utf8) + [0])
    #expect(EXIF(bytes) != nil && EXIF(bytes)?.captureDate == nil)
  }

  @Test func `ends where directories name each other or nothing`() {
    let loop = block((0..<80).map { _ in (UInt16(0x8769), UInt32(1), UInt32(8)) })
    #expect(EXIF(loop)?.isOnlyTechnical == false)
    let far = block([(0x8825, 1, .max), (0x9003, .max, .max)])
    #expect(EXIF(far)?.hasLocation == false)
    #expect(EXIF([]) == nil && EXIF([0x49, 0x49, 0x2A, 0]) == nil)
  }

  @Test func `survives every truncation and 20,000 blocks of garbage`() {
    let good = block([(0x8769, 1, 8), (0x9003, 20, 8)], [1, 2, 3])
    for count in 0...good.count { _ = EXIF(Array(good.prefix(count))) }
    var random = Seeded(seed: 3)
    for _ in 0..<20_000 {
      let noise = (0..<40).map { _ in UInt8.random(in: 0...40, using: &random) }
      _ = EXIF([0x4D, 0x4D, 0, 0x2A, 0, 0, 0, 8] + noise)
    }
  }
}
