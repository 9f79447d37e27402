import ReunionFeeds
import Testing

@Suite struct PushParserTests {
  @Test func `hands out elements as they complete`() throws {
    var texts: [String] = []
    let parser = XMLPushParser(collecting: "a") { texts.append($0.text) }
    try parser.push("<r><a>x<b>y</b>z</a><a>".utf8)
    #expect(texts == ["xyz"])
    try parser.push("w</a></r>".utf8)
    try parser.finish()
    #expect(texts == ["xyz", "w"])
  }
}
