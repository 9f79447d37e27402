@testable import ReunionFeeds
import Testing

@Suite struct PushParserTests {
  @Test func `hands out elements as they complete`() throws {
    var texts: [String] = []
    let parser = XMLPushParser(collecting: "a") { texts.append(String($0.text)) }
    try parser.push("<r><a>x<b>y</b>z</a><a>".utf8)
    #expect(texts == ["xyz"])
    try parser.push("w</a></r>".utf8)
    try parser.finish()
    #expect(texts == ["xyz", "w"])
  }

  @Test func `an element that is kept stays as it was, while others go through the same memory`()
    throws
  {
    var kept: [ParsedElement] = []
    let parser = XMLPushParser(collecting: "a") { element in
      if element.attribute("n").map({ Int(String($0)) ?? 0 })?.isMultiple(of: 3) == true {
        kept.append(element)
      }
    }
    try parser.push("<r>".utf8)
    for number in 0..<99 {
      try parser.push("<a n='\(number)'>text \(number)<b>\(number)</b></a><new\(number)/>".utf8)
    }
    try parser.push("</r>".utf8)
    try parser.finish()
    #expect(
      kept.map { String($0.text) } == stride(from: 0, to: 99, by: 3).map { "text \($0)\($0)" })
    #expect(
      kept.map { $0.first("b")?.text.number } == stride(from: 0, to: 99, by: 3).map { Double($0) })
    #expect(kept.map(\.markup).first == "text 0<b>0</b>")
  }

  @Test func `texts that are kept alone stay as they were`() throws {
    struct Place: Equatable { var name: XMLText, note: XMLText?, latitude: Double? }
    var kept: [Place] = []
    let parser = XMLPushParser(collecting: "a") { element in
      kept.append(
        Place(
          name: element.first("b")?.text ?? "none", note: element.attribute("n"),
          latitude: element.attribute("lat")?.number))
    }
    try parser.push("<r>".utf8)
    for number in 0..<50 {
      let long = String(repeating: "é", count: number * 100)
      try parser.push("<a lat='-\(number).5' n='&lt;\(long)'><b>\(long)</b></a><a/>".utf8)
    }
    try parser.push("</r>".utf8)
    try parser.finish()
    for number in 0..<50 {
      let place = kept[number * 2]
      let long = String(repeating: "é", count: number * 100)
      #expect(String(place.name) == long)
      #expect(place.note.map { String($0) } == "<" + long)
      #expect(place.latitude == -(Double(number) + 0.5))
      #expect(place.name.byteCount == number * 200)
      #expect(kept[number * 2 + 1] == Place(name: "none", note: nil, latitude: nil))
    }
  }

  @Test func `a small text that is kept does not hold the memory of a large element before it`()
    throws
  {
    var kept: [ParsedElement] = []
    let parser = XMLPushParser(collecting: "a") { if $0.text.byteCount < 9 { kept.append($0) } }
    let large = String(repeating: "x", count: 2 << 20)
    try parser.push("<r>".utf8)
    for _ in 0..<3 { try parser.push("<a>\(large)</a><a>small</a>".utf8) }
    #expect(kept.map { String($0.text) } == ["small", "small", "small"])
    for element in kept { #expect(element.tree.storage.pointee.text.capacity < 64 << 10) }
  }

  @Test func `texts are equal by their bytes`() throws {
    var texts: [XMLText] = []
    let parser = XMLPushParser(collecting: "a") { texts.append($0.text) }
    try parser.push("<r><a>x</a><a>&#120;</a><a>y</a><a/><a>\u{E9}</a><a>e\u{301}</a></r>".utf8)
    try parser.finish()
    #expect(texts[0] == texts[1] && texts[0] == "x" && texts[0] != texts[2])
    #expect(Set(texts).count == 5)
    #expect(texts[3].isEmpty && texts[3] == XMLText() && texts[3] == "")
    // Canonical equivalents are the same string, and not the same bytes.
    #expect(String(texts[4]) == String(texts[5]) && texts[4] != texts[5])
  }

  @Test func `a handler enters, collects and skips, and hears when what it entered is over`() throws
  {
    final class Notes: XMLPushHandler {
      var notes: [String] = []
      var keptTag: ParsedElement?
      func interest(in tag: ParsedElement) -> XMLInterest {
        notes.append(tag.name)
        if tag.name == "collect" { keptTag = tag }
        return switch tag.name {
        case "collect": .collect
        case "skip": .skip
        default: .enter
        }
      }
      func collected(_ element: ParsedElement) { notes.append("=\(element.text)") }
      func left() { notes.append("left") }
    }
    let handler = Notes()
    let parser = XMLPushParser(handler: handler)
    try parser.push(
      "<r><skip>1<collect>2</collect></skip><in>3<collect at='5'>4<in/></collect></in></r>".utf8)
    try parser.finish()
    #expect(handler.notes == ["r", "skip", "in", "collect", "=4", "left", "left"])
    // A tag that is kept has its attributes, and nothing of what came later.
    #expect(handler.keptTag?.attribute("at") == "5")
    #expect(handler.keptTag?.text == "")
  }

  @Test func `an error of the handler ends the document, and comes again`() throws {
    struct Enough: Error, Equatable {}
    var count = 0
    let parser = XMLPushParser(collecting: "a") { _ in
      count += 1
      if count == 2 { throw Enough() }
    }
    #expect(throws: Enough()) { try parser.push("<r><a/><a/><a/><a/></r>".utf8) }
    #expect(throws: Enough()) { try parser.push("<r/>".utf8) }
    #expect(throws: Enough()) { try parser.finish() }
    #expect(count == 2)
  }

  @Test func `a parser that is used from its own handler, or after its end, says so`() throws {
    var inner: XMLPushParser?
    let parser = XMLPushParser(collecting: "a") { _ in try inner?.push("<x/>".utf8) }
    inner = parser
    let error = #expect(throws: FeedError.self) { try parser.push("<r><a/></r>".utf8) }
    #expect(error?.code == .misuse)
    inner = nil
    let other = XMLPushParser(collecting: "a") { _ in }
    try other.push("<r/>".utf8)
    try other.finish()
    try other.finish()
    #expect(throws: FeedError.self) { try other.push("<r/>".utf8) }
  }

  @Test func `names are words of an enum, whatever prefix the document uses`() throws {
    enum Word: String { case item, point = "geo:point" }
    let words = XMLVocabulary<Word>(prefixes: ["urn:a": "", "urn:g": "geo"])
    var found: [Word?] = []
    var numbers: [Double?] = []
    let parser = XMLPushParser(collecting: "list") { list in
      list.forEachChild { child in
        found.append(words[child])
        numbers.append(child.text.number(at: 1))
      }
      #expect(list.children.map { words[$0] } == found)
    }
    try parser.push(
      "<x:list xmlns:x='urn:a' xmlns:y='urn:g'><x:item>1, 2.5</x:item><y:point>3 4 5</y:point><item>6</item><y:item/><z:item/></x:list>"
        .utf8)
    try parser.finish()
    // What is in no namespace is under the empty prefix; a prefix that nothing binds is none.
    #expect(found == [.item, .point, .item, nil, nil])
    #expect(numbers == [2.5, 4, nil, nil, nil])
  }
}
