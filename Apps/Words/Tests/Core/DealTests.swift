import Testing

@testable import WordsCore

@Suite struct DealTests {
  /// Why a deal is not what it says, or nil.
  static func fault(of deal: Deal, in bytes: [UInt8]) -> String? {
    let plain = Lists.plainWords(bytes, in: deal.rack.text)
    guard Set(deal.words.map(\.text)) == plain else { return "it does not name all its words" }
    guard plain.count >= 40, plain.count(where: { $0.count >= 5 }) >= 10 else {
      return "it has too few words"
    }
    guard plain.count <= 600 else { return "it has too many words" }
    return plain.contains { $0.count == 9 } ? nil : "no word uses all letters"
  }

  @Test(arguments: 0..<12 as Range<UInt64>)
  func `deals letters that hold enough words, all of which it names`(_ seed: UInt64) throws {
    let bytes = Lists.bytes()
    let deal = try Deal(from: Lists.lexicon, seed: seed)
    #expect(Self.fault(of: deal, in: bytes) == nil, "\(deal.rack.text)")
    #expect(try Deal(from: Lists.lexicon, seed: seed).rack == deal.rack)
    #expect(deal.words == deal.words.sorted())
  }

  @Test func `a deal that is not what it says is seen (negative control)`() throws {
    let bytes = Lists.bytes()
    let deal = try Deal(from: Lists.lexicon, seed: 1)
    let fewer = Deal(rack: deal.rack, words: Array(deal.words.dropLast()))
    #expect(Self.fault(of: fewer, in: bytes) == "it does not name all its words")
    let poor = Deal(rack: try Rack("bcdfghjkl"), words: [])
    #expect(Self.fault(of: poor, in: bytes) == "it has too few words")
    let shorter = Rack(letters: Array(deal.rack.letters.dropLast()))
    let words = Lists.lexicon.words(in: shorter)
    #expect(Self.fault(of: Deal(rack: shorter, words: words), in: bytes) != nil)
    #expect(!Deal.isEnough(words))
    #expect(!Deal.isEnough(Array(deal.words.prefix(39))))
  }

  @Test func `a list with too few words is told in a sentence`() {
    for bytes in [[], Array("trains\nnastier".utf8), Lists.bytes(30), [255, 10, 254, 0]] {
      #expect(throws: WordError.self) { try Deal(from: Lexicon(bytes), seed: 1) }
    }
  }

  @Test func `leaves names out, but not where every noun has a capital`() {
    let english = Lexicon(Array("Anna\nhouse\ntree\ngarden\nUSA\nhouse's\nIBMs".utf8))
    #expect((0..<english.count).map { english[$0].text } == ["garden", "house", "tree"])
    let german = Lexicon(Array("Haus\nBaum\nGarten\ngehen\nUSA\nStraße\nÄpfel".utf8))
    #expect(
      (0..<german.count).map { german[$0].text }
        == ["baum", "garten", "gehen", "haus", "strasse", "äpfel"])
  }

  @Test func `reads a list with lines as Windows writes them, and a mark in front`() {
    for text in ["Haus\nBaum\nGarten\ngehen\n", "house\ntree\n"] {
      let plain = Lexicon(Array(text.utf8))
      let other = Lexicon(Array(("\u{FEFF}" + text.replacing("\n", with: "\r\n")).utf8))
      #expect(other.count == plain.count && plain.count > 1)
      #expect((0..<plain.count).allSatisfy { plain[$0] == other[$0] })
    }
  }

  @Test func `a rare letter is not dealt`() throws {
    let bytes = Lists.bytes() + Array("\ntarenosté\ntarenostô".utf8)
    let lexicon = Lexicon(bytes)
    #expect(try !lexicon.isUsual(Word("tarenosté")))
    #expect(try lexicon.isUsual(Word("tarenosts")))
  }
}
