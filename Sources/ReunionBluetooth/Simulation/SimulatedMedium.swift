public import ReunionFlow

/// A radio medium for simulated radios, on virtual time and from one seed: the same seed, the same
/// run.
///
/// ```swift
/// let clock = TestClock()
/// let medium = SimulatedMedium(clock: clock, seed: 7)
/// let (phone, laptop) = (medium.radio("phone"), medium.radio("laptop"))
/// medium.part(phone, laptop)          // out of range
/// clock.advance(by: .seconds(60 * 60 * 24))
/// medium.meet(phone, laptop)          // and back
/// ```
///
/// Two radios of one medium are two devices to each `Bluetooth` that uses them. So a test of an app
/// has a day out of range pass in milliseconds.
///
/// *Thread*: events come inside `TestClock.advance`; let one thread at a time use it.
public final class SimulatedMedium: Sendable {
  let clock: TestClock
  private let qualityLock: Lock<RadioQuality>
  let topology: Lock<Topology>

  /// Makes a medium in which every radio hears every other, until they are parted.
  ///
  /// - Parameters:
  ///   - clock: The time of the medium; give the same one to each `Bluetooth` that uses it.
  ///   - seed: All chance comes from it: the moments of connections, and what is lost.
  ///   - quality: How well it carries; without another that of a good link.
  public init(clock: TestClock, seed: UInt64, quality: RadioQuality = RadioQuality()) {
    self.clock = clock
    qualityLock = Lock(quality)
    topology = Lock(Topology(random: MediumRandom(seed: seed)))
  }

  /// How well it carries what is sent from now on, between all of its radios.
  public var quality: RadioQuality {
    get { qualityLock.withLock { $0 } }
    set { qualityLock.withLock { $0 = newValue } }
  }

  /// Adds a radio, which others know by its name (`DeviceID`). It is switched on. Each needs a name
  /// of its own.
  public func radio(_ name: String) -> SimulatedRadio {
    let number = topology.withLock { topology in
      topology.stations.append(Topology.Station(name: name))
      return topology.stations.count - 1
    }
    return SimulatedRadio(self, number)
  }

  /// How many values with bytes were carried so far, both ways and over all connections. Those that
  /// got lost on the way count too.
  public var carriedCount: Int { topology.withLock { $0.carriedCount } }

  /// Cuts the connection in place of carrying the value of this number, counted from the first of
  /// all (`carriedCount`). It happens once; nil takes it back. So a test can cut at each value of a
  /// run in turn.
  public func cut(atValue number: Int?) { topology.withLock { $0.cutAt = number } }

  /// Takes two radios out of each other's range: a second later both notice. What is sent meanwhile
  /// is lost. Where they meet again within that second, the connection goes on.
  public func part(_ one: SimulatedRadio, _ other: SimulatedRadio) {
    let number = topology.withLock { topology -> Int? in
      topology.apart.insert([min(one.number, other.number), max(one.number, other.number)])
      guard let number = topology.connection(one.number, other.number) else { return nil }
      topology.connections[number]?.isSilent = true
      return number
    }
    if let number { later(.seconds(1)) { $0.breakOff(number, ifSilent: true) } }
  }

  /// Brings two radios into each other's range; connections that were asked for stand a moment
  /// later.
  public func meet(_ one: SimulatedRadio, _ other: SimulatedRadio) {
    topology.withLock { topology in
      topology.apart.remove([min(one.number, other.number), max(one.number, other.number)])
      guard let number = topology.connection(one.number, other.number) else { return }
      topology.connections[number]?.isSilent = false
    }
    look()
  }

  /// Breaks the connection of two radios, which stay in range; without a connection it does
  /// nothing. Both hear of it a millisecond later, as `outOfRange`.
  public func cut(_ one: SimulatedRadio, _ other: SimulatedRadio) {
    if let number = topology.withLock({ $0.connection(one.number, other.number) }) {
      breakOff(number)
    }
  }

  // MARK: What happens in it

  func later(_ delay: Duration, _ body: @escaping @Sendable (SimulatedMedium) -> Void) {
    _ = clock.schedule(at: clock.now.advanced(by: delay)) { [weak self] in
      if let self { body(self) }
    }
  }

  func report(_ event: RadioEvent, to station: Int, after delay: Duration = .milliseconds(1)) {
    later(delay) { medium in medium.topology.withLock { $0.stations[station].deliver }?(event) }
  }

  func device(_ station: Int) -> DeviceID {
    DeviceID(topology.withLock { $0.stations[station].name })
  }

  /// The connection is lost: both sides hear of it.
  func breakOff(_ number: Int, ifSilent: Bool = false, _ reason: DisconnectReason = .outOfRange) {
    let now = clock.now
    let lost = topology.withLock { topology -> Topology.Connection? in
      guard let connection = topology.connections[number], !ifSilent || connection.isSilent else {
        return nil
      }
      topology.connections[number] = nil
      topology.stations[connection.central].known[connection.peripheral] = now
      return connection
    }
    guard let lost else { return }
    report(.disconnected(device(lost.peripheral), reason), to: lost.central)
    report(.left(device(lost.central), reason), to: lost.peripheral)
  }

  /// Somebody may hear somebody now: sightings and connections that were waited for.
  func look() {
    let (pairs, scans) = topology.withLock { topology -> ([(Int, Int, Int)], [Int]) in
      var pairs: [(Int, Int, Int)] = []
      for one in topology.stations.indices {
        for (other, attempt) in topology.stations[one].attempts.sorted(by: { $0.key < $1.key })
        where topology.isReachable(other, from: one) { pairs.append((one, other, attempt)) }
      }
      return (pairs, topology.stations.indices.filter { topology.stations[$0].wanted != nil })
    }
    for (one, other, attempt) in pairs {
      let delay = topology.withLock { Int.random(in: 50...170, using: &$0.random) }
      later(.milliseconds(delay)) { $0.finish(one, other, attempt) }
    }
    for one in scans { later(.milliseconds(100)) { $0.sight(one, isRepeated: false) } }
  }

  /// An attempt to connect succeeds, if it is still wanted and still can.
  private func finish(_ one: Int, _ other: Int, _ attempt: Int) {
    let isMade = topology.withLock { topology -> Bool in
      guard topology.stations[one].attempts[other] == attempt,
        topology.isReachable(other, from: one)
      else {
        return false
      }
      topology.stations[one].attempts[other] = nil
      topology.lastNumber += 1
      topology.connections[topology.lastNumber] = Topology.Connection(
        central: one, peripheral: other)
      return true
    }
    if isMade { report(.connected(device(other)), to: one) }
  }

  /// A station that scans hears who advertises, once a second.
  func sight(_ one: Int, isRepeated: Bool = true) {
    let now = clock.now
    let sightings = topology.withLock { topology -> [Sighting] in
      guard let wanted = topology.stations[one].wanted else { return [] }
      var sightings: [Sighting] = []
      for other in topology.stations.indices where other != one {
        guard topology.hears(one, other),
          let advertisement = topology.stations[other].advertisement,
          wanted.isEmpty || !Set(wanted).isDisjoint(with: advertisement.services)
        else { continue }
        topology.stations[one].known[other] = now
        sightings.append(
          Sighting(
            device: DeviceID(topology.stations[other].name), name: advertisement.name,
            signalStrength: -50 - Int.random(in: 0...20, using: &topology.random),
            services: advertisement.services, manufacturerData: advertisement.manufacturerData,
            serviceData: advertisement.serviceData))
      }
      return sightings
    }
    for sighting in sightings { report(.sighted(sighting), to: one) }
    if isRepeated, !sightings.isEmpty { later(.seconds(1)) { $0.sight(one) } }
  }
}
