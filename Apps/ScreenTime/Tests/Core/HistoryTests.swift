import Testing

@testable import ScreenTimeCore

@Suite struct HistoryTests {
  static let heartbeat = Tracker.Pace().heartbeat
  static let fun: Set<String> = ["game", "film"]

  /// What is wrong in a history; nil where all sums are true.
  static func fault(
    _ seed: UInt64, _ bug: TrackerBug? = nil, _ ledgerBug: LedgerBug? = nil,
    believesClocks: Bool = false
  ) -> String? {
    let history = PlayedHistory(seed: seed, bug: bug)
    let tolerance = Int64(history.cuts) * heartbeat + Int64(history.returns) * 2000
    var ledgers: [Ledger] = []
    var together = Ledger()
    together.bug = ledgerBug
    for device in history.devices {
      let uses = device.kept.values.sorted { $0.number < $1.number }
      if let fault = faultOfShape(uses) { return "\(device.name): \(fault)" }
      var ledger = Ledger()
      ledger.bug = ledgerBug
      for use in uses {
        let arrived = history.arrivals[device.name]?[use.number]
        let placed = Placed(use, of: device.name, arrived: believesClocks ? nil : arrived)
        // It arrives at a phone by the server, and once more from the device itself.
        for _ in 0..<2 {
          ledger.take(placed)
          together.take(placed)
        }
      }
      ledgers.append(ledger)
      var truth: [Spot: Int64] = [:]
      for piece in device.truth {
        truth[history.spot(of: piece, device), default: 0] += piece.length
      }
      var days = Set(truth.keys.map(\.day))
      days.formUnion(uses.map { Day(wall: $0.start, offset: $0.offset) })
      for day in days {
        for program in PlayedHistory.programs {
          let real = truth[Spot(day: day, program: program)] ?? 0
          let counted = ledger.time(on: day) { $0 == program }
          guard (real - counted).magnitude <= UInt64(tolerance) else {
            return "\(device.name), \(program), day \(day.number): \(counted) instead of \(real) ms"
          }
        }
      }
    }
    return history.hasWrongClocks
      ? faultOfBounds(together, ledgers, history) : faultOfUnion(together, history)
  }

  private static func faultOfShape(_ uses: [Use]) -> String? {
    for use in uses {
      if use.ending == .open { return "use \(use.number) is open for ever" }
      let last = use.start + max(use.length - 1, 0)
      guard Day(wall: use.start, offset: use.offset) == Day(wall: last, offset: use.offset) else {
        return "use \(use.number) is of two days"
      }
    }
    return uses.map(\.number) == Array(1..<(uses.count + 1)) ? nil : "numbers are missing"
  }

  /// With clocks that are right: what two devices did at once counts once, to the minute.
  private static func faultOfUnion(_ together: Ledger, _ history: PlayedHistory) -> String? {
    for day in history.days {
      for isFun in [true, false] {
        let real = history.union(on: day) { !isFun || fun.contains($0) }
        let counted = together.time(on: day) { !isFun || fun.contains($0) }
        guard (real - counted).magnitude <= 60_000 else {
          return "budget, day \(day.number): \(counted) instead of \(real) ms"
        }
      }
    }
    return nil
  }

  /// With wrong clocks: never less than the busier device, never more than both.
  private static func faultOfBounds(
    _ together: Ledger, _ ledgers: [Ledger], _ history: PlayedHistory
  ) -> String? {
    for day in history.days {
      let (each, both) = (ledgers.map { $0.time(on: day) }, together.time(on: day))
      if both < each.max() ?? 0 || both > each.reduce(0, +) { return "\(both) ms of \(each)" }
    }
    return nil
  }

  @Test func `1000 histories sum up to the truth, and budgets to the minute`() {
    var (endings, marked): ([Use.Ending: Int], Int) = ([:], 0)
    for seed in 0..<1000 as Range<UInt64> {
      if let fault = Self.fault(seed) { Issue.record("seed \(seed): \(fault)") }
      guard seed < 100 else { continue }
      let history = PlayedHistory(seed: seed)
      for device in history.devices {
        for use in device.kept.values {
          endings[use.ending, default: 0] += 1
          let arrived = history.arrivals[device.name]?[use.number]
          marked += Placed(use, of: "", arrived: arrived).isMarked ? 1 : 0
        }
      }
    }
    // The histories do what they are for.
    for ending in Use.Ending.allCases where ending != .open {
      #expect(endings[ending, default: 0] > 10, "\(endings)")
    }
    #expect(marked > 10, "\(marked)")
  }

  @Test(arguments: TrackerBug.allCases)
  func `a tracker with a bug is caught (negative control)`(_ bug: TrackerBug) {
    #expect((0..<200 as Range<UInt64>).contains { Self.fault($0, bug) != nil })
  }

  @Test(arguments: LedgerBug.allCases)
  func `a ledger with a bug is caught (negative control)`(_ bug: LedgerBug) {
    #expect((0..<200 as Range<UInt64>).contains { Self.fault($0, nil, bug) != nil })
  }

  @Test func `uses that are placed by their clocks alone are caught (negative control)`() {
    #expect((0..<200 as Range<UInt64>).contains { Self.fault($0, believesClocks: true) != nil })
  }
}

/// Where time is counted.
struct Spot: Hashable {
  var day: Day
  var program: String
}

extension PlayedHistory {
  /// Where a piece of the truth belongs: by the clock of its device, or by its arrival.
  func spot(of piece: PlayedDevice.Truth, _ device: PlayedDevice) -> Spot {
    let arrived = syncs[device.name]?.first { $0 >= piece.start } ?? now
    let isAhead = piece.shown - arrived > 300_000
    let day = Day(wall: isAhead ? arrived : piece.shown, offset: piece.offset)
    return Spot(day: day, program: piece.program)
  }

  var days: Set<Day> {
    Set(devices.flatMap { device in device.truth.map { spot(of: $0, device).day } })
  }

  /// The true time of a day in which at least one device was used so.
  func union(on day: Day, where counts: (String) -> Bool) -> Int64 {
    var edges: [(Int64, Int)] = []
    for device in devices {
      for piece in device.truth where counts(piece.program) && spot(of: piece, device).day == day {
        edges += [(piece.start, 1), (piece.start + piece.length, -1)]
      }
    }
    var (time, users, since): (Int64, Int, Int64) = (0, 0, 0)
    for (moment, change) in edges.sorted(by: { $0.0 < $1.0 }) {
      if users > 0 { time += moment - since }
      users += change
      since = moment
    }
    return time
  }
}
