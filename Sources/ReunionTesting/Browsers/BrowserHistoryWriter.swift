import ReunionStore

/// Draws a history with browsers from a seed: the replicas of a world without, and browsers that dial
/// those that are dialled.
struct BrowserHistoryWriter {
  private let simulation: Simulation
  private var random: SeededRandom
  private var browsers: [WorldBrowser.Options] = []
  private var kept: Set<Int> = []

  init(seed: UInt64, simulation: Simulation) {
    self.simulation = simulation
    random = SeededRandom(seed: seed &* 0x2545_f491_4f6c_dd1d &+ 99)
  }

  mutating func write(seed: UInt64) -> BrowserHistory {
    let world = simulation.history(seed: seed)
    let acceptors = Set(world.routes.map(\.acceptor)).sorted()
    for number in 0..<random.below(3) + 1 {
      var options = WorldBrowser.Options(
        name: "browser\(number)", acceptor: acceptors[random.below(acceptors.count)])
      if random.happens(0.3) { options.role = random.happens(0.25) ? .view : .add }
      if random.happens(0.4) { options.clockErrorMilliseconds = clockError() }
      browsers.append(options)
    }
    var steps: [BrowserStep] = browsers.indices.map { .openTab(browser: $0) }
    for numbered in world.steps {
      steps.append(.world(numbered.step))
      if random.happens(0.5) {
        steps.append(draw())
        steps.append(.world(.pass(milliseconds: random.below([20, 300, 3_000][random.below(3)]))))
      }
    }
    var base = world
    base.steps = []
    if simulation.sendsBlocks { steps = arrivingLate(steps) }
    return BrowserHistory(base: base, browsers: browsers, steps: steps)
  }

  /// The steps with browsers that open their first tabs in the middle, when there is something to take.
  private func arrivingLate(_ steps: [BrowserStep]) -> [BrowserStep] {
    let (opens, rest) = (steps.prefix(browsers.count), steps.dropFirst(browsers.count))
    let before = rest.prefix(rest.count / 2).filter { step in
      if case .world = step { true } else { false }
    }
    return before + opens + rest.dropFirst(rest.count / 2)
  }

  private mutating func clockError() -> Int64 {
    let year: Int64 = 365 * 86_400_000
    return [200_000, -200_000, 10 * year, -10 * year][random.below(4)]
  }

  private mutating func draw() -> BrowserStep {
    let browser = random.below(browsers.count)
    guard random.happens(0.4) else {
      // Edits are what people do most.
      let act = random.happens(0.3) ? .edit : BrowserAct.allCases[random.below(8)]
      return .act(browser: browser, act)
    }
    switch random.below(17) {
    case 0, 1: return .actAtOnce(browser: browser)
    case 2: return .dieInWriting(browser: browser, tasks: random.below(8))
    case 3, 4: return .openTab(browser: browser)
    case 5: return .leaveTab(browser: browser)
    case 6: return .killTab(browser: browser)
    case 7: return .cutPower(browser: browser)
    case 8: return .hide(browser: browser, random.happens(0.5))
    case 9: return .networkReturned(browser: browser)
    case 10: return .setClock(browser: browser, errorMilliseconds: clockError())
    case 11: return .renew(browser: browser)
    case 12:
      // What was kept may be put back several times.
      guard kept.contains(browser), random.happens(0.6) else {
        kept.insert(browser)
        return .keep(browser: browser)
      }
      return .goBack(browser: browser)
    case 13: return .network(browser: browser, Weather.allCases[random.below(3)])
    case 14:
      return .partition(
        browser: browser, there: random.happens(0.3), back: random.happens(0.3))
    case 15: return .fillDisk(browser: browser, random.happens(0.5))
    default:
      return .cut(browser: browser, messages: random.below(12), ofBrowser: random.happens(0.5))
    }
  }
}
