import Foundation
import ReunionFlow
import Testing

@testable import ReunionBluetooth

/// What outlives a process, and many peers at once.
@Suite struct PeerTests {
  static func folder() -> String {
    FileManager.default.temporaryDirectory.appending(path: "bluetooth-\(UUID())").path
  }

  @Test func `messages on disk survive kills of both, in the middle too`() throws {
    let folders = [Self.folder(), Self.folder()]
    defer { for folder in folders { try? FileManager.default.removeItem(atPath: folder) } }
    let duo = Duo(seed: 21, stores: try folders.map { try FilePeerStore($0) })
    try duo.meet()
    let messages = (0..<6).map { someBytes($0 * 9000, UInt64($0)) }
    for message in messages { duo.send(message, on: .blobs, from: duo.phone) }
    duo.send([7], from: duo.laptop)
    for round in 0..<6 {
      duo.clock.advance(by: .milliseconds(300))
      let side = round % 2 == 0 ? duo.laptop : duo.phone
      duo.kill(side)
      duo.clock.advance(by: .seconds(1))
      try duo.launch(side)
      _ = duo.settle(within: .seconds(100)) { duo.isConnected }
    }
    #expect(duo.settle(within: .seconds(100)) { duo.laptop.taken[.blobs] == messages })
    #expect(duo.phone.taken[.records] == [[7]])
    // Nothing is left behind but the names and numbers.
    duo.clock.advance(by: .seconds(5))
    let peers = try FileManager.default.contentsOfDirectory(atPath: folders[1])
    #expect(Set(peers).isSuperset(of: ["key", "peers"]))
    for folder in folders {
      for name in try FileManager.default.subpathsOfDirectory(atPath: folder)
      where name.contains("/") { #expect(name.hasSuffix("/state"), "\(name)") }
    }
    let mode = try FileManager.default.attributesOfItem(atPath: folders[0] + "/key")[
      .posixPermissions]
    #expect(mode as? Int == 0o600)
  }

  @Test func `a file that a power cut has damaged is asked for again`() throws {
    let folders = [Self.folder(), Self.folder()]
    defer { for folder in folders { try? FileManager.default.removeItem(atPath: folder) } }
    let duo = Duo(seed: 22, stores: try folders.map { try FilePeerStore($0) })
    try duo.meet()
    let message = someBytes(60_000, 3)
    duo.send(message, on: .blobs, from: duo.phone)
    duo.clock.advance(by: .milliseconds(500))
    duo.kill(duo.laptop)
    let file = try #require(
      try FileManager.default.subpathsOfDirectory(atPath: folders[1])
        .first { $0.contains("/in.2.1") })
    var bytes = try Data(contentsOf: URL(filePath: folders[1] + "/" + file))
    #expect(bytes.count > 5000)
    bytes[4000] ^= 1
    try bytes.write(to: URL(filePath: folders[1] + "/" + file))
    duo.clock.advance(by: .seconds(1))
    try duo.launch(duo.laptop)
    // Its tag shows it at the end; then it comes whole.
    #expect(duo.settle(within: .seconds(200)) { duo.laptop.taken[.blobs] == [message] })
  }

  @Test func `a damaged file of peers is told, and not taken for none`() throws {
    let folder = Self.folder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let medium = SimulatedMedium(clock: TestClock(), seed: 1)
    _ = try Bluetooth(radio: medium.radio("a"), folder: folder, clock: medium.clock)
    try Data([1, 2, 3]).write(to: URL(filePath: folder + "/peers"))
    let error = #expect(throws: BluetoothError.self) {
      try Bluetooth(radio: medium.radio("b"), folder: folder, clock: medium.clock)
    }
    #expect(error?.code == .disk && error?.localizedDescription.contains("Remove") == true)
  }

  @Test func `who is unpaired is forgotten, and must be met again`() throws {
    let folders = [Self.folder(), Self.folder()]
    defer { for folder in folders { try? FileManager.default.removeItem(atPath: folder) } }
    let stores = try folders.map { try FilePeerStore($0) }
    let duo = Duo(seed: 23, stores: stores)
    try duo.meet()
    let laptop = try #require(duo.laptop.bluetooth?.id)
    duo.medium.part(duo.phone.radio, duo.laptop.radio)
    let failed = Lock<BluetoothError?>(nil)
    duo.phone.peer?.send([1]) { result in
      if case .failure(let error) = result { failed.withLock { $0 = error } }
    }
    duo.phone.bluetooth?.unpair(laptop)
    #expect(failed.withLock { $0?.code } == .unpaired)
    #expect(try stores[0].peers().isEmpty)
    let left = try FileManager.default.contentsOfDirectory(atPath: folders[0])
    #expect(Set(left) == ["key", "lock", "peers"])
    duo.medium.meet(duo.phone.radio, duo.laptop.radio)
    duo.clock.advance(by: .seconds(200))
    #expect(!duo.isConnected && duo.phone.bluetooth?.peer(laptop) == nil)
    duo.phone.link = duo.phone.bluetooth?.meet(duo.laptop.radio.device, by: duo.invitation)
    #expect(duo.settle(within: .seconds(30)) { duo.isConnected })
    duo.send([5], from: duo.phone)
    #expect(duo.settle(within: .seconds(5)) { duo.laptop.taken[.records]?.last == [5] })
  }

  @Test func `a message that is too long is refused, one of 64 KiB and one of nothing are not`()
    throws
  {
    let duo = Duo(seed: 24)
    try duo.meet()
    let failed = Lock<BluetoothError?>(nil)
    duo.phone.peer?.send(someBytes(65_537, 1)) { result in
      if case .failure(let error) = result { failed.withLock { $0 = error } }
    }
    #expect(failed.withLock { $0?.code } == .tooLarge)
    duo.send([], from: duo.phone)
    duo.send(someBytes(65_536, 2), from: duo.phone)
    #expect(duo.settle(within: .seconds(20)) { duo.phone.confirmedCount == 2 })
  }

  @Test func `a slow program holds its sender back, and not the other lane`() throws {
    let duo = Duo(seed: 25)
    try duo.meet()
    duo.laptop.takeDelay = .seconds(20)
    for number in 0..<8 { duo.send(someBytes(60_000, UInt64(number)), on: .blobs, from: duo.phone) }
    duo.clock.advance(by: .seconds(15))
    // Nothing was taken yet: what is held is bounded, and the sender waits.
    let held = duo.phone.radio.givenBytes
    #expect(held < 2 * PeerMailbox.heldBytesGoal)
    duo.clock.advance(by: .seconds(4))
    #expect(duo.phone.radio.givenBytes - held < 1000)
    duo.laptop.takeDelay = nil
    duo.send([1], from: duo.phone)
    #expect(duo.settle(within: .seconds(2)) { duo.laptop.taken[.records] == [[1]] })
    #expect(duo.settle(within: .seconds(60)) { duo.laptop.taken[.blobs]?.count == 8 })
  }

  @Test func `many phones talk to one laptop at once`() throws {
    let clock = TestClock()
    let medium = SimulatedMedium(clock: clock, seed: 26)
    let laptopRadio = medium.radio("laptop")
    let laptop = try Bluetooth(
      radio: laptopRadio, store: MemoryPeerStore(), clock: clock, random: MediumRandom(seed: 1))
    let invitation = Invitation()
    laptop.open(invitation)
    laptop.advertise()
    let (taken, confirmed) = (Lock<[PeerID: [[UInt8]]]>([:]), Lock(0))
    let watching = laptop.verified.observe { peer in
      peer.receive { message in
        taken.withLock { $0[peer.id, default: []].append(message.bytes) }
        message.taken()
      }
      peer.send([9]) { _ in }
    }
    var phones: [Bluetooth] = []
    var subscriptions: [SignalSubscription] = []
    for number in 0..<12 {
      let phone = try Bluetooth(
        radio: medium.radio("phone \(number)"), store: MemoryPeerStore(), clock: clock,
        random: MediumRandom(seed: UInt64(number + 10)))
      phones.append(phone)
      subscriptions.append(
        phone.verified.observe { peer in
          for index in 0..<10 {
            peer.send(someBytes(500, UInt64(number * 100 + index))) { _ in
              confirmed.withLock { $0 += 1 }
            }
          }
        })
      let scan = phone.scan(for: [ReunionService.id], limit: .seconds(1)) { _ in }
      clock.advance(by: .seconds(1))
      scan.cancel()
      _ = phone.meet(laptopRadio.device, by: invitation)
    }
    clock.advance(by: .seconds(60))
    #expect(confirmed.withLock { $0 } == 120)
    for (number, phone) in phones.enumerated() {
      #expect(
        taken.withLock { $0[phone.id] }
          == (0..<10).map { someBytes(500, UInt64(number * 100 + $0)) })
    }
    laptop.close(invitation)
    watching.cancel()
    subscriptions.forEach { $0.cancel() }
  }

  @Test func `two devices that both connect to each other settle on one connection`() throws {
    let clock = TestClock()
    let medium = SimulatedMedium(clock: clock, seed: 27)
    let radios = [medium.radio("a"), medium.radio("b")]
    let invitation = Invitation()
    let devices = try radios.enumerated().map { number, radio in
      try Bluetooth(
        radio: radio, store: MemoryPeerStore(), clock: clock,
        random: MediumRandom(seed: UInt64(number + 1)))
    }
    for device in devices {
      device.open(invitation)
      device.advertise()
    }
    let scans = devices.map { $0.scan(for: [], limit: .seconds(1)) { _ in } }
    clock.advance(by: .seconds(1))
    scans.forEach { $0.cancel() }
    let flips = Lock(0)
    _ = devices[0].meet(radios[1].device, by: invitation)
    clock.advance(by: .seconds(3))
    _ = devices[1].meet(radios[0].device, by: invitation)
    clock.advance(by: .seconds(60))
    let peer = try #require(devices[0].peer(devices[1].id))
    let watching = peer.isConnected.observe { _ in flips.withLock { $0 += 1 } }
    clock.advance(by: .seconds(600))
    #expect(peer.isConnected.value)
    // `observe` tells the present value once; after that there is peace.
    #expect(flips.withLock { $0 } <= 1)
    watching.cancel()
    withExtendedLifetime(devices) {}
  }

  @Test func `an advertisement that has no room is refused, and the last one stays`() throws {
    let clock = TestClock()
    let medium = SimulatedMedium(clock: clock, seed: 28)
    let (radio, other) = (medium.radio("a"), medium.radio("b"))
    let bluetooth = try Bluetooth(radio: radio, store: MemoryPeerStore(), clock: clock)
    let found = Lock<Set<[UInt8]>>([])
    other.start { event in
      guard case .sighted(let sighting) = event else { return }
      found.withLock { _ = $0.insert(sighting.manufacturerData) }
    }
    clock.advance(by: .seconds(1))
    let service = BluetoothID(high: 1, low: 2)
    // 28 bytes: 18 for the service, and 10 for the data.
    let longest = Advertisement(services: [service], manufacturerData: someBytes(8, 1))
    try bluetooth.advertise(longest)
    for tooLong in [
      Advertisement(services: [service], manufacturerData: someBytes(9, 2)),
      Advertisement(services: [service, BluetoothID(high: 3, low: 4)]),
      Advertisement(services: (1...14).map { BluetoothID(assigned: $0) }),
    ] {
      let error = #expect(throws: BluetoothError.self) { try bluetooth.advertise(tooLong) }
      #expect(error?.code == .tooLarge)
    }
    other.scan(for: [])
    clock.advance(by: .seconds(5))
    #expect(found.withLock { $0 } == [longest.manufacturerData])
    bluetooth.stopAdvertising()
    clock.advance(by: .seconds(1))
    found.withLock { $0 = [] }
    clock.advance(by: .seconds(5))
    #expect(found.withLock { $0 }.isEmpty)
  }

  @Test func `who is met from both sides is still connected to after a start`() throws {
    let clock = TestClock()
    let medium = SimulatedMedium(clock: clock, seed: 29)
    let radios = [medium.radio("a"), medium.radio("b")]
    let stores = [MemoryPeerStore(), MemoryPeerStore()]
    let invitation = Invitation()
    func launch(_ side: Int, _ seed: UInt64) throws -> Bluetooth {
      let bluetooth = try Bluetooth(
        radio: radios[side], store: stores[side], clock: clock, random: MediumRandom(seed: seed))
      bluetooth.open(invitation)
      bluetooth.advertise()
      return bluetooth
    }
    var devices = [try launch(0, 1), try launch(1, 2)]
    let scans = devices.map { $0.scan(for: [], limit: .seconds(1)) { _ in } }
    clock.advance(by: .seconds(1))
    scans.forEach { $0.cancel() }
    // Each connects to the other, one after the other.
    for side in 0...1 {
      let link = devices[side].meet(radios[1 - side].device, by: invitation)
      clock.advance(by: .seconds(20))
      link.close()
      clock.advance(by: .seconds(20))
    }
    for side in 0...1 {
      #expect(stores[side].peers().map(\.device) == [radios[1 - side].device])
    }
    // The first one is started anew, and connects; the other one only waits.
    let (id, other) = (devices[0].id, devices[1])
    devices.removeFirst()
    radios[0].killProcess()
    let again = try launch(0, 3)
    clock.advance(by: .seconds(20))
    #expect(again.peer(other.id)?.isConnected.value == true)
    #expect(other.peer(id)?.isConnected.value == true)
  }

  @Test func `who waits for a peer or a device is told when all of it is released`() throws {
    let duo = Duo(seed: 30)
    try duo.meet()
    duo.medium.part(duo.phone.radio, duo.laptop.radio)
    let told = Lock<[BluetoothError.Code?]>([])
    @Sendable func note<Value: Sendable>(_ result: Result<Value, BluetoothError>) {
      if case .failure(let error) = result { told.withLock { $0.append(error.code) } }
    }
    let peer = try #require(duo.phone.peer)
    let link = try #require(duo.phone.link)
    peer.send([1]) { note($0) }
    peer.send([2], on: .blobs) { note($0) }
    // The system has not noticed yet that the other is out of reach.
    link.read(ReunionService.outward) { note($0) }
    link.write([1], to: ReunionService.inward) { note($0) }
    let isOver = Lock(false)
    let scan = duo.phone.bluetooth?.scan(for: [], limit: .seconds(1000)) { sighting in
      if sighting == nil { isOver.withLock { $0 = true } }
    }
    #expect(told.withLock { $0.isEmpty })
    duo.phone.bluetooth = nil
    let closed = BluetoothError.Code.closed
    #expect(told.withLock { $0 } == [closed, closed, closed, closed])
    #expect(isOver.withLock { $0 } && !peer.isConnected.value)
    // And who asks later.
    peer.send([3]) { note($0) }
    link.read(ReunionService.outward) { note($0) }
    link.write([1], to: ReunionService.inward) { note($0) }
    #expect(told.withLock { $0 } == Array(repeating: closed, count: 7))
    // What waits is kept, and goes on.
    duo.kill(duo.phone)
    duo.medium.meet(duo.phone.radio, duo.laptop.radio)
    try duo.launch(duo.phone)
    let expected: [Lane: [[UInt8]]] = [.records: [[1]], .blobs: [[2]]]
    #expect(duo.settle(within: .seconds(60)) { duo.laptop.taken == expected })
    withExtendedLifetime(scan) {}
  }
}
