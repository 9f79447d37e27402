import Testing

@testable import ReunionFeeds

/// The check of UTF-8 says what the standard library's says.
@Suite struct UTF8Tests {
  static func check(_ bytes: [UInt8]) {
    let content = bytes.withUnsafeBufferPointer(\.utf8Content)
    let isValid = String(validating: bytes, as: UTF8.self) != nil
    let expected: UTF8Content? =
      isValid ? (bytes.allSatisfy { $0 < 0x80 } ? .ascii : .beyond) : nil
    if content != expected { Issue.record("\(bytes): \(content as Any)") }
    let text = bytes.withUnsafeBufferPointer(\.text)
    if text != String(decoding: bytes, as: UTF8.self) { Issue.record("\(bytes): \(text)") }
  }

  @Test func `of every two bytes, and of every beginning of three and four`() {
    for first in UInt8.min...UInt8.max {
      Self.check([first])
      for second in UInt8.min...UInt8.max {
        Self.check([first, second])
        for third: UInt8 in [0x7F, 0x80, 0xBF, 0xC0] where first >= 0xE0 {
          Self.check([first, second, third])
          if first >= 0xF0 {
            for fourth: UInt8 in [0x7F, 0x80, 0xBF, 0xC0] {
              Self.check([first, second, third, fourth])
            }
          }
        }
      }
    }
  }

  @Test func `of texts of every length, with a character or a wrong byte anywhere`() {
    for count in 0...40 {
      Self.check([UInt8](repeating: 97, count: count))
      for place in 0...count {
        for insertion: [UInt8] in [
          [0xC3, 0xA9], [0xE5, 0xAE, 0xAE], [0xF0, 0x9F, 0x9A, 0xA2], [0xFF], [0xC3],
          [0xED, 0xA0, 0x80],
        ] {
          var bytes = [UInt8](repeating: 97, count: count)
          bytes.insert(contentsOf: insertion, at: place)
          Self.check(bytes)
        }
      }
    }
  }
}
