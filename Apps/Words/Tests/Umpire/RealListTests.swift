import Testing
import WordsCore

@testable import WordsUmpire

/// The lists that the race takes unless the command names others: Debian's `wngerman` and
/// `wamerican`.
@Suite struct RealListTests {
  private static func words(_ name: String) throws -> Set<String> {
    let lexicon = try #require(try WordList.read([name]).first).lexicon
    return Set((0..<lexicon.count).map { lexicon[$0].text })
  }

  @Test func `nouns of the German list may be had`() throws {
    let german = try Self.words("ngerman")
    for noun in ["haus", "baum", "zeitung", "garten", "gärten", "strasse", "lehrerin"] {
      #expect(german.contains(noun), "\(noun) is refused")
    }
    for word in ["gehen", "schnell", "lesen"] { #expect(german.contains(word), "\(word)") }
    #expect(!german.contains("adac"))
  }

  @Test func `names of the English list may not be had`() throws {
    let english = try Self.words("american-english")
    for name in ["anna", "london", "monday", "nasa"] {
      #expect(!english.contains(name), "\(name) is taken")
    }
    for word in ["house", "garden", "newspaper"] { #expect(english.contains(word), "\(word)") }
  }
}
