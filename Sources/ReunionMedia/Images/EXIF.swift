/// The few facts of an EXIF block (CIPA DC-008) that are used, read without trust in any offset.
struct EXIF: Sendable, Hashable {
  /// DateTimeOriginal as seconds since 1970, taking the local time that is written for UTC.
  private(set) var captureDate: Int64?
  /// Whether there is a latitude or a longitude.
  private(set) var hasLocation = false
  /// Whether all tags are about the pixels themselves, as in what iPhones write into any JPEG.
  private(set) var isOnlyTechnical = true

  private static let exifDirectory = 0x8769
  private static let gpsDirectory = 0x8825
  /// Orientation, resolution, YCbCrPositioning, versions, components, colour space, dimensions.
  private static let technicalTags: Set<Int> = [
    0x0112, 0x011A, 0x011B, 0x0128, 0x0213, 0x8769, 0x9000, 0x9101, 0xA000, 0xA001, 0xA002, 0xA003,
  ]

  private let bytes: [UInt8]
  private var isLittleEndian = false
  /// What is left to read, so that directories that name each other cost little.
  private var entriesLeft = 1000

  /// Reads a block, with or without its leading `Exif\0\0`; nil when it is no TIFF structure.
  init?(_ block: [UInt8]) {
    let header = Array("Exif".utf8) + [0, 0]
    bytes = block.starts(with: header) ? Array(block.dropFirst(6)) : block
    if bytes.starts(with: [0x49, 0x49, 0x2A, 0]) {
      isLittleEndian = true
    } else if !bytes.starts(with: [0x4D, 0x4D, 0, 0x2A]) {
      return nil
    }
    guard let first = long(4) else { return nil }
    readDirectory(at: first, depth: 0, isGPS: false)
  }

  private mutating func readDirectory(at start: Int, depth: Int, isGPS: Bool) {
    guard depth <= 2, let count = short(start), count <= entriesLeft else {
      isOnlyTechnical = false
      return
    }
    entriesLeft -= count
    for index in 0..<count {
      let entry = start + 2 + index * 12
      guard let tag = short(entry), let value = long(entry + 8) else {
        isOnlyTechnical = false
        return
      }
      if !Self.technicalTags.contains(tag) { isOnlyTechnical = false }
      if isGPS {
        if tag == 2 || tag == 4 { hasLocation = true }
      } else if tag == Self.exifDirectory {
        readDirectory(at: value, depth: depth + 1, isGPS: false)
      } else if tag == Self.gpsDirectory {
        readDirectory(at: value, depth: depth + 1, isGPS: true)
      } else if tag == 0x9003, let size = long(entry + 4), size >= 19 {
        captureDate = date(at: value)
      }
    }
    // A second directory is a thumbnail: a picture of its own.
    if depth == 0, let next = long(start + 2 + count * 12), next != 0 { isOnlyTechnical = false }
  }

  /// Reads `YYYY:MM:DD HH:MM:SS`.
  private func date(at start: Int) -> Int64? {
    guard start >= 0, start <= bytes.count - 19 else { return nil }
    let text = bytes[start..<start + 19]
    let marks: [Int: Character] = [4: ":", 7: ":", 10: " ", 13: ":", 16: ":"]
    var parts: [Int] = [0]
    for (offset, byte) in text.enumerated() {
      if let mark = marks[offset] {
        guard byte == mark.asciiValue else { return nil }
        parts.append(0)
      } else {
        guard (0x30...0x39).contains(byte) else { return nil }
        parts[parts.count - 1] = parts[parts.count - 1] * 10 + Int(byte) - 0x30
      }
    }
    guard (1...12).contains(parts[1]), (1...31).contains(parts[2]), parts[0] > 0,
      parts[3] < 24, parts[4] < 60, parts[5] <= 60
    else { return nil }
    let days = Self.daysSince1970(year: parts[0], month: parts[1], day: parts[2])
    return Int64(days * 86_400 + parts[3] * 3600 + parts[4] * 60 + parts[5])
  }

  /// Days in the Gregorian calendar (Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms").
  private static func daysSince1970(year: Int, month: Int, day: Int) -> Int {
    let shifted = month <= 2 ? year - 1 : year
    let era = shifted / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  private func short(_ at: Int) -> Int? {
    guard at >= 0, at <= bytes.count - 2 else { return nil }
    let (first, second) = (Int(bytes[at]), Int(bytes[at + 1]))
    return isLittleEndian ? second << 8 | first : first << 8 | second
  }

  private func long(_ at: Int) -> Int? {
    guard at <= bytes.count - 4, let first = short(at), let second = short(at + 2) else {
      return nil
    }
    return isLittleEndian ? second << 16 | first : first << 16 | second
  }
}
