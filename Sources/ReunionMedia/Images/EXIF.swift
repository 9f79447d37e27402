/// The few facts of an EXIF block (CIPA DC-008) that are used, read without trust in any offset.
struct EXIF: Sendable, Hashable {
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

  /// What an entry is called: the satellites' tags are numbered anew.
  private struct Name: Hashable {
    let tag: Int
    let isOfPlace: Bool
  }

  private let bytes: [UInt8]
  /// Where the first entry of each tag is.
  private var found: [Name: Int] = [:]
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
      let name = Name(tag: tag, isOfPlace: isGPS)
      if found[name] == nil { found[name] = entry }
      if isGPS {
        if tag == 2 || tag == 4 { hasLocation = true }
      } else if tag == Self.exifDirectory {
        readDirectory(at: value, depth: depth + 1, isGPS: false)
      } else if tag == Self.gpsDirectory {
        readDirectory(at: value, depth: depth + 1, isGPS: true)
      }
    }
    // A second directory is a thumbnail: a picture of its own.
    if depth == 0, let next = long(start + 2 + count * 12), next != 0 { isOnlyTechnical = false }
  }

  /// A text up to its zero byte, of 40 bytes at most; `ofPlace` looks among the satellites' tags.
  func text(_ tag: Int, ofPlace: Bool = false) -> ArraySlice<UInt8>? {
    guard let entry = found[Name(tag: tag, isOfPlace: ofPlace)], let size = long(entry + 4),
      let start = size <= 4 ? entry + 8 : long(entry + 8), start <= bytes.count
    else { return nil }
    let text = bytes[start...].prefix(min(size, 40)).prefix { $0 != 0 }
    return text.isEmpty ? nil : text
  }

  /// So many unsigned fractions of the satellites' tags.
  func rationals(_ tag: Int, count: Int) -> [Double]? {
    guard let entry = found[Name(tag: tag, isOfPlace: true)], short(entry + 2) == 5,
      long(entry + 4) == count, let start = long(entry + 8)
    else { return nil }
    var numbers: [Double] = []
    for at in stride(from: start, to: start + count * 8, by: 8) {
      guard let above = long(at), let below = long(at + 4), below > 0 else { return nil }
      numbers.append(Double(above) / Double(below))
    }
    return numbers
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
