import Foundation
import ReunionFlow
import Testing

@testable import ReunionBluetooth

/// What an app does with any device: a strap that measures a heart rate, and is no peer.
@Suite struct CentralTests {
  static let service = BluetoothID(assigned: 0x180D)
  static let rate = BluetoothID(assigned: 0x2A37)
  static let place = BluetoothID(assigned: 0x2A38)
  static let control = BluetoothID(assigned: 0x2A39)

  /// A strap, which notes what is written to it.
  final class Strap: Sendable {
    let radio: SimulatedRadio
    let written = Lock<[[UInt8]]>([])
    let listeners = Lock<Set<DeviceID>>([])

    init(_ medium: SimulatedMedium) {
      radio = medium.radio("strap")
      let (written, listeners) = (written, listeners)
      radio.start { [weak radio] event in
        switch event {
        case .received(_, _, let bytes): written.withLock { $0.append(bytes) }
        case .listening(let device, _): listeners.withLock { _ = $0.insert(device) }
        case .state(.on):
          radio?.serve([
            RadioService(
              CentralTests.service,
              [
                RadioService.Characteristic(CentralTests.rate, .notify),
                RadioService.Characteristic(CentralTests.place, .read, value: [1]),
                RadioService.Characteristic(CentralTests.control, [.write, .writeWithoutResponse]),
              ])
          ])
          radio?.advertise(
            Advertisement(
              services: [CentralTests.service], name: "Strap", manufacturerData: [0x4C, 0, 7]))
        default: break
        }
      }
    }

    func tell(_ value: UInt8) {
      for device in listeners.withLock({ $0 }) {
        _ = radio.notify([0, value], of: CentralTests.rate, to: device)
      }
    }
  }

  /// An app's phone and a strap that it keeps connected.
  final class Scene: @unchecked Sendable {
    let clock = TestClock()
    let medium: SimulatedMedium
    let strap: Strap
    let phone: SimulatedRadio
    let bluetooth: Bluetooth
    let sightings = Lock<[Sighting]>([])
    let values = Lock<[UInt8]>([])
    var link: KeptLink?
    private var watching: SignalSubscription?

    init(quality: RadioQuality = RadioQuality()) throws {
      medium = SimulatedMedium(clock: clock, seed: 1, quality: quality)
      strap = Strap(medium)
      phone = medium.radio("phone")
      bluetooth = try Bluetooth(radio: phone, store: MemoryPeerStore(), clock: clock)
      clock.advance(by: .seconds(1))
    }

    func keep() {
      let sightings = sightings
      let scan = bluetooth.scan(for: [CentralTests.service], limit: .seconds(5)) { sighting in
        if let sighting { sightings.withLock { $0.append(sighting) } }
      }
      clock.advance(by: .seconds(1))
      scan.cancel()
      let link = bluetooth.keepConnected(
        strap.radio.device,
        for: LinkPlan(service: CentralTests.service, subscriptions: [CentralTests.rate]))
      let values = values
      watching = link.values.observe { value in values.withLock { $0 += value.bytes } }
      self.link = link
      clock.advance(by: .seconds(3))
    }

    var isReady: Bool {
      if case .ready? = link?.state.value { true } else { false }
    }

    func comesBack(within limit: Duration) -> Bool {
      let end = clock.now.advanced(by: limit)
      while !isReady, let next = clock.nextMoment, next <= end { clock.advance(to: next) }
      return isReady
    }
  }

  @Test func `a scan tells what it hears, and ends in time`() throws {
    let scene = try Scene()
    let (heard, end) = (Lock<[Sighting]>([]), Lock<Moment?>(nil))
    let clock = scene.clock
    let scan = scene.bluetooth.scan(for: [Self.service], limit: .seconds(10)) { sighting in
      if let sighting {
        heard.withLock { $0.append(sighting) }
      } else {
        end.withLock { $0 = clock.now }
      }
    }
    let other = Lock(0)
    let none = scene.bluetooth.scan(for: [Self.rate], limit: .seconds(10)) { sighting in
      if sighting != nil { other.withLock { $0 += 1 } }
    }
    scene.clock.advance(by: .seconds(60))
    let sighting = try #require(heard.withLock { $0.first })
    #expect(sighting.device == scene.strap.radio.device && sighting.name == "Strap")
    #expect(sighting.services == [Self.service] && sighting.manufacturerData == [0x4C, 0, 7])
    #expect((-100 ... -20).contains(sighting.signalStrength))
    #expect(end.withLock { $0 } == Moment(nanoseconds: 11_000_000_000))
    #expect(other.withLock { $0 } == 0)
    #expect(heard.withLock { $0.count } < 12)
    scan.cancel()
    none.cancel()
  }

  @Test func `a device is read, written in any length, and tells its values`() throws {
    for mtu in [23, 185, 517] {
      var quality = RadioQuality()
      quality.mtu = mtu
      let scene = try Scene(quality: quality)
      scene.keep()
      #expect(scene.isReady)
      let answers = Lock<[Result<[UInt8], BluetoothError>]>([])
      let note: @Sendable (Result<[UInt8], BluetoothError>) -> Void = { answer in
        answers.withLock { $0.append(answer) }
      }
      let link = try #require(scene.link)
      link.read(Self.place, note)
      link.write(someBytes(1500, 1), to: Self.control, note)
      scene.strap.tell(61)
      scene.clock.advance(by: .seconds(10))
      #expect(answers.withLock { $0.first } == .success([1]))
      #expect(answers.withLock { $0.count } == 2)
      #expect(scene.strap.written.withLock { Array($0.joined()) } == someBytes(1500, 1))
      #expect(scene.strap.written.withLock { $0.allSatisfy { $0.count <= mtu - 3 } })
      #expect(scene.values.withLock { $0 } == [0, 61])
      // Faster than the radio takes it: the rest waits.
      scene.strap.written.withLock { $0 = [] }
      link.writeWithoutResponse(someBytes(100_000, 2), to: Self.control)
      scene.clock.advance(by: .seconds(60))
      #expect(scene.strap.written.withLock { Array($0.joined()) } == someBytes(100_000, 2))
      link.read(BluetoothID(assigned: 0xFFFF), note)
      scene.clock.advance(by: .seconds(1))
      guard case .failure(let error)? = answers.withLock({ $0.last }) else {
        throw CancellationError()
      }
      #expect(error.code == .refused)
    }
  }

  @Test func `it comes back from everything without a call`() throws {
    let scene = try Scene()
    scene.keep()
    #expect(scene.isReady)
    let (phone, strap) = (scene.phone, scene.strap.radio)
    scene.medium.cut(phone, strap)
    scene.clock.advance(by: .milliseconds(10))
    #expect(!scene.isReady)
    #expect(scene.comesBack(within: .seconds(2)))
    for seconds in [1, 20, 100, 86_400] {
      scene.medium.part(phone, strap)
      scene.clock.advance(by: .seconds(seconds + 2))
      #expect(!scene.isReady)
      scene.medium.meet(phone, strap)
      #expect(scene.comesBack(within: .seconds(2)), "\(seconds) s away")
    }
    phone.setPower(false)
    scene.clock.advance(by: .seconds(100))
    #expect(scene.bluetooth.state.value == .off)
    #expect(scene.bluetooth.state.value.remedy == "Switch Bluetooth on.")
    phone.setPower(true)
    #expect(scene.comesBack(within: .seconds(5)))
    phone.restartService()
    scene.clock.advance(by: .seconds(1))
    #expect(scene.bluetooth.state.value == .serviceLost)
    #expect(scene.comesBack(within: .seconds(10)))
    scene.strap.radio.setPower(false)
    scene.clock.advance(by: .seconds(300))
    scene.strap.radio.setPower(true)
    #expect(scene.comesBack(within: .seconds(2)))
    // It subscribes again each time.
    scene.values.withLock { $0 = [] }
    scene.strap.tell(70)
    scene.clock.advance(by: .seconds(1))
    #expect(scene.values.withLock { $0 } == [0, 70])
  }

  @Test func `who closes a link is left alone, and who asks of it meanwhile hears so`() throws {
    let scene = try Scene()
    scene.keep()
    let link = try #require(scene.link)
    let answer = Lock<Result<[UInt8], BluetoothError>?>(nil)
    scene.medium.part(scene.phone, scene.strap.radio)
    link.read(Self.place) { result in answer.withLock { $0 = result } }
    scene.clock.advance(by: .seconds(3))
    guard case .failure(let error)? = answer.withLock({ $0 }) else { throw CancellationError() }
    #expect(error.code == .notConnected)
    link.close()
    scene.medium.meet(scene.phone, scene.strap.radio)
    scene.clock.advance(by: .seconds(1000))
    #expect(!scene.isReady)
    link.keep()
    #expect(scene.comesBack(within: .seconds(5)))
    #expect(link.state.value.context.device == link.device)
  }

  @Test func `a device that lacks what is asked of it is tried again, and harms nobody`() throws {
    let scene = try Scene()
    let scan = scene.bluetooth.scan(for: [], limit: .seconds(2)) { _ in }
    scene.clock.advance(by: .seconds(3))
    let link = scene.bluetooth.keepConnected(
      scene.strap.radio.device,
      for: LinkPlan(service: Self.service, subscriptions: [BluetoothID(assigned: 0x2A00)]))
    let states = Lock<Set<String>>([])
    let watching = link.state.observe { state in
      states.withLock { _ = $0.insert(LinkMachine.name(ofState: state)) }
    }
    scene.clock.advance(by: .seconds(60))
    // Twice with a pause, then without what the system remembers.
    #expect(states.withLock { $0 }.isSuperset(of: ["discovering", "resetting", "seeking"]))
    #expect(!states.withLock { $0.contains("ready") })
    watching.cancel()
    scan.cancel()
  }

  @Test func `names of services are read in both forms`() {
    #expect(BluetoothID("180D") == Self.service)
    #expect(BluetoothID("0000180d-0000-1000-8000-00805f9b34fb") == Self.service)
    #expect(Self.service.description == "0000180d-0000-1000-8000-00805f9b34fb")
    #expect(BluetoothID("hello") == nil && BluetoothID("") == nil)
    #expect(BluetoothID(ReunionService.inward.description) == ReunionService.inward)
  }

  @Test func `reasons of a controller have their classes`() {
    let codes: [(UInt8, DisconnectReason)] = [
      (0x08, .outOfRange), (0x13, .leftOnPurpose), (0x15, .leftOnPurpose), (0x16, .asked),
      (0x05, .keyLost), (0x3E, .notEstablished), (0x02, .unknownDevice), (0x0D, .refused),
      (0x77, .unknown),
    ]
    for (code, reason) in codes { #expect(DisconnectReason(controllerCode: code) == reason) }
  }

  @Test func `long values that are written at once come one after the other`() throws {
    var quality = RadioQuality()
    quality.mtu = 23
    let scene = try Scene(quality: quality)
    scene.keep()
    let link = try #require(scene.link)
    let answers = Lock<[Int]>([])
    let values = (0..<3).map { [UInt8](repeating: UInt8($0), count: 100) }
    for (number, value) in values.enumerated() {
      link.write(value, to: Self.control) { result in
        if case .success = result { answers.withLock { $0.append(number) } }
      }
    }
    scene.clock.advance(by: .seconds(10))
    #expect(scene.strap.written.withLock { Array($0.joined()) } == Array(values.joined()))
    #expect(answers.withLock { $0 } == [0, 1, 2])
    // With the connection all of them fail, each once; those of the next one are none of theirs.
    let failures = Lock<[Int]>([])
    for (number, value) in values.enumerated() {
      link.write(value, to: Self.control) { result in
        if case .failure = result { failures.withLock { $0.append(number) } }
      }
    }
    scene.clock.advance(by: .milliseconds(40))
    scene.medium.cut(scene.phone, scene.strap.radio)
    scene.clock.advance(by: .milliseconds(10))
    #expect(failures.withLock { $0.sorted() } == [0, 1, 2])
    #expect(scene.comesBack(within: .seconds(5)))
    scene.strap.written.withLock { $0 = [] }
    link.write(values[2], to: Self.control) { _ in }
    scene.clock.advance(by: .seconds(10))
    #expect(scene.strap.written.withLock { Array($0.joined()) } == values[2])
    #expect(failures.withLock { $0.count } == 3)
  }

  @Test(arguments: [true, false])
  func `a device that is wanted for something else is subscribed to that`(isClosed: Bool) throws {
    let scene = try Scene()
    let scan = scene.bluetooth.scan(for: [], limit: .seconds(2)) { _ in }
    scene.clock.advance(by: .seconds(3))
    let device = scene.strap.radio.device
    let first = scene.bluetooth.keepConnected(device, for: LinkPlan(service: Self.service))
    scene.link = first
    #expect(scene.comesBack(within: .seconds(5)))
    if isClosed {
      first.close()
      scene.clock.advance(by: .seconds(10))
    }
    let second = scene.bluetooth.keepConnected(
      device, for: LinkPlan(service: Self.service, subscriptions: [Self.rate]))
    let values = Lock<[UInt8]>([])
    let watching = second.values.observe { value in values.withLock { $0 += value.bytes } }
    scene.clock.advance(by: .seconds(10))
    #expect(scene.isReady)
    scene.strap.tell(61)
    scene.clock.advance(by: .seconds(1))
    #expect(values.withLock { $0 } == [0, 61])
    // The same again changes nothing.
    let isSame = Lock(true)
    let moves = second.transitions.observe { transition in
      if transition.from != transition.to { isSame.withLock { $0 = false } }
    }
    _ = scene.bluetooth.keepConnected(
      device, for: LinkPlan(service: Self.service, subscriptions: [Self.rate]))
    scene.clock.advance(by: .seconds(10))
    #expect(scene.isReady && isSame.withLock { $0 })
    withExtendedLifetime((watching, moves, scan)) {}
  }

  @Test func `a device that is kept is connected at launch, until its link is closed`() throws {
    let folder = PeerTests.folder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    for store in [MemoryPeerStore(), try FilePeerStore(folder)] as [any PeerStore] {
      let clock = TestClock()
      let medium = SimulatedMedium(clock: clock, seed: 1)
      let (strap, phone) = (Strap(medium), medium.radio("phone"))
      let failing = FailingPeerStore(store)
      func launch() throws -> Bluetooth {
        phone.killProcess()
        return try Bluetooth(radio: phone, store: failing, clock: clock)
      }
      var bluetooth = try launch()
      clock.advance(by: .seconds(1))
      let scan = bluetooth.scan(for: [Self.service], limit: .seconds(2)) { _ in }
      clock.advance(by: .seconds(3))
      let plan = LinkPlan(service: Self.service, subscriptions: [Self.rate])
      // A disk that is full for a moment changes nothing.
      failing.fail(.keepDevice)
      let link = bluetooth.keepConnected(strap.radio.device, for: plan)
      clock.advance(by: .seconds(5))
      #expect(bluetooth.keptLinks.map(\.device) == [link.device])
      #expect(try store.devices() == [link.device: plan] && failing.failureCount == 1)

      bluetooth = try launch()
      let values = Lock<[UInt8]>([])
      let again = try #require(bluetooth.keptLinks.first)
      #expect(bluetooth.keptLinks.count == 1 && again.device == link.device)
      let watching = again.values.observe { value in values.withLock { $0 += value.bytes } }
      clock.advance(by: .seconds(5))
      strap.tell(61)
      clock.advance(by: .seconds(1))
      #expect(values.withLock { $0 } == [0, 61])

      again.close()
      clock.advance(by: .seconds(1))
      #expect(try store.devices().isEmpty && bluetooth.keptLinks.isEmpty)
      again.keep()
      #expect(try store.devices() == [link.device: plan])
      again.close()
      bluetooth = try launch()
      #expect(bluetooth.keptLinks.isEmpty)
      withExtendedLifetime((scan, watching)) {}
    }
  }
}
