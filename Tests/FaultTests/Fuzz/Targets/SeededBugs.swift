import Foundation

/// Readers with a bug each, which the harness must find: its negative controls.
extension FuzzTarget {
  private static func bug(
    _ name: String, _ happens: @escaping @Sendable (ArraySlice<UInt8>) throws -> Void
  ) -> FuzzTarget {
    FuzzTarget(name: name, inputsInFull: 0, samples: { [[UInt8]("length=12;")] }) {
      { bytes in
        guard let mark = bytes.firstIndex(of: UInt8(ascii: "=")) else { return }
        try happens(bytes[(mark + 1)...])
      }
    }
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64? {
    UInt64(String(decoding: bytes.prefix { $0 != UInt8(ascii: ";") }, as: UTF8.self))
  }

  static let traps = bug("seeded-trap") { bytes in
    guard let number = number(bytes) else { return }
    // Traps where it is too large.
    _ = Int32(number)
  }

  static let hangs = bug("seeded-hang") { bytes in
    guard let number = number(bytes), number > 12 else { return }
    // What nobody signals is waited for without an end.
    DispatchSemaphore(value: 0).wait()
  }

  static let grows = bug("seeded-growth") { bytes in
    guard let number = number(bytes), number > 0xffff else { return }
    let held = [UInt8](repeating: 1, count: Int(min(number, 200 << 20)))
    guard held.last == 1 else { throw Finding("nothing was held") }
  }

  static let disagrees = bug("seeded-disagreement") { bytes in
    guard let number = number(bytes) else { return }
    try require("\(number)" == String(decoding: bytes.dropLast(), as: UTF8.self), "another number")
  }
}
