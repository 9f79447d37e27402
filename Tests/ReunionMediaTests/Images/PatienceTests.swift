import Testing

@testable import ReunionMedia

/// How long a host waits for a worker that is slow, that hangs, or that nobody can tell of.
@Suite struct PatienceTests {
  /// Waits for five seconds at a time for somebody who computes `each` a second, and says how long in all.
  private func seconds(computing each: Double?, until stops: Double = .infinity) -> Double {
    var now: UInt64 = 7_000_000_000
    let began = now
    func passed() -> Double { Double(now - began) / 1e9 }
    let patience = Patience(seconds: 5, now: { now }) {
      each.map { UInt64(1e9 * $0 * min(passed(), stops)) }
    }
    while true {
      let left = patience.left()
      if left == 0 { return passed() }
      now += left
    }
  }

  @Test func `who hangs is waited for once`() {
    #expect(seconds(computing: 0) == 5)
  }

  @Test func `who gets little of the processor is waited for, yet not for ever`() {
    #expect(seconds(computing: 0.001) == 50)
  }

  @Test func `who hangs in the middle is waited for until then, and once more`() {
    #expect(seconds(computing: 0.5, until: 12) == 20)
  }

  @Test func `of whom nobody can tell is waited for once`() {
    #expect(seconds(computing: nil) == 5)
  }

  @Test(arguments: [Int.min, 0, .max])
  func `any limit is a number`(seconds: Int) {
    let patience = Patience(seconds: seconds, now: { 0 }) { 0 }
    #expect(patience.left() >= 1_000_000_000)
  }
}
