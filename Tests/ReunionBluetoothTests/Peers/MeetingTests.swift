import ReunionFlow
import Testing

@testable import ReunionBluetooth

/// How two devices get to know each other, and exchange their first messages.
@Suite struct MeetingTests {
  @Test func `two devices meet by an invitation and exchange messages`() throws {
    let duo = Duo()
    try duo.meet()
    #expect(duo.isConnected)
    for number in 0..<20 {
      duo.send(someBytes(number * 100, UInt64(number)), from: duo.phone)
      duo.send(someBytes(number * 70, UInt64(number + 99)), on: .blobs, from: duo.laptop)
    }
    #expect(
      duo.settle(within: .seconds(30)) {
        duo.phone.confirmedCount == 20 && duo.laptop.confirmedCount == 20
      })
    #expect(duo.laptop.taken[.records] == (0..<20).map { someBytes($0 * 100, UInt64($0)) })
    #expect(duo.phone.taken[.blobs] == (0..<20).map { someBytes($0 * 70, UInt64($0 + 99)) })
  }
}
