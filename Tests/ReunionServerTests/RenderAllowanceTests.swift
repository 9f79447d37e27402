import Testing

@testable import ReunionServer

@Suite struct RenderAllowanceTests {
  private func takes(
    _ allowance: RenderAllowance, _ pixels: Int, _ device: UInt64, _ now: Double
  ) -> Bool {
    (try? allowance.charge(pixels, to: device, now: now)) != nil
  }

  @Test func `a device has its pixels an hour, and others have theirs`() {
    let allowance = RenderAllowance(pixelsPerHour: 100)
    #expect(takes(allowance, 60, 1, 5_000) && takes(allowance, 40, 1, 5_001))
    #expect(!takes(allowance, 1, 1, 8_599))
    #expect(takes(allowance, 100, 2, 8_599))
    #expect(takes(allowance, 60, 1, 8_600))
    // What is refused costs nothing, and what makes no sense gives nothing back.
    #expect(!takes(allowance, 41, 1, 8_601) && !takes(allowance, .max, 1, 8_601))
    #expect(takes(allowance, -1_000, 1, 8_602) && !takes(allowance, 41, 1, 8_602))
    #expect(takes(allowance, 40, 1, 8_602))
    // A clock that is set back begins an hour, and shuts nobody out.
    #expect(takes(allowance, 100, 1, 100))
  }

  @Test func `who has had enough is told so, with 429`() {
    let error = #expect(throws: UploadError.self) {
      try RenderAllowance(pixelsPerHour: 9).charge(10, to: 1)
    }
    #expect(error?.status == 429 && error?.description.hasSuffix(".") == true)
  }
}
