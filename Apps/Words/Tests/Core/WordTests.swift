import Testing

@testable import WordsCore

@Suite struct WordTests {
  static func code(_ text: String) -> WordError.Code? {
    do throws(WordError) {
      _ = try Word(text)
      return nil
    } catch { return error.code }
  }

  @Test(
    arguments: [
      ("Trains", "trains"), ("  sat\n", "sat"), ("\u{FEFF}sat\r\n", "sat"), ("s\rat", nil),
      ("ÄPFEL", "äpfel"), ("A\u{308}pfel", "äpfel"),
      ("Straße", "strasse"), ("STRAẞE", "strasse"), ("ÉCLAIR", "éclair"), ("Ёлка", "ёлка"),
      ("ŁÓDŹ", "łódź"), ("ΛΌΓΟΣ", nil), ("λογος", "λογος"),
    ] as [(String, String?)])
  func `brings what people type to one form`(_ typed: String, _ form: String?) throws {
    if let form {
      #expect(try Word(typed).text == form)
    } else {
      #expect(Self.code(typed) == .notLetters)
    }
  }

  @Test func `says what is no word, of any length`() {
    #expect(Self.code("") == .empty)
    #expect(Self.code("   ") == .empty)
    #expect(Self.code("at") == .tooShort)
    #expect(Self.code("a b c") == .notLetters)
    #expect(Self.code("don't") == .notLetters)
    #expect(Self.code("\u{308}tea") == .notLetters)
    #expect(Self.code("abc\0") == .notLetters)
    #expect(Self.code("🙂🙂🙂") == .notLetters)
    #expect(Self.code("abcdefghij") == .tooLong)
    #expect(Self.code(String(repeating: "a", count: 10_000)) == .tooLong)
    #expect(Self.code(String(repeating: "🙂", count: 10_000)) == .tooLong)
  }

  @Test func `puts the longest first, and then by letters`() throws {
    let words = try ["tea", "steam", "eat", "stamen"].map { try Word($0) }
    #expect(words.sorted().map(\.text) == ["stamen", "steam", "eat", "tea"])
  }

  @Test func `a rack holds what can be laid with it, each letter as often as it is there`() throws {
    let rack = try Rack("tea")
    #expect(try rack.holds(Word("eat")))
    #expect(try !rack.holds(Word("tat")))
    #expect(try !rack.holds(Word("teas")))
    #expect(throws: WordError.self) { try Rack("a1b2") }
    #expect(throws: WordError.self) { try Rack(String(repeating: "a", count: 10_000)) }
  }

  @Test func `the sieve takes its words alone`() throws {
    let words = Lists.lexicon.words(in: try Rack("tarenosis"))
    let sieve = try Sieve(bytes: Sieve(words).bytes)
    #expect(sieve.count == words.count && words.allSatisfy(sieve.passes))
    var random = Seeded(4)
    let all = Set(words)
    for _ in 0..<20_000 {
      let letters = (0..<5).map { _ in UInt16.random(in: 97...122, using: &random) }
      #expect(sieve.passes(Word(letters: letters)) == all.contains(Word(letters: letters)))
    }
    #expect(throws: WordError.self) { try Sieve(bytes: [1, 2, 3]) }
    #expect(throws: WordError.self) { try Sieve(bytes: Array(repeating: 0, count: 60_000)) }
    #expect(try !Sieve(bytes: []).passes(words[0]))
  }
}
