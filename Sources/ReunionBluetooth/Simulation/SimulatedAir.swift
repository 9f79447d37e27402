public import ReunionFlow

/// An air for simulated radios, on virtual time and from one seed: the same seed, the same run.
///
/// ```swift
/// let clock = TestClock()
/// let air = SimulatedAir(clock: clock, seed: 7)
/// let (phone, laptop) = (air.radio("phone"), air.radio("laptop"))
/// air.part(phone, laptop)          // out of range
/// clock.advance(by: .seconds(60 * 60 * 24))
/// air.meet(phone, laptop)          // and back
/// ```
///
/// *Thread*: events come inside `TestClock.advance`; let one thread at a time use it.
public final class SimulatedAir: Sendable {
  let clock: TestClock
  private let qualityLock: Lock<AirQuality>
  let sky: Lock<Sky>

  /// Makes an air in which every radio hears every other.
  public init(clock: TestClock, seed: UInt64, quality: AirQuality = AirQuality()) {
    self.clock = clock
    qualityLock = Lock(quality)
    sky = Lock(Sky(random: SeededAir(seed: seed)))
  }

  /// How well it carries what is sent from now on.
  public var quality: AirQuality {
    get { qualityLock.withLock { $0 } }
    set { qualityLock.withLock { $0 = newValue } }
  }

  /// Adds a radio, which others know by its name.
  public func radio(_ name: String) -> SimulatedRadio {
    let number = sky.withLock { sky in
      sky.stations.append(Sky.Station(name: name))
      return sky.stations.count - 1
    }
    return SimulatedRadio(self, number)
  }

  /// How many values were carried so far.
  public var carriedCount: Int { sky.withLock { $0.carriedCount } }

  /// Cuts the connection in place of carrying the value of this number, counted from the first of all.
  public func cut(atValue number: Int?) { sky.withLock { $0.cutAt = number } }

  /// Takes two radios out of each other's range: a second later both notice.
  public func part(_ one: SimulatedRadio, _ other: SimulatedRadio) {
    let number = sky.withLock { sky -> Int? in
      sky.apart.insert([min(one.number, other.number), max(one.number, other.number)])
      guard let number = sky.connection(one.number, other.number) else { return nil }
      sky.connections[number]?.isSilent = true
      return number
    }
    if let number { later(.seconds(1)) { $0.breakOff(number, ifSilent: true) } }
  }

  /// Brings two radios into each other's range.
  public func meet(_ one: SimulatedRadio, _ other: SimulatedRadio) {
    sky.withLock { sky in
      sky.apart.remove([min(one.number, other.number), max(one.number, other.number)])
      guard let number = sky.connection(one.number, other.number) else { return }
      sky.connections[number]?.isSilent = false
    }
    look()
  }

  /// Breaks the connection of two radios, which stay in range.
  public func cut(_ one: SimulatedRadio, _ other: SimulatedRadio) {
    if let number = sky.withLock({ $0.connection(one.number, other.number) }) { breakOff(number) }
  }

  // MARK: What happens in it

  func later(_ delay: Duration, _ body: @escaping @Sendable (SimulatedAir) -> Void) {
    _ = clock.schedule(at: clock.now.advanced(by: delay)) { [weak self] in
      if let self { body(self) }
    }
  }

  func report(_ event: RadioEvent, to station: Int, after delay: Duration = .milliseconds(1)) {
    later(delay) { air in air.sky.withLock { $0.stations[station].deliver }?(event) }
  }

  func device(_ station: Int) -> DeviceID {
    DeviceID(sky.withLock { $0.stations[station].name })
  }

  /// The connection is lost: both sides hear of it.
  func breakOff(_ number: Int, ifSilent: Bool = false, _ reason: DisconnectReason = .outOfRange) {
    let now = clock.now
    let lost = sky.withLock { sky -> Sky.Connection? in
      guard let connection = sky.connections[number], !ifSilent || connection.isSilent else {
        return nil
      }
      sky.connections[number] = nil
      sky.stations[connection.central].known[connection.peripheral] = now
      return connection
    }
    guard let lost else { return }
    report(.disconnected(device(lost.peripheral), reason), to: lost.central)
    report(.left(device(lost.central), reason), to: lost.peripheral)
  }

  /// Somebody may hear somebody now: sightings and connections that were waited for.
  func look() {
    let (pairs, scans) = sky.withLock { sky -> ([(Int, Int, Int)], [Int]) in
      var pairs: [(Int, Int, Int)] = []
      for one in sky.stations.indices {
        for (other, attempt) in sky.stations[one].attempts.sorted(by: { $0.key < $1.key })
        where sky.isReachable(other, from: one) { pairs.append((one, other, attempt)) }
      }
      return (pairs, sky.stations.indices.filter { sky.stations[$0].wanted != nil })
    }
    for (one, other, attempt) in pairs {
      let delay = sky.withLock { Int.random(in: 50...170, using: &$0.random) }
      later(.milliseconds(delay)) { $0.finish(one, other, attempt) }
    }
    for one in scans { later(.milliseconds(100)) { $0.sight(one, isRepeated: false) } }
  }

  /// An attempt to connect succeeds, if it is still wanted and still can.
  private func finish(_ one: Int, _ other: Int, _ attempt: Int) {
    let isMade = sky.withLock { sky -> Bool in
      guard sky.stations[one].attempts[other] == attempt, sky.isReachable(other, from: one) else {
        return false
      }
      sky.stations[one].attempts[other] = nil
      sky.lastNumber += 1
      sky.connections[sky.lastNumber] = Sky.Connection(central: one, peripheral: other)
      return true
    }
    if isMade { report(.connected(device(other)), to: one) }
  }

  /// A station that scans hears who advertises, once a second.
  func sight(_ one: Int, isRepeated: Bool = true) {
    let now = clock.now
    let sightings = sky.withLock { sky -> [Sighting] in
      guard let wanted = sky.stations[one].wanted else { return [] }
      var sightings: [Sighting] = []
      for other in sky.stations.indices where other != one {
        guard sky.hears(one, other), let advertisement = sky.stations[other].advertisement,
          wanted.isEmpty || !Set(wanted).isDisjoint(with: advertisement.services)
        else { continue }
        sky.stations[one].known[other] = now
        sightings.append(
          Sighting(
            device: DeviceID(sky.stations[other].name), name: advertisement.name,
            signalStrength: -50 - Int.random(in: 0...20, using: &sky.random),
            services: advertisement.services, manufacturerData: advertisement.manufacturerData,
            serviceData: advertisement.serviceData))
      }
      return sightings
    }
    for sighting in sightings { report(.sighted(sighting), to: one) }
    if isRepeated, !sightings.isEmpty { later(.seconds(1)) { $0.sight(one) } }
  }
}
