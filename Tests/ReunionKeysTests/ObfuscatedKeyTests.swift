import Testing

@testable import ReunionKeys

@Suite struct ObfuscatedKeyTests {
  private struct Failure: Error {}
  private let key = ObfuscatedKey(pad: "00ff10", masked: "61ff73")

  @Test func `gives the bytes, and overwrites them when the closure returns or throws`() throws {
    #expect(key.count == 3)
    #expect(key.withBytes { Array($0) } == [0x61, 0x00, 0x63])
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 4, alignment: 1)
    defer { buffer.deallocate() }
    let seen = key.withBytes(in: buffer) { bytes in
      // The closure sees the buffer itself, so that there is no other copy.
      (Array(bytes), Array(buffer))
    }
    #expect(seen.0 == [0x61, 0x00, 0x63] && Array(seen.1.prefix(3)) == seen.0)
    #expect(Array(buffer) == [0, 0, 0, 0])
    #expect(throws: Failure.self) {
      try key.withBytes(in: buffer) { _ in throw Failure() }
    }
    #expect(Array(buffer) == [0, 0, 0, 0])
  }

  @Test func `a list has lines as Windows writes them, and a source that imports as apps do`()
    throws
  {
    let list = try KeyList(
      "\u{FEFF}maps = 1 2\r\n# no key\r\n\r\nweather = 3\r\n", environment: [:])
    #expect(list.keys.map(\.name) == ["maps", "weather"])
    #expect(list.keys.map(\.bytes) == [Array("1 2".utf8), Array("3".utf8)])
    var random = SystemRandomNumberGenerator()
    // A file that says internal import is at odds with one that says import.
    #expect(try list.source(type: "Keys", using: &random).contains("\nimport ReunionKeys\n"))
  }

  @Test func `a list takes text, variables and base64`() throws {
    let list = try KeyList(
      """
      # of a service
      weather = top secret = really

        maps=env:MAPS
      raw = base64:AP/+
      padded = base64:YQ==
      """, environment: ["MAPS": "from outside"])
    #expect(list.keys.map(\.name) == ["weather", "maps", "raw", "padded"])
    #expect(list.keys[0].bytes == Array("top secret = really".utf8))
    #expect(list.keys[1].bytes == Array("from outside".utf8))
    #expect(list.keys[2].bytes == [0, 0xFF, 0xFE] && list.keys[3].bytes == [0x61])
  }

  @Test(arguments: [
    ("a b = secret", "name"), ("1a = secret", "name"), ("a", "name = value"), ("a =", "1 to 4096"),
    ("a = env:NONE", "NONE"), ("a = base64:secret!", "base64"), ("a = x\na = secret", "already"),
    ("Type = secret", "name"), ("a = base64:YQZZZ", "base64"),
  ])
  func `what is wrong with a list is said with its line, and without a key`(
    text: String, says: String
  ) {
    do throws(KeyList.Failure) {
      _ = try KeyList(text, environment: [:])
      Issue.record("took \(text)")
    } catch {
      #expect(error.description.contains(says) && error.description.contains("Line"))
      #expect(!error.description.contains("secret"))
    }
  }
}
