import ReunionCore
import Testing

/// Messages come back from their bytes as they were, and nothing malformed is read; 1 MiB is the most
/// (docs/protocol.md 1.1, 1.2).
@Suite struct WireTests {
  @Test func `reads back every message as it was`() throws {
    for (name, message) in sampleMessages {
      #expect(try Message(decoding: message.encoded()) == message, "\(name)")
    }
  }

  @Test func `refuses every message that is cut short`() throws {
    for (name, message) in sampleMessages where name != "changes" && name != "unknown" {
      let bytes = message.encoded()
      for count in 2..<bytes.count {
        #expect(throws: WireError.self, "\(name) cut at \(count)") {
          try Message(decoding: Array(bytes[..<count]))
        }
      }
    }
  }

  @Test func `never traps on 200,000 mutated messages, and keeps nothing that it cannot write`() {
    var random = Seeded(0xbad_f00d)
    var refused = 0
    for round in 0..<200_000 {
      var bytes = sampleMessages[round % sampleMessages.count].message.encoded()
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
          bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(
            in: 0...255, using: &random)
        case 1:
          bytes.insert(
            UInt8.random(in: 0...255, using: &random),
            at: Int.random(in: 0...bytes.count, using: &random))
        case 2 where bytes.count > 1:
          bytes.remove(at: Int.random(in: 0..<bytes.count, using: &random))
        default:
          bytes[Int.random(in: 0..<bytes.count, using: &random)] ^=
            1 << UInt8.random(in: 0..<8, using: &random)
        }
      }
      do {
        let message = try Message(decoding: bytes)
        if case .unknown = message { continue }
        #expect(throws: Never.self) { try Message(decoding: message.encoded()) }
      } catch {
        refused += 1
      }
    }
    #expect(refused > 50_000)
  }

  @Test func `refuses what no replica writes`() {
    let bad: [Cell] = [
      Cell(
        field: 0, merge: .register, dot: Dot(site: ann, seq: 1), stamp: Stamp(rawValue: 1),
        value: .null),
      Cell(
        field: 4, merge: .creation, dot: Dot(site: ann, seq: 1), stamp: Stamp(rawValue: 1),
        value: .null),
      Cell(
        field: 0, merge: .deletion, dot: Dot(site: ann, seq: 1), stamp: Stamp(rawValue: 1),
        value: .bytes([9])),
      Cell(
        field: 1, merge: .register, dot: Dot(site: ann, seq: 0), stamp: Stamp(rawValue: 1),
        value: .null),
      Cell(
        field: 1, merge: .register, dot: Dot(site: ann, seq: 1), stamp: Stamp(rawValue: 1 << 63),
        value: .null),
      Cell(field: 1, merge: .register, dot: Dot(site: ann, seq: 1), stamp: .none, value: .null),
    ]
    for cell in bad {
      let bytes = Message.changes([Change(entity: 1, record: photo, cell: cell)]).encoded()
      #expect(throws: WireError.self) { try Message(decoding: bytes) }
    }
    #expect(throws: WireError.self) { try Message(decoding: []) }
    #expect(throws: WireError.self) { try Message(decoding: [2, 7, 0, 0, 0, 0]) }
    #expect(throws: WireError.self) {
      try Message(decoding: [UInt8](repeating: 1, count: Message.bytesMax + 1))
    }
  }

  @Test func `writes a change of one short text in at most 80 bytes`() {
    let change = Change(entity: 3, record: photo, cell: register(3, "Sunset!", ann, 5, stamp: 9))
    #expect(Message.changes([change]).encoded().count <= 80)
  }
}

@Suite struct SHA256Tests {
  @Test func `gives the hashes of FIPS 180-4, however the bytes come`() {
    func hex(_ text: String) -> String { Hexadecimal.text(SHA256.hash(Array(text.utf8))) }
    #expect(hex("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    #expect(hex("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    #expect(
      hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")
        == "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1")
    let bytes = (0..<1_000).map { UInt8($0 % 251) }
    for length in [55, 56, 63, 64, 65, 119, 120, 128, 1_000] {
      let whole = SHA256.hash(Array(bytes[..<length]))
      for step in [1, 7, 63, 64, 65] {
        var hash = SHA256()
        var start = 0
        while start < length {
          hash.update(Array(bytes[start..<min(start + step, length)]))
          start += step
        }
        #expect(hash.finish() == whole, "length \(length), step \(step)")
      }
    }
  }
}

@Suite struct PictureGeometryTests {
  @Test func `fits the longer side and rounds the other`() {
    let photo = PictureSize(width: 4032, height: 3024)
    #expect(photo.fitted(longEdge: 320) == PictureSize(width: 320, height: 240))
    #expect(PictureSize(width: 100, height: 50).fitted(longEdge: 320).width == 100)
    #expect(PictureSize(width: 10_000, height: 1).fitted(longEdge: 320).height == 1)
    #expect(
      PictureSize(width: 3, height: 2).fitted(longEdge: 2) == PictureSize(width: 2, height: 1))
  }
}
