import ReunionCore
import Testing

@testable import ReunionBluetooth

/// The handshake, beside another implementation of Noise, and what it refuses.
@Suite struct NoiseTests {
  static func bytes(_ start: Int) -> [UInt8] { (0..<32).map { UInt8((start + $0 * 7) & 255) } }

  static func pair(prologue: String = "a prologue", sharedKey: Int = 9) throws
    -> (NoiseHandshake, NoiseHandshake)
  {
    var initiator = NoiseHandshake(
      isInitiator: true, staticKey: try KeyPair(secretKey: bytes(1)),
      ephemeralKey: try KeyPair(secretKey: bytes(3)), prologue: Array("a prologue".utf8))
    var responder = NoiseHandshake(
      isInitiator: false, staticKey: try KeyPair(secretKey: bytes(2)),
      ephemeralKey: try KeyPair(secretKey: bytes(4)), prologue: Array(prologue.utf8))
    initiator.sharedKey = bytes(9)
    responder.sharedKey = bytes(sharedKey)
    return (initiator, responder)
  }

  /// Made with the Python package noiseprotocol 0.3.1 from the keys above.
  static let messages = [
    """
    bb50ff9e82a574cfbf820e97f60fb9c143ec7415cf514f8cfd98eff59e059614\
    e71f048816c555a4f962a77f602323096e3fd7
    """,
    """
    f74e5bb7515d565274967af75d88497dc6fc7fcd607da9dd91a617db86ad0110\
    0f6eb3ef39b5428767b72bc57a01df55ea1e4a5b7ae09c47e20842211599762475fafbe477edeea978fe5cd7a367ab92\
    09d150002f9550924509362d72d2d965e2e2a5
    """,
    """
    e7fc0db60293db9ac6d020959c697bdd445dde76f72debc0ffe7629c8c883447cacf06fbaa95e98f5588d656e960bdd2\
    4c2b9eb535d9c510358228053b7b9dddf06234c011
    """,
  ]

  @Test func `the handshake is that of another implementation, byte for byte`() throws {
    var (one, two) = try Self.pair()
    let first = try one.write(Array("one".utf8))
    #expect(try two.read(first) == Array("one".utf8))
    let second = try two.write(Array("two".utf8))
    #expect(try one.read(second) == Array("two".utf8))
    let third = try one.write(Array("three".utf8))
    #expect(try two.read(third) == Array("three".utf8))
    #expect([first, second, third].map { Hexadecimal.text($0) } == Self.messages)
    #expect(
      Hexadecimal.text(one.hash)
        == "08758bf2840436e45766ecc91839a8c775fe899a5c8504795cabb823268e2400")
    #expect(one.hash == two.hash)
    #expect(one.peerKey == (try KeyPair(secretKey: Self.bytes(2)).publicKey))
    var sending = SessionCipher(key: one.split().initiator)
    #expect(
      Hexadecimal.text(try sending.seal(Array("first".utf8), stream: 0))
        == "3d70c51edf3115a123189d7469f8c00eb4bf802817")
    #expect(one.split() == two.split())
  }

  @Test func `another prologue, another shared key or a changed bit ends it`() throws {
    var (one, two) = try Self.pair(prologue: "b prologue")
    let first = try one.write([])
    #expect(throws: SecrecyError.self) { try two.read(first) }
    (one, two) = try Self.pair(sharedKey: 8)
    _ = try two.read(try one.write([]))
    // The shared key of this pattern counts from the third message on.
    _ = try one.read(try two.write([]))
    let third = try one.write([])
    #expect(throws: SecrecyError.self) { try two.read(third) }
    for bit in stride(from: 0, to: 96 * 8, by: 37) {
      (one, two) = try Self.pair()
      _ = try two.read(try one.write([]))
      var message = try two.write([])
      message[bit / 8] ^= 1 << (bit % 8)
      #expect(throws: SecrecyError.self) { try one.read(message) }
    }
  }

  @Test func `a key that leads to no secret is refused`() throws {
    let pair = try KeyPair(secretKey: Self.bytes(5))
    #expect(throws: SecrecyError.self) {
      try pair.sharedSecret(with: [UInt8](repeating: 0, count: 32))
    }
    #expect(throws: SecrecyError.self) { try KeyPair(secretKey: [1, 2, 3]) }
  }

  @Test(arguments: [SeededBugs(), [.nonceUsedTwice]])
  func `what was opened once is not opened again, and nothing is sealed twice alike`(
    bugs: SeededBugs
  ) throws {
    var sending = SessionCipher(key: Self.bytes(1), seededBugs: bugs)
    var receiving = SessionCipher(key: Self.bytes(1), seededBugs: bugs)
    var seen: Set<[UInt8]> = []
    var hasRepeated = false
    for stream in 0..<3 {
      for _ in 0..<50 {
        let sealed = try sending.seal([1, 2, 3], stream: stream)
        if !seen.insert(sealed).inserted { hasRepeated = true }
        #expect(try receiving.open(sealed, stream: stream) == [1, 2, 3])
      }
    }
    let isReplayed = (try? receiving.open(Array(seen)[0], stream: 0)) != nil
    // The second case is the negative control.
    #expect((hasRepeated || isReplayed) == !bugs.isEmpty)
  }

  /// How many of 40 pieces the first key opens, where it changes after ten.
  static func openedByFirstKey(_ bugs: SeededBugs) throws -> Int {
    let first = bytes(1)
    var sending = SessionCipher(key: first, piecesPerKey: 10, seededBugs: bugs)
    var receiving = SessionCipher(key: first, piecesPerKey: 10, seededBugs: bugs)
    var openedCount = 0
    for number in 0..<40 as Range<UInt64> {
      for stream in 0..<Frame.streamCount {
        let sealed = try sending.seal([1, 2, 3], stream: stream)
        #expect(try receiving.open(sealed, stream: stream) == [1, 2, 3])
        guard stream == 1 else { continue }
        let nonce = UInt64(stream) << 56 | number
        if (try? Cipher.open(sealed, key: first, nonce: nonce)) != nil { openedCount += 1 }
      }
    }
    return openedCount
  }

  @Test func `a session's key changes, and the first one opens nothing that follows`() throws {
    #expect(try Self.openedByFirstKey([]) == 10)
    #expect(try Self.openedByFirstKey([.keyNeverChanged]) == 40)
    #expect(SessionCipher.piecesPerKey == 65_536)
  }
}
