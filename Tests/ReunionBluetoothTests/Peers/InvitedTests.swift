import struct ReunionCore.SeededBug
import struct ReunionCore.SeededBugs
import ReunionFlow
import Testing

@testable import ReunionBluetooth

/// A person who has a code means the device that shows it, however many others are around.
@Suite struct InvitedTests {
  /// A phone that has met one laptop, another laptop, and a code of either.
  final class Trio {
    let clock = TestClock()
    let medium: SimulatedMedium
    let phone: Bluetooth
    let known: Bluetooth
    let other: Bluetooth

    init(bugs: SeededBugs = []) throws {
      let medium = SimulatedMedium(clock: clock, seed: 77)
      let radios = ["phone", "known", "other"].map { medium.radio($0) }
      let all = try radios.enumerated().map { number, radio in
        try Bluetooth(
          radio: radio, store: MemoryPeerStore(), clock: medium.clock,
          random: MediumRandom(seed: UInt64(number + 1)), seededBugs: bugs)
      }
      self.medium = medium
      (phone, known, other) = (all[0], all[1], all[2])
      known.advertise()
      let first = Invitation()
      known.open(first)
      #expect(find(first) == known.id)
      known.close(first)
    }

    /// Looks for who has opened an invitation.
    func find(_ invitation: Invitation, within limit: Duration = .seconds(60)) -> PeerID? {
      let found = Lock<PeerID??>(nil)
      let search = phone.meet(by: invitation, limit: limit) { peer in
        found.withLock { $0 = .some(peer?.id) }
      }
      let end = clock.now.advanced(by: limit + .seconds(1))
      while found.withLock({ $0 }) == nil, clock.now < end { clock.advance(by: .milliseconds(100)) }
      withExtendedLifetime(search) {}
      return found.withLock { $0 } ?? nil
    }

    func isConnected(to peer: PeerID) -> Bool { phone.peer(peer)?.isConnected.value ?? false }
  }

  @Test(arguments: [SeededBugs(), [.anybodyIsInvited]])
  func `a code finds the device that shows it, and not one that is known (negative control too)`(
    bugs: SeededBugs
  ) throws {
    let trio = try Trio(bugs: bugs)
    let invitation = Invitation()
    trio.other.open(invitation)
    // The known one is near, and the other one comes later.
    let other = trio.other
    _ = trio.clock.schedule(at: trio.clock.now.advanced(by: .seconds(20))) { other.advertise() }
    let found = trio.find(invitation)
    #expect((found == trio.other.id) == bugs.isEmpty)
    guard bugs.isEmpty else { return }
    // The known one stays what it is.
    trio.clock.advance(by: .seconds(60))
    #expect(trio.isConnected(to: trio.known.id) && trio.isConnected(to: trio.other.id))
  }

  @Test func `a code of a device that is known finds it`() throws {
    let trio = try Trio()
    trio.other.advertise()
    let invitation = Invitation()
    trio.known.open(invitation)
    #expect(trio.find(invitation) == trio.known.id)
    trio.clock.advance(by: .seconds(10))
    #expect(trio.isConnected(to: trio.known.id))
  }

  @Test func `a code that nobody shows finds nobody, and leaves everybody as they were`() throws {
    let trio = try Trio()
    trio.other.advertise()
    #expect(trio.find(Invitation(), within: .seconds(30)) == nil)
    trio.clock.advance(by: .seconds(60))
    #expect(trio.isConnected(to: trio.known.id))
    #expect(trio.phone.peer(trio.other.id) == nil)
    // And the next code is as good as any.
    let invitation = Invitation()
    trio.other.open(invitation)
    #expect(trio.find(invitation) == trio.other.id)
  }

  @Test func `each side says by which invitation the other was met, and then that it is known`()
    throws
  {
    let duo = Duo(seed: 78)
    let met = Lock<[String: [Invitation?]]>([:])
    try duo.launch(duo.laptop)
    try duo.launch(duo.phone)
    let watching = [duo.phone, duo.laptop].map { side in
      side.bluetooth?.verified.observe { [name = side.name] peer in
        met.withLock { $0[name, default: []].append(peer.invitation) }
      }
    }
    duo.find()
    duo.phone.link = duo.phone.bluetooth?.meet(duo.laptop.radio.device, by: duo.invitation)
    #expect(duo.settle(within: .seconds(20)) { duo.isConnected })
    duo.medium.part(duo.phone.radio, duo.laptop.radio)
    duo.clock.advance(by: .seconds(20))
    duo.medium.meet(duo.phone.radio, duo.laptop.radio)
    #expect(duo.settle(within: .seconds(60)) { duo.isConnected })
    let expected: [Invitation?] = [duo.invitation, nil]
    #expect(met.withLock { $0 } == ["phone": expected, "laptop": expected])
    // To be met again by what it was met by changes nothing.
    duo.phone.bluetooth?.meet(duo.laptop.radio.device, by: duo.invitation).keep()
    withExtendedLifetime(watching) {}
  }
}
