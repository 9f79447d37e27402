import Foundation
import ReunionFlow
import Testing

@testable import ReunionBluetooth

/// What is kept on disk, and a disk that fails for a moment.
@Suite struct StoreTests {
  /// How many files of a folder this process has open.
  static func openCount(in folder: String) throws -> Int {
    let descriptors = "/proc/self/fd"
    return try FileManager.default.contentsOfDirectory(atPath: descriptors).count { name in
      let path = try? FileManager.default.destinationOfSymbolicLink(
        atPath: "\(descriptors)/\(name)")
      return path?.hasPrefix(folder + "/") == true
    }
  }

  @Test func `thousands of small messages that nobody takes hold a few files open`() throws {
    let folder = PeerTests.folder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let store = try FilePeerStore(folder)
    let peer = try #require(PeerID(bytes: NoiseTests.bytes(1)))
    let before = try Self.openCount(in: folder)
    _ = try store.messages(of: peer)
    let mailbox = try PeerMailbox(with: peer, store: store)
    var sealed: [SealedMessage] = []
    for number in 1...3000 as ClosedRange<UInt64> {
      let message = try SealedMessage(
        [UInt8(truncatingIfNeeded: number)], number: number, key: someBytes(32, number))
      let head = message.head.bytes
      for lane in Lane.allCases {
        try mailbox.receive(
          ([UInt8(head.count)] + head + message.bytes)[...], on: lane
        ) { $0 }
      }
      sealed.append(message)
    }
    #expect(try Self.openCount(in: folder) <= before + Lane.allCases.count)
    let stored = try store.messages(of: peer)
    for lane in Lane.allCases {
      #expect(stored.arriving[lane]?.map(\.bytes) == sealed.map(\.bytes))
    }
    // The program takes them after all.
    for number in 1...20 as ClosedRange<UInt64> {
      #expect(mailbox.give(on: .blobs)?.text == [UInt8(number)])
      #expect(try mailbox.take(number, on: .blobs))
    }
    #expect(try store.messages(of: peer).arriving[.blobs]?.count == 2980)
    try store.forget(peer)
    #expect(try Self.openCount(in: folder) == before)
  }

  @Test(arguments: [
    FailingPeerStore.Step.begin, .append, .take, .beginInbox,
  ])
  func `a receiver whose disk fails for a moment gets everything, and once`(
    step: FailingPeerStore.Step
  ) throws {
    let folder = PeerTests.folder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    for store in [MemoryPeerStore(), try FilePeerStore(folder)] as [any PeerStore] {
      let failing = FailingPeerStore(store)
      let duo = Duo(seed: 41, stores: [MemoryPeerStore(), failing])
      failing.fail(step, times: step == .beginInbox ? 1 : 0)
      try duo.meet()
      _ = duo.settle(within: .seconds(100)) { duo.isConnected }
      let faultCount = Lock(0)
      let watching = duo.phone.link?.transitions.observe { transition in
        if case .ready = transition.from { faultCount.withLock { $0 += 1 } }
      }
      let messages = (0..<4 as Range<UInt64>).map { someBytes(9000, $0) }
      if step != .beginInbox { failing.fail(step) }
      for message in messages { duo.send(message, on: .blobs, from: duo.phone) }
      #expect(duo.settle(within: .seconds(100)) { duo.phone.confirmedCount == 4 })
      #expect(duo.laptop.taken[.blobs] == messages && duo.laptop.faults.isEmpty)
      #expect(failing.failureCount == 1)
      // One failure costs one connection at most.
      #expect(faultCount.withLock { $0 } <= 1)
      watching?.cancel()
      duo.kill(duo.laptop)
    }
  }

  @Test(arguments: [1, 5])
  func `who wants a peer's messages while its disk fails gets them when it does no more`(
    failureCount: Int
  ) throws {
    let failing = FailingPeerStore(MemoryPeerStore())
    let duo = Duo(seed: 43, stores: [MemoryPeerStore(), failing])
    try duo.meet()
    let phone = try #require(duo.phone.bluetooth?.id)
    duo.kill(duo.laptop)
    let laptop = try Bluetooth(
      radio: duo.laptop.radio, store: failing, clock: duo.clock, random: MediumRandom(seed: 9))
    laptop.advertise()
    // It asks once, before anybody is here.
    failing.fail(.messages, times: failureCount)
    let peer = try #require(laptop.peer(phone))
    let (taken, events) = (Lock<[[UInt8]]>([]), Lock<[String]>([]))
    peer.receive { message in
      message.taken()
    }
    peer.receive { message in
      taken.withLock { $0.append(message.bytes) }
      message.taken()
    }
    let gone = peer.listen { _ in events.withLock { $0.append("gone") } }
    let listening = peer.listen { event in
      if case .opened = event { events.withLock { $0.append("opened") } }
    }
    gone.cancel()
    #expect(failing.failureCount >= 1)
    duo.send([1], from: duo.phone)
    #expect(duo.settle(within: .seconds(60)) { duo.phone.confirmedCount == 1 })
    // The last one who asked has it, and who does not listen any more hears nothing.
    #expect(taken.withLock { $0 } == [[1]])
    #expect(events.withLock { $0.first == "opened" && !$0.contains("gone") })
    #expect(failing.failureCount == failureCount)
    withExtendedLifetime((laptop, listening)) {}
  }

  @Test func `a sender whose disk fails for a moment is told all the same when a message is there`()
    throws
  {
    let failing = FailingPeerStore(MemoryPeerStore())
    let duo = Duo(seed: 42, stores: [failing, MemoryPeerStore()])
    try duo.meet()
    failing.fail(.settle)
    duo.send([1], from: duo.phone)
    #expect(duo.settle(within: .seconds(100)) { duo.phone.confirmedCount == 1 })
    duo.send([2], from: duo.phone)
    #expect(duo.settle(within: .seconds(100)) { duo.phone.confirmedCount == 2 })
    #expect(duo.laptop.taken[.records] == [[1], [2]] && failing.failureCount == 1)
  }

  @Test func `what a failed write has left of some bytes is not there`() throws {
    let folder = PeerTests.folder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let store = try FilePeerStore(folder)
    let peer = try #require(PeerID(bytes: NoiseTests.bytes(1)))
    _ = try store.messages(of: peer)
    let message = try SealedMessage(someBytes(900, 1), number: 1, key: someBytes(32, 1))
    // Where there was no room for the head: the message begins anew.
    try store.begin(message.head, on: .blobs, from: peer)
    try store.append(message.bytes.prefix(300), to: 1, on: .blobs, from: peer)
    try store.begin(message.head, on: .blobs, from: peer)
    try store.append(message.bytes[...], to: 1, on: .blobs, from: peer)
    #expect(try store.messages(of: peer).arriving[.blobs]?.map(\.bytes) == [message.bytes])
  }

  @Test func `what earlier builds kept of a peer opens, and has no marks`() throws {
    let folder = PeerTests.folder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let store = try FilePeerStore(folder)
    let peer = try #require(PeerID(bytes: NoiseTests.bytes(1)))
    _ = try store.messages(of: peer)
    let file = URL(filePath: "\(folder)/\(peer.description.prefix(32))/state")
    #expect(FileManager.default.fileExists(atPath: file.path))
    // Two names, then by lane the next number and the last one that was taken.
    try Data([0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 9, 3, 2, 5, 4]).write(to: file)
    var stored = try store.messages(of: peer)
    #expect(stored.outbox == 7 && stored.inbox == 9 && stored.takenMarks.isEmpty)
    #expect(stored.next == [.records: 3, .blobs: 5] && stored.taken == [.records: 2, .blobs: 4])
    try store.take(.records, through: 3, mark: [1, 2, 3, 4, 5, 6, 7, 8], from: peer)
    stored = try store.messages(of: peer)
    #expect(stored.takenMarks == [.records: [1, 2, 3, 4, 5, 6, 7, 8], .blobs: []])
    #expect(stored.next == [.records: 3, .blobs: 5] && stored.taken == [.records: 3, .blobs: 4])
  }

  @Test func `one folder is for one program at a time, and the error says what to do`() throws {
    let folder = PeerTests.folder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let medium = SimulatedMedium(clock: TestClock(), seed: 1)
    var first: Bluetooth? = try Bluetooth(
      radio: medium.radio("a"), folder: folder, clock: medium.clock)
    let error = #expect(throws: BluetoothError.self) {
      try Bluetooth(radio: medium.radio("b"), folder: folder, clock: medium.clock)
    }
    #expect(error?.description.contains(folder) == true)
    #expect(error?.description.contains("another folder") == true)
    // Where the first one is over, the next may.
    let id = first?.id
    first = nil
    let next = try Bluetooth(radio: medium.radio("b"), folder: folder, clock: medium.clock)
    #expect(next.id == id)
  }

  @Test func `who is told of the end of one may open its folder again at once`() throws {
    let folder = PeerTests.folder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let clock = TestClock()
    let medium = SimulatedMedium(clock: clock, seed: 44)
    let (radio, other) = (medium.radio("phone"), medium.radio("laptop"))
    let laptop = try Bluetooth(radio: other, store: MemoryPeerStore(), clock: clock)
    let invitation = Invitation()
    laptop.open(invitation)
    laptop.advertise()
    var phone: Bluetooth? = try Bluetooth(radio: radio, folder: folder, clock: clock)
    let scan = phone?.scan(for: [], limit: .seconds(1)) { _ in }
    clock.advance(by: .seconds(1))
    scan?.cancel()
    let link = try #require(phone?.meet(other.device, by: invitation))
    clock.advance(by: .seconds(20))
    let peer = try #require(phone?.peer(laptop.id))
    #expect(peer.isConnected.value)
    let spare = medium.radio("spare")
    let told = Lock<[String]>([])
    @Sendable func open(_ name: String) {
      do {
        _ = try Bluetooth(radio: spare, folder: folder, clock: clock)
        told.withLock { $0.append(name) }
      } catch {
        told.withLock { $0.append("\(name): \(error)") }
      }
    }
    peer.send([1]) { _ in open("send") }
    link.read(BluetoothID(assigned: 0x2A38)) { _ in open("read") }
    link.write([1], to: ReunionService.inward) { _ in open("write") }
    let listening = peer.listen { if case .closed = $0 { open("stream") } }
    let ending = phone?.scan(for: [], limit: .seconds(1000)) { if $0 == nil { open("scan") } }
    phone = nil
    #expect(told.withLock { $0.sorted() } == ["read", "scan", "send", "stream", "write"])
    withExtendedLifetime((listening, ending)) {}
  }

  @Test func `who asks something of one that is being released hears so when that is done`() throws
  {
    let failing = FailingPeerStore(MemoryPeerStore())
    let duo = Duo(seed: 45, stores: [failing, MemoryPeerStore()])
    try duo.meet()
    let (peer, link) = (try #require(duo.phone.peer), try #require(duo.phone.link))
    let events = Lock<[String]>([])
    failing.whenClosed.withLock {
      $0 = {
        peer.send([1]) { _ in events.withLock { $0.append("send") } }
        link.read(ReunionService.outward) { _ in events.withLock { $0.append("read") } }
        link.write([1], to: ReunionService.inward) { _ in events.withLock { $0.append("write") } }
        events.withLock { $0.append("given up") }
      }
    }
    duo.phone.bluetooth = nil
    #expect(events.withLock { $0 } == ["given up", "send", "read", "write"])
    peer.send([2]) { _ in events.withLock { $0.append("later") } }
    #expect(events.withLock { $0.last } == "later")
  }

  @Test func `a damaged file of devices is told, and not taken for none`() throws {
    let folder = PeerTests.folder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let store = try FilePeerStore(folder)
    let plans = (0..<3 as Range<UInt64>).map { number in
      LinkPlan(
        service: BluetoothID(high: number, low: .max),
        subscriptions: (0..<number).map { BluetoothID(high: $0, low: number) })
    }
    for (number, plan) in plans.enumerated() { try store.keep(DeviceID("d\(number)"), for: plan) }
    #expect(try store.devices().count == 3 && store.devices()[DeviceID("d2")] == plans[2])
    try store.keep(DeviceID("d1"), for: nil)
    #expect(try store.devices() == [DeviceID("d0"): plans[0], DeviceID("d2"): plans[2]])
    let file = URL(filePath: folder + "/devices")
    try Data(contentsOf: file).dropLast().write(to: file)
    let error = #expect(throws: BluetoothError.self) { try store.devices() }
    #expect(error?.code == .disk && error?.description.contains("Remove") == true)
  }

  /// A store with four messages that wait, from number 6 on.
  static func queueOfFour(in folder: String, for peer: PeerID) throws -> (
    messages: StoredMessages, home: String
  ) {
    let store = try FilePeerStore(folder)
    _ = try store.messages(of: peer)
    for number in 1...9 as ClosedRange<UInt64> {
      try store.queue(
        SealedMessage([UInt8(number)], number: number, key: someBytes(32, number)), on: .blobs,
        for: peer)
    }
    try store.settle(.blobs, through: 5, for: peer)
    let messages = try store.messages(of: peer)
    #expect(messages.queued[.blobs]?.map(\.number) == [6, 7, 8, 9] && messages.next[.blobs] == 10)
    return (messages, "\(folder)/\(peer.description.prefix(32))")
  }

  @Test(arguments: 0...4)
  func `a kill while messages get other numbers loses none of them`(renamedCount: Int) throws {
    let folder = PeerTests.folder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let peer = try #require(PeerID(bytes: NoiseTests.bytes(1)))
    let (before, home) = try Self.queueOfFour(in: folder, for: peer)
    // As far as it had come.
    for index in 0..<renamedCount {
      try FileManager.default.moveItem(
        atPath: "\(home)/out.2.\(6 + index)", toPath: "\(home)/out.2.\(1 + index)")
    }
    let store = try FilePeerStore(folder)
    let after = try store.messages(of: peer)
    #expect(after.queued[.blobs]?.map(\.bytes) == before.queued[.blobs]?.map(\.bytes))
    let first: UInt64 = renamedCount == 0 ? 6 : 1
    #expect(after.queued[.blobs]?.map(\.number) == Array(first..<first + 4))
    #expect(after.next[.blobs] == first + 4)
    // Whoever knows the old numbers is told that they are others.
    #expect((after.outbox == before.outbox) == (renamedCount == 0))
    #expect(try store.messages(of: peer) == after)
    try store.renumber(outbox: 77, for: peer)
    let last = try store.messages(of: peer)
    #expect(last.outbox == 77 && last.queued[.blobs] == before.queued[.blobs]?.renumbered)
  }

  @Test func `a message whose file is damaged does not stop those after it`() throws {
    let folder = PeerTests.folder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let peer = try #require(PeerID(bytes: NoiseTests.bytes(1)))
    let (before, home) = try Self.queueOfFour(in: folder, for: peer)
    try Data([1, 2]).write(to: URL(filePath: "\(home)/out.2.7"))
    let after = try FilePeerStore(folder).messages(of: peer)
    #expect(after.outbox != before.outbox && after.queued[.blobs]?.map(\.number) == [1, 2, 3])
    #expect(
      after.queued[.blobs]?.map(\.bytes)
        == before.queued[.blobs]?.filter { $0.number != 7 }.map(\.bytes))
  }
}
