import ReunionCore
import ReunionFlow
import ReunionStore
import ReunionSync
import ReunionTesting
import TestThreads
import Testing

/// A peer is told that its push is held only when it is on the disk (guarantee 5; docs/protocol.md 2.7).
@Suite(.onOwnThread) struct AcknowledgementTests {
  /// Sends a whole push to a session; its disk may fail while the push is applied.
  private func push(
    failing: Bool, bugs: SeededBugs = []
  ) throws -> (isAcknowledged: Bool, isHeld: Bool) {
    let clock = TestClock()
    let disk = SimulatedDisk(seed: 3)
    let store = try Store.open(
      folder: Story.folder, model: model, options: Story.options(disk, seed: 3, bugs: bugs))
    let ends = MemoryLink.pair(clock: clock, random: SharedRandom(seed: 3))
    let heard = Lock<[Message]>([])
    let session = Session(
      link: ends.1, store: store, configuration: Session.Configuration(space: space),
      clock: clock, execute: { work in _ = clock.schedule(at: clock.now, work) })
    session.start()
    ends.0.start { event in
      guard case .received(let bytes) = event, let message = try? Message(decoding: bytes) else {
        return
      }
      heard.withLock { $0.append(message) }
    }
    func say(_ message: Message) {
      ends.0.send(message.encoded())
      clock.advance(by: .seconds(2))
    }
    let peer = Site(device: 5, incarnation: 5)
    let creation = Cell(
      field: Cell.existence, merge: .creation, dot: Dot(site: peer, seq: 1),
      stamp: Stamp(milliseconds: 1_000_000), value: .null)
    var vector = VersionVector()
    vector.raise(peer, to: 1)
    say(.hello(Hello(space: space, site: peer, isLeaf: false, seq: 1)))
    say(.pull(Pull(position: [], vector: VersionVector())))
    say(.changes([Change(entity: 1, record: RecordID(high: 1, low: 1), cell: creation)]))
    if failing { disk.faults.failingCalls = disk.callCount + 1..<Int.max }
    say(
      .pushEnd(
        PushEnd(
          cursor: 1, position: [],
          raised: vector.entries.map { PushEnd.Raised(site: .new($0.site), seq: $0.seq) })))
    disk.faults = DiskFaults()
    let isAcknowledged = heard.withLock { heard in
      heard.contains { if case .acknowledge = $0 { true } else { false } }
    }
    return (isAcknowledged, try store.vector(of: space)[peer] == 1)
  }

  @Test func `a push that the disk does not take is not acknowledged`() throws {
    #expect(try push(failing: false) == (true, true))
    #expect(try push(failing: true) == (false, false))
  }

  @Test func `an acknowledgement before the commit is found (negative control)`() throws {
    #expect(try push(failing: true, bugs: [.acknowledgeBeforeCommit]) == (true, false))
  }
}
