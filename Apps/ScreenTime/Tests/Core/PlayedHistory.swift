import ReunionTesting

@testable import ScreenTimeCore

/// Two devices of a child for one or two hours, from a seed: what people, machines and clocks do to them,
/// and a server that they reach now and then.
struct PlayedHistory {
  enum Event: CaseIterable {
    case program, away, comeBack, lock, unlock, sleep, wake, crash, start, reboot, halt, resume
    case setClock, travel, stop, sync
  }

  static let programs = ["editor", "game", "browser", "film"]
  let seed: UInt64
  /// Whether clocks of devices are set in it.
  let hasWrongClocks: Bool
  private(set) var devices: [PlayedDevice]
  /// When each use was first at the server: true time, by device and number.
  private(set) var arrivals: [String: [Int: Int64]] = [:]
  private(set) var syncs: [String: [Int64]] = [:]
  /// How often something happened that may cost a heartbeat.
  private(set) var cuts = 0
  /// How often somebody came back.
  private(set) var returns = 0
  private(set) var now: Int64
  private var random: SeededRandom
  private var due: [Int64]
  private var summer: Int64

  init(seed: UInt64, bug: TrackerBug? = nil) {
    self.seed = seed
    random = SeededRandom(seed: seed)
    hasWrongClocks = seed % 2 == 1
    let offset = Int.random(in: -12...13, using: &random) * 3600
    // Around a midnight of the zone in two of three.
    let midnight = (20_400 * Day.milliseconds) - Int64(offset) * 1000
    let before = Int64.random(in: 0...(seed % 3 == 0 ? 20 : 1) * 3_600_000, using: &random)
    now = midnight - before
    // Summer time begins in one of three, somewhere in it.
    summer = seed % 3 == 1 ? now + Int64.random(in: 0...3_600_000, using: &random) : .max
    let pace = Tracker.Pace()
    devices = ["desk", "lap"].map { PlayedDevice($0, pace: pace, offset: offset, bug: bug) }
    due = devices.map { _ in 0 }
    for index in devices.indices {
      devices[index].start(at: now)
      due[index] = now + Int64.random(in: 1...200_000, using: &random)
    }
    let end = now + Int64.random(in: 3_000_000...6_000_000, using: &random)
    while now < end { step(until: end) }
    for index in devices.indices {
      for event in [Event.wake, .resume, .start] { happen(event, to: index) }
      devices[index].stop(at: now)
      happen(.sync, to: index)
    }
  }

  private mutating func step(until end: Int64) {
    var next = min(end, due.min() ?? end)
    if summer > now { next = min(next, summer) }
    for device in devices { next = min(next, now + device.calm(at: now)) }
    for index in devices.indices { devices[index].pass(next - now, from: now) }
    now = next
    if now == summer {
      for index in devices.indices { devices[index].offset += 3600 }
      cuts += 1
    }
    for index in devices.indices {
      if due[index] <= now {
        happen(nextEvent(of: devices[index]), to: index)
        due[index] = now + Int64.random(in: 1000...180_000, using: &random)
      }
      if devices[index].nextBeat <= now { devices[index].beat(at: now) }
    }
  }

  /// Any event; in two of three what ends a time in which nothing is counted.
  private mutating func nextEvent(of device: PlayedDevice) -> Event {
    if Int.random(in: 0..<3, using: &random) > 0 {
      if device.isAsleep { return .wake }
      if device.tracker == nil { return .start }
      if device.isStopped { return .resume }
      if device.isLocked { return .unlock }
      if device.idle > 60_000 { return .comeBack }
    }
    return Event.allCases.randomElement(using: &random) ?? .sync
  }

  /// At most three events that cost a heartbeat, and six returns: a day of a family is no worse.
  private mutating func mayCut() -> Bool {
    guard cuts < 3 else { return false }
    cuts += 1
    return true
  }

  private mutating func happen(_ event: Event, to index: Int) {
    let now = now
    var device = devices[index]
    switch event {
    case .program:
      device.program = Self.programs.randomElement(using: &random) ?? "editor"
      device.beat(at: now)
    case .away where device.awaySince == nil && returns < 6:
      returns += 1
      device.awaySince = device.awake
      device.beat(at: now)
    case .comeBack: device.awaySince = nil
    case .lock, .unlock:
      device.isLocked = event == .lock
      device.beat(at: now)
    case .sleep where !device.isAsleep:
      // The agent hears of it in one of two.
      if Bool.random(using: &random) { device.beat(at: now) } else if !mayCut() { break }
      device.isAsleep = true
    case .wake where device.isAsleep:
      device.isAsleep = false
      device.beat(at: now)
    case .crash where device.tracker != nil && mayCut(): device.tracker = nil
    case .start where device.tracker == nil && !device.isAsleep:
      device.isStopped = false
      device.start(at: now)
    case .reboot where mayCut():
      (device.tracker, device.isAsleep, device.isStopped) = (nil, false, false)
      (device.boot, device.awake, device.awaySince) = (5000, 5000, nil)
      device.bootID &+= 1
    case .halt where !device.isStopped && mayCut(): device.isStopped = true
    case .resume where device.isStopped:
      device.isStopped = false
      device.beat(at: now)
    case .setClock where hasWrongClocks && mayCut(): device.shift = wrongness()
    case .travel where mayCut():
      device.offset += Int.random(in: -5...5, using: &random) * 3600
    case .stop: device.stop(at: now)
    case .sync:
      syncs[device.name, default: []].append(now)
      for number in device.kept.keys where arrivals[device.name]?[number] == nil {
        arrivals[device.name, default: [:]][number] = now
      }
    default: break
    }
    devices[index] = device
  }

  private mutating func wrongness() -> Int64 {
    let day = Day.milliseconds
    let magnitudes: [Int64] = [0, 30_000, 240_000, 3_600_000, day, 40 * day, 1500 * day]
    let magnitude = magnitudes.randomElement(using: &random) ?? 0
    return Bool.random(using: &random) ? magnitude : -magnitude
  }
}
