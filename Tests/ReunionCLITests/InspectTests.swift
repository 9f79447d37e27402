import Foundation
import ReunionCore
import Testing

/// `reunion inspect` on captures as people have them.
@Suite struct InspectTests {
  static let space = SpaceID(high: 7, low: 7)
  static let page = Site(device: 3, incarnation: 4)
  static let server = Site(device: 1, incarnation: 2)

  /// What the page holds.
  static var held: VersionVector {
    var held = VersionVector()
    held.raise(page, to: 12)
    return held
  }

  static func caption(_ text: String) -> Message {
    let cell = Cell(
      field: 1, merge: .register, dot: Dot(site: page, seq: 12),
      stamp: Stamp(milliseconds: 1_795_000_000_000),
      value: Value(kind: .text, bytes: Array(text.utf8)))
    return .changes([Change(entity: 3, record: RecordID(high: 5, low: 6), cell: cell)])
  }

  static func hex(_ message: Message) -> String {
    message.encoded().map { String(format: "%02x", $0) }.joined()
  }

  static func base64(_ message: Message) -> String {
    Data(message.encoded()).base64EncodedString()
  }

  static func inspect(_ text: String, _ options: String...) throws -> Command.Run {
    try Command.run(["inspect", "-"] + options, input: Data(text.utf8))
  }

  /// What a page says as it comes, and a caption that it has sent.
  static let lines = """
    # as a page sees it
    > \(hex(.hello(Hello(space: space, site: page, isLeaf: true, seq: 12))))
    < \(base64(.hello(Hello(space: space, site: server, isLeaf: false, seq: 1))))
    > \(hex(.pull(Pull(position: [], vector: held))))

    > \(base64(caption("Tea\u{1b}[31m")))
    > \(hex(.pushEnd(PushEnd(cursor: 9, position: [], raised: [.init(site: .known(0), seq: 13)]))))
    """

  @Test func `a capture in lines is told in words`() throws {
    let run = try Self.inspect(Self.lines)
    #expect(run.status == 0, "\(run.errors)")
    let said = run.output.split(separator: "\n").map(String.init)
    #expect(said[0].hasPrefix("1 > hello, "))
    #expect(said[0].hasSuffix("as a leaf with 12 changes of its own"))
    #expect(said[1].hasPrefix("2 < hello, ") && said[1].contains("as a full replica"))
    #expect(run.output.contains("> changes, "))
    #expect(run.output.contains("entity 3, record \(RecordID(high: 5, low: 6)), field 1: register"))
    // A terminal obeys nothing of what somebody wrote.
    #expect(!run.output.contains("\u{1b}") && run.output.contains("Tea"))
    // A number names the site that its speaker named before.
    #expect(said.last == "    site \(Self.page) up to 13")
  }

  @Test func `a HAR file is told, each socket for itself`() throws {
    func message(_ type: String, _ opcode: Int, _ data: String) -> String {
      "{\"type\": \"\(type)\", \"time\": 1795.5, \"opcode\": \(opcode), \"data\": \"\(data)\"}"
    }
    let end = PushEnd(cursor: 9, position: [], raised: [.init(site: .known(0), seq: 13)])
    let first = [
      message("send", 1, "text"),
      message(
        "send", 2,
        Self.base64(
          .pull(Pull(position: [], vector: Self.held)))),
    ]
    let second = [message("send", 2, Self.base64(.pushEnd(end)))]
    let entries = [first, second].map {
      "{\"_webSocketMessages\": [\($0.joined(separator: ", "))]}"
    }
    let run = try Self.inspect(
      "{\"log\": {\"entries\": [{}, \(entries.joined(separator: ", "))]}}", "--json")
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.lines.map { $0["type"] as? String } == ["pull", "pushEnd"])
    #expect(run.lines.map { $0["link"] as? Int } == [0, 1])
    #expect(run.lines.map { $0["way"] as? String } == ["sent", "sent"])
    // What the first socket named means nothing on the second.
    #expect(run.last["lines"] as? [String] == ["its site number 0 up to 13"])
  }

  @Test func `a message in fragments is told once it is whole`() throws {
    let parts = Self.caption(String(repeating: "long ", count: 20_000)).encodedParts()
    #expect(parts.count > 2)
    let run = try Self.inspect(
      parts.map { "> \(Data($0).base64EncodedString())" }.joined(separator: "\n"), "--json")
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.lines.dropLast().allSatisfy { $0["type"] as? String == "fragment" })
    #expect(run.last["type"] as? String == "changes")
  }

  @Test func `what is no message is told beside what is one`() throws {
    // A piece of a blob whose place is beyond every number.
    let piece = BlobPiece(
      hash: BlobHash(bytes: [UInt8](repeating: 7, count: 32))!, byteCount: .max, offset: .max,
      bytes: [1])
    let run = try Self.inspect("\(Self.hex(.blob(piece)))\n0107\n\(Self.hex(.ping(5)))\n01ff")
    #expect(run.status == 5)
    let said = run.output.split(separator: "\n")
    #expect(said.count == 4 && said[1].contains("malformed") && said[2].contains("ping"))
    #expect(said[3].contains("of type 255"))
    #expect(run.errors.contains("1 message of 4"))
  }

  @Test func `twenty lines are told, and all with --all`() throws {
    let hashes = (0..<30).map { BlobHash(bytes: [UInt8](repeating: $0, count: 32))! }
    let line = Self.hex(.have(hashes))
    #expect(try Self.inspect(line).output.contains("… and 10 more; --all shows them"))
    #expect(try Self.inspect(line, "--all").output.split(separator: "\n").count == 31)
  }

  @Test(arguments: [
    ("", "There is nothing in it."), ("{\"log\": 1}", "save it anew"),
    ("# nothing\n", "holds no messages"),
    ("> 01\nhello?", "Line 2"), ("{\"log\": {\"entries\": []}}", "holds no messages"),
  ])
  func `what is no capture is refused in a sentence`(text: String, sentence: String) throws {
    let run = try Self.inspect(text)
    #expect(run.status == 1 && run.errors.contains(sentence), "\(run.errors)")
  }
}
