import Testing

@testable import WordsCore

/// What the server's rule says, beside a judge that is written out plainly.
@Suite struct RoundTests {
  static let start: Int64 = 1_000_000

  static func round() throws -> (round: Round, deal: Deal) {
    let deal = try Deal(from: Lists.lexicon, seed: 3)
    return (Round(deal.rack, Sieve(deal.words), startsAt: start), deal)
  }

  typealias Judge = (String, Int64, Int64, Set<String>) -> Bool

  /// How many of many seeded words a judge sees otherwise than the plain rules.
  static func faults(of judge: Judge, _ deal: Deal) -> Int {
    let listed = Set(deal.words.map(\.text))
    var random = Seeded(9)
    var had: Set<String> = []
    var faults = 0
    for _ in 0..<6_000 {
      var text = deal.words.randomElement(using: &random)?.text ?? ""
      switch Int.random(in: 0..<6, using: &random) {
      case 0: text += "s"
      case 1: text = String(text.reversed())
      case 2: text = String(text.dropLast())
      default: break
      }
      let typed = start + Int64.random(in: -3_000...93_000, using: &random)
      let received = typed + Int64.random(in: -3_000...30_000, using: &random)
      let isRight =
        listed.contains(text) && !had.contains(text) && typed >= start - 1_000
        && typed < start + 90_000 && typed <= received + 1_000 && received <= start + 105_000
      if judge(text, typed, received, had) != isRight { faults += 1 }
      if isRight, Int.random(in: 0..<8, using: &random) == 0 { had.insert(text) }
    }
    return faults
  }

  static func admits(
    _ round: Round, _ text: String, _ typed: Int64, _ received: Int64, _ had: Set<String>
  ) -> Bool {
    (try? round.admit(text, typedAt: typed, receivedAt: received) { had.contains($0.text) }) != nil
  }

  @Test func `takes each word that is to be had, in time, once, and no other`() throws {
    let (round, deal) = try Self.round()
    #expect(Self.faults(of: { Self.admits(round, $0, $1, $2, $3) }, deal) == 0)
  }

  @Test func `a judge with a fault is seen (negative control)`() throws {
    let (round, deal) = try Self.round()
    var longer = round
    longer.closesAt += 5_000
    let all = Round(round.rack, Sieve(deal.words + [try Word("sss")]), startsAt: Self.start)
    let fewer = Round(round.rack, Sieve(Array(deal.words.dropLast(20))), startsAt: Self.start)
    let judges: [(String, Judge)] = [
      ("late ones", { Self.admits(longer, $0, $1, $2, $3) }),
      ("after the end", { Self.admits(round, $0, min($1, Self.start + 89_000), $2, $3) }),
      ("before the start", { Self.admits(round, $0, max($1, Self.start), $2, $3) }),
      ("of the future", { Self.admits(round, $0, $1, max($1, $2), $3) }),
      ("doubles", { text, typed, received, _ in Self.admits(round, text, typed, received, []) }),
      ("a short list", { Self.admits(fewer, $0, $1, $2, $3) }),
      ("everything", { _, _, _, _ in true }), ("nothing", { _, _, _, _ in false }),
    ]
    for (name, judge) in judges { #expect(Self.faults(of: judge, deal) > 0, "\(name)") }
    #expect(Self.faults(of: { Self.admits(all, $0, $1, $2, $3) }, deal) == 0)
  }

  @Test func `each refusal has a sentence of its own, and repeats nothing long`() throws {
    let (round, deal) = try Self.round()
    let word = deal.words[0].text
    func said(_ text: String, _ typed: Int64, _ received: Int64, has: Bool = false) -> String {
      do throws(WordError) {
        _ = try round.admit(text, typedAt: typed, receivedAt: received) { _ in has }
        return ""
      } catch { return error.description }
    }
    let (start, end) = (round.startsAt, round.endsAt)
    var sentences = [
      said("xyz", start, start), said(word, start, start, has: true), said(word, end, end),
      said(word, start - 2_000, start), said(word, start + 5_000, start),
      said(word, start, end + 15_001), said(String(deal.rack.text.prefix(3)), start, start),
      said(word + "a", start, start), said("", start, start), said("a1b", start, start),
    ]
    #expect(said(word, end - 1, end + 15_000) == "")
    let long = said(String(repeating: "ab", count: 5_000), start, start)
    #expect(long.utf8.count < 120)
    sentences.removeAll { $0.isEmpty }
    #expect(sentences.count >= 9 && Set(sentences).count >= 9, "\(sentences)")
  }

  @Test func `a letter that is there too seldom is told apart from one that is not there`() throws {
    let rack = try Rack("stone")
    let sieve = Sieve([try Word("notes")])
    for (text, said) in [
      ("seat", "There is no a among the letters."),
      ("tent", "There are not so many n among the letters."),
      ("tones", "“tones” is not in the list of words."),
    ] {
      do throws(WordError) {
        _ = try Round.read(Array(text.utf8), with: rack, sieve) { _ in false }
        Issue.record("\(text) counts")
      } catch {
        #expect(error.description.hasPrefix(said.prefix(20)), "\(error.description)")
      }
    }
  }
}
