/// Makes EXIF blocks, either end first: the main directory, the camera's and the satellites'.
struct EXIFBlock {
  enum Value {
    case text(String)
    case fractions([(UInt32, UInt32)])
  }

  private struct Entry {
    let tag, type: UInt16
    let count: UInt32
    let bytes: [UInt8]
  }

  var isLittleEndian = true
  /// Tags of the main directory, of the camera's, and of the satellites'.
  var main: [(UInt16, Value)] = []
  var camera: [(UInt16, Value)] = []
  var place: [(UInt16, Value)] = []

  /// A block of what a camera writes: its time, and further tags.
  init(_ time: String?, _ more: [(UInt16, String)] = [], isLittleEndian: Bool = true) {
    self.isLittleEndian = isLittleEndian
    if let time { camera.append((0x9003, .text(time))) }
    camera += more.map { ($0, .text($1)) }
  }

  /// Adds the time of the satellites.
  mutating func add(satellites date: String?, _ hour: UInt32, _ minute: UInt32, _ second: UInt32) {
    let time: [(UInt32, UInt32)] = [(hour, 1), (minute, 1), (second * 10, 10)]
    place.append((7, .fractions(time)))
    if let date { place.append((0x1D, .text(date))) }
  }

  var bytes: [UInt8] {
    let start: [UInt8] = isLittleEndian ? [0x49, 0x49, 0x2A, 0] : [0x4D, 0x4D, 0, 0x2A]
    let mainEnd = 8 + size(main) + 24
    let cameraEnd = mainEnd + size(camera)
    let first = directory(main, at: 8, pointers: [(0x8769, mainEnd), (0x8825, cameraEnd)])
    return start + number(UInt32(8)) + first + directory(camera, at: mainEnd)
      + directory(place, at: cameraEnd)
  }

  private func size(_ values: [(UInt16, Value)]) -> Int { directory(values, at: 0).count }

  private func directory(
    _ values: [(UInt16, Value)], at start: Int, pointers: [(UInt16, Int)] = []
  ) -> [UInt8] {
    let entries = values.map { tag, value -> Entry in
      switch value {
      case .text(let text):
        let bytes = Array(text.utf8) + [0]
        return Entry(tag: tag, type: 2, count: UInt32(bytes.count), bytes: bytes)
      case .fractions(let fractions):
        let bytes = fractions.flatMap { number($0.0) + number($0.1) }
        return Entry(tag: tag, type: 5, count: UInt32(fractions.count), bytes: bytes)
      }
    }
    var rest: [UInt8] = []
    let restStart = start + 2 + (entries.count + pointers.count) * 12 + 4
    var table = number(UInt16(entries.count + pointers.count))
    for entry in entries {
      table += number(entry.tag) + number(entry.type) + number(entry.count)
      if entry.bytes.count <= 4 {
        table += entry.bytes + Array(repeating: 0, count: 4 - entry.bytes.count)
      } else {
        table += number(UInt32(restStart + rest.count))
        rest += entry.bytes
      }
    }
    for (tag, target) in pointers {
      table += number(tag) + number(UInt16(4)) + number(UInt32(1)) + number(UInt32(target))
    }
    return table + number(UInt32(0)) + rest
  }

  private func number(_ value: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: isLittleEndian ? value.littleEndian : value.bigEndian) { Array($0) }
  }
}
