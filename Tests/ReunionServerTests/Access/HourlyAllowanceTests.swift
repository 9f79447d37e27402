import Testing

@testable import ReunionServer

@Suite struct HourlyAllowanceTests {
  @Test func `a device has its hour's, and others have theirs`() {
    let allowance = HourlyAllowance(100)
    func takes(_ amount: Int, _ device: UInt64, _ now: Double) -> Bool {
      allowance.charge(amount, to: device, now: now)
    }
    #expect(takes(60, 1, 5_000) && takes(40, 1, 5_001))
    #expect(!takes(1, 1, 8_599))
    #expect(takes(100, 2, 8_599))
    #expect(takes(60, 1, 8_600))
    // What is refused costs nothing, and what makes no sense gives nothing back.
    #expect(!takes(41, 1, 8_601) && !takes(.max, 1, 8_601))
    #expect(takes(-1_000, 1, 8_602) && !takes(41, 1, 8_602))
    #expect(takes(40, 1, 8_602))
    // A clock that is set back begins an hour, and shuts nobody out.
    #expect(takes(100, 1, 100))
  }
}
