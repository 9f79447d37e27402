import Testing

@testable import WordsCore

/// What a page asks of the module: bytes in, bytes out.
@Suite struct BridgeTests {
  private static func read(_ rack: String, _ had: String, _ text: String, _ sieve: Sieve) throws
    -> String
  {
    let input = "\(rack)\0\(had)\0\(text)\0".utf8 + sieve.bytes
    return String(decoding: try Bridge.call(.read, Array(input)), as: UTF8.self)
  }

  @Test func `reads a word as the server does`() throws {
    let sieve = Sieve(try ["stone", "notes", "straße"].map { try Word($0) })
    #expect(try Self.read("sento", "", " Stone ", sieve) == "stone")
    #expect(try Self.read("estrassn", "stone notes", "Straße", sieve) == "strasse")
    for (had, text) in [
      ("stone", "stone"), ("", "tone"), ("", "zzz"), ("", "st"), ("notes stone", "notes"),
    ] {
      #expect(throws: WordError.self) { try Self.read("sento", had, text, sieve) }
    }
    #expect(try Bridge.call(.value, [9, 1, 4]) == [0, 64])
  }

  @Test func `input of any bytes gives an error and no trap`() {
    var random = Seeded(7)
    for function in [Bridge.Function.read, .value] {
      for length in [0, 1, 2, 4, 7, 30, 300, 20_000] {
        for _ in 0..<20 {
          let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
          #expect(throws: WordError.self) { try Bridge.call(function, bytes) }
        }
      }
    }
    #expect(throws: Never.self) { try Bridge.call(.value, [255, 255, 255]) }
  }
}
