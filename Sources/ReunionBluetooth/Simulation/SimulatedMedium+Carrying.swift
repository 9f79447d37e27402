import ReunionFlow

extension SimulatedMedium {
  /// Puts something into the queue of a connection; false when there is no room.
  func send(
    _ transmission: Topology.Transmission, from one: Int, to other: Int, mayWait: Bool = true
  ) -> Bool {
    let quality = quality
    let result = topology.withLock { topology -> (isTaken: Bool, tick: Int?) in
      guard let number = topology.connection(one, other),
        var connection = topology.connections[number]
      else {
        return (true, nil)
      }
      let way = connection.central == one ? 0 : 1
      if !mayWait, connection.queues[way].count >= quality.queuedValuesMax {
        topology.connections[number]?.isHeldBack[way] = true
        return (false, nil)
      }
      connection.queues[way].append(transmission)
      topology.givenBytes[one, default: 0] += transmission.byteCount
      let tick = connection.isTicking ? nil : number
      connection.isTicking = true
      topology.connections[number] = connection
      return (true, tick)
    }
    if let number = result.tick { scheduleMeeting(number) }
    return result.isTaken
  }

  /// The two meet at even intervals.
  private func scheduleMeeting(_ number: Int) {
    let interval = quality.interval.components.attoseconds / 1_000_000_000
    let now = clock.now.nanoseconds
    let next = (now / interval + 1) * interval
    _ = clock.schedule(at: Moment(nanoseconds: next)) { [weak self] in self?.hold(number) }
  }

  /// A meeting: each side sends as many packets as fit.
  private func hold(_ number: Int) {
    let quality = quality
    var arrived: [(station: Int, event: RadioEvent, delay: Duration)] = []
    var answers: [(from: Int, to: Int, Topology.Transmission)] = []
    var isCut = false
    var goesOn = false
    topology.withLock { topology in
      guard var connection = topology.connections[number] else { return }
      let stations = [connection.central, connection.peripheral]
      for way in 0...1 where !isCut {
        connection.budgets[way] += quality.packetsPerInterval
        while let transmission = connection.queues[way].first {
          let cost = quality.packetCount(of: transmission.byteCount)
          guard connection.budgets[way] >= cost else { break }
          connection.budgets[way] -= cost
          connection.queues[way].removeFirst()
          guard !connection.isSilent else { continue }
          if transmission.byteCount > 0 { topology.carriedCount += 1 }
          if topology.cutAt == topology.carriedCount || topology.random.happens(quality.cutChance) {
            topology.cutAt = nil
            isCut = true
            break
          }
          let other = DeviceID(topology.stations[stations[way]].name)
          for delay in topology.delays(of: transmission, quality) {
            for event in Self.events(of: transmission, from: other) {
              arrived.append((stations[1 - way], event, delay))
            }
          }
          if case .write(let id, _, true) = transmission {
            answers.append((stations[1 - way], stations[way], .answer(id)))
          }
        }
        if connection.queues[way].isEmpty { connection.budgets[way] = 0 }
        if connection.isHeldBack[way], connection.queues[way].count * 2 < quality.queuedValuesMax {
          connection.isHeldBack[way] = false
          let other = DeviceID(topology.stations[stations[1 - way]].name)
          arrived.append((stations[way], .writable(other), .zero))
        }
      }
      goesOn = !connection.queues.allSatisfy(\.isEmpty)
      connection.isTicking = goesOn
      topology.connections[number] = connection
    }
    for (station, event, delay) in arrived {
      later(delay) { medium in
        // What was under way when the connection broke does not reach the next one.
        medium.topology.withLock { topology in
          topology.connections[number] == nil ? nil : topology.stations[station].deliver
        }?(event)
      }
    }
    for (from, to, transmission) in answers { _ = send(transmission, from: from, to: to) }
    if isCut { return breakOff(number) }
    if goesOn { scheduleMeeting(number) }
  }

  private static func events(of transmission: Topology.Transmission, from other: DeviceID)
    -> [RadioEvent]
  {
    switch transmission {
    case .write(let id, let bytes, _): [.received(other, id, bytes)]
    case .answer(let id): [.written(other, id)]
    case .notification(let id, let bytes): [.value(other, id, bytes)]
    case .event(let event): [event]
    }
  }
}

extension Topology {
  /// When a value arrives, counted from the meeting: not at all, once, or twice.
  mutating func delays(of transmission: Transmission, _ quality: RadioQuality) -> [Duration] {
    // What the systems tell each other is not lost.
    guard transmission.byteCount > 0, case .write(_, _, false) = transmission.asWrite else {
      return [.zero]
    }
    if random.happens(quality.lossChance) { return [] }
    func delay(_ random: inout MediumRandom) -> Duration {
      guard random.happens(quality.reorderChance) else { return .zero }
      return quality.interval * Int.random(in: 1...8, using: &random)
    }
    let first = delay(&random)
    return random.happens(quality.duplicateChance) ? [first, delay(&random)] : [first]
  }
}

extension Topology.Transmission {
  /// A notification is carried as a write without an answer is.
  fileprivate var asWrite: Topology.Transmission {
    if case .notification(let id, let bytes) = self {
      .write(id, bytes, awaitsAnswer: false)
    } else {
      self
    }
  }
}
