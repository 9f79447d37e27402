/// Puts a rotation box (ISO/IEC 23008-12, `irot`) into a HEIF file as libheif writes it.
struct RotationBox {
  private var bytes: [UInt8]

  /// Turns the picture's display by quarter turns against the clock; nil for an unexpected layout.
  static func inserted(into file: [UInt8], quarterTurns: UInt8) -> [UInt8]? {
    var box = RotationBox(bytes: file)
    return box.insert(quarterTurns) ? box.bytes : nil
  }

  private mutating func insert(_ quarterTurns: UInt8) -> Bool {
    guard let meta = start(of: "meta"), let iprp = start(of: "iprp"), let ipco = start(of: "ipco"),
      let ipma = start(of: "ipma"), let iloc = start(of: "iloc"), let index = countProperties(ipco)
    else { return false }
    // Version 0 of ipma: one entry, the number of its associations, one byte each.
    let entry = ipma + 8 + 4 + 4
    guard number(ipma + 12) == 1, bytes[ipma + 11] & 1 == 0 else { return false }
    let count = Int(bytes[entry + 2])
    let added = 9 + 1
    // Version 0 of iloc: 4-byte base offset, extent offset and length, one extent an item.
    guard bytes[iloc + 8] == 0, bytes[iloc + 12] == 0x44, bytes[iloc + 13] == 0x40 else {
      return false
    }
    let items = Int(bytes[iloc + 14]) << 8 | Int(bytes[iloc + 15])
    for item in 0..<items { add(added, at: iloc + 16 + item * 18 + 4) }
    bytes[entry + 2] += 1
    bytes.insert(0x80 | UInt8(index + 1), at: entry + 3 + count)
    let end = ipco + number(ipco)
    bytes.insert(contentsOf: [0, 0, 0, 9] + Array("irot".utf8) + [quarterTurns], at: end)
    add(9, at: ipco)
    add(added, at: iprp)
    add(added, at: meta)
    add(1, at: ipma + 9)
    return true
  }

  private func start(of name: String) -> Int? {
    let wanted = Array(name.utf8)
    return (4..<bytes.count - 4).first { Array(bytes[$0..<$0 + 4]) == wanted }.map { $0 - 4 }
  }

  private func countProperties(_ ipco: Int) -> Int? {
    var count = 0
    var at = ipco + 8
    while at < ipco + number(ipco) {
      guard number(at) >= 8 else { return nil }
      at += number(at)
      count += 1
    }
    return count
  }

  private func number(_ at: Int) -> Int {
    bytes[at..<at + 4].reduce(0) { $0 << 8 | Int($1) }
  }

  private mutating func add(_ amount: Int, at place: Int) {
    let sum = number(place) + amount
    for index in 0..<4 { bytes[place + index] = UInt8(sum >> (8 * (3 - index)) & 0xFF) }
  }
}
