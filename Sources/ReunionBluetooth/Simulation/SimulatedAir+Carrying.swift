import ReunionFlow

extension SimulatedAir {
  /// Puts something into the queue of a connection; false when there is no room.
  func send(_ cargo: Sky.Cargo, from one: Int, to other: Int, mayWait: Bool = true) -> Bool {
    let quality = quality
    let result = sky.withLock { sky -> (isTaken: Bool, tick: Int?) in
      guard let number = sky.connection(one, other), var connection = sky.connections[number] else {
        return (true, nil)
      }
      let way = connection.central == one ? 0 : 1
      if !mayWait, connection.queues[way].count >= quality.queuedValuesMax {
        sky.connections[number]?.isHeldBack[way] = true
        return (false, nil)
      }
      connection.queues[way].append(cargo)
      sky.givenBytes[one, default: 0] += cargo.byteCount
      let tick = connection.isTicking ? nil : number
      connection.isTicking = true
      sky.connections[number] = connection
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
    var answers: [(from: Int, to: Int, Sky.Cargo)] = []
    var isCut = false
    var goesOn = false
    sky.withLock { sky in
      guard var connection = sky.connections[number] else { return }
      let stations = [connection.central, connection.peripheral]
      for way in 0...1 where !isCut {
        connection.budgets[way] += quality.packetsPerInterval
        while let cargo = connection.queues[way].first {
          let cost = quality.packetCount(of: cargo.byteCount)
          guard connection.budgets[way] >= cost else { break }
          connection.budgets[way] -= cost
          connection.queues[way].removeFirst()
          guard !connection.isSilent else { continue }
          if cargo.byteCount > 0 { sky.carriedCount += 1 }
          if sky.cutAt == sky.carriedCount || sky.random.happens(quality.cutChance) {
            sky.cutAt = nil
            isCut = true
            break
          }
          let other = DeviceID(sky.stations[stations[way]].name)
          for delay in sky.delays(of: cargo, quality) {
            for event in Self.events(of: cargo, from: other) {
              arrived.append((stations[1 - way], event, delay))
            }
          }
          if case .write(let id, _, true) = cargo {
            answers.append((stations[1 - way], stations[way], .answer(id)))
          }
        }
        if connection.queues[way].isEmpty { connection.budgets[way] = 0 }
        if connection.isHeldBack[way], connection.queues[way].count * 2 < quality.queuedValuesMax {
          connection.isHeldBack[way] = false
          let other = DeviceID(sky.stations[stations[1 - way]].name)
          arrived.append((stations[way], .writable(other), .zero))
        }
      }
      goesOn = !connection.queues.allSatisfy(\.isEmpty)
      connection.isTicking = goesOn
      sky.connections[number] = connection
    }
    for (station, event, delay) in arrived {
      later(delay) { air in
        // What was under way when the connection broke does not reach the next one.
        air.sky.withLock { sky in
          sky.connections[number] == nil ? nil : sky.stations[station].deliver
        }?(event)
      }
    }
    for (from, to, cargo) in answers { _ = send(cargo, from: from, to: to) }
    if isCut { return breakOff(number) }
    if goesOn { scheduleMeeting(number) }
  }

  private static func events(of cargo: Sky.Cargo, from other: DeviceID) -> [RadioEvent] {
    switch cargo {
    case .write(let id, let bytes, _): [.received(other, id, bytes)]
    case .answer(let id): [.written(other, id)]
    case .notification(let id, let bytes): [.value(other, id, bytes)]
    case .event(let event): [event]
    }
  }
}

extension Sky {
  /// When a value arrives, counted from the meeting: not at all, once, or twice.
  mutating func delays(of cargo: Cargo, _ quality: AirQuality) -> [Duration] {
    // What the systems tell each other is not lost.
    guard cargo.byteCount > 0, case .write(_, _, false) = cargo.asWrite else { return [.zero] }
    if random.happens(quality.lossChance) { return [] }
    func delay(_ random: inout SeededAir) -> Duration {
      guard random.happens(quality.reorderChance) else { return .zero }
      return quality.interval * Int.random(in: 1...8, using: &random)
    }
    let first = delay(&random)
    return random.happens(quality.duplicateChance) ? [first, delay(&random)] : [first]
  }
}

extension Sky.Cargo {
  /// A notification is carried as a write without an answer is.
  fileprivate var asWrite: Sky.Cargo {
    if case .notification(let id, let bytes) = self {
      .write(id, bytes, awaitsAnswer: false)
    } else {
      self
    }
  }
}
