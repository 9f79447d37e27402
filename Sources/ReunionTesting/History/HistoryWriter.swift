import ReunionStore

/// Draws a history from a seed: who is there, and what happens.
struct HistoryWriter {
  let seed: UInt64
  let modelCount: Int
  let actionCount: Int
  private var random: SeededRandom
  private var hazards: Hazards
  private var members: [History.Member] = []
  private var routes: [History.Route] = []
  /// The replicas that others dial.
  private var servers: Set<Int> = []
  private var snapshots: [Int: Int] = [:]

  init(seed: UInt64, hazards: Hazards, modelCount: Int, actionCount: Int) {
    self.seed = seed
    self.modelCount = modelCount
    self.actionCount = actionCount
    random = SeededRandom(seed: seed &* 0x2545_f491_4f6c_dd1d &+ 1)
    // Some of them, so that few hide what one alone would show.
    self.hazards = hazards
    for bit in 0..<UInt32(16) where random.happens(0.35) {
      self.hazards.remove(Hazards(rawValue: 1 << bit))
    }
  }

  mutating func write(stepCount: Int) -> History {
    gather()
    var steps: [HistoryStep] = []
    while steps.count < stepCount { steps += draw() }
    lie(&steps)
    return History(seed: seed, members: members, routes: routes, steps: steps)
  }

  /// Turns some pauses into lies. It draws from a random source of its own, so that nothing else in
  /// a history changes.
  private func lie(_ steps: inout [HistoryStep]) {
    var random = SeededRandom(seed: seed &+ 0x11a5)
    guard hazards.contains(.liars), random.happens(0.15) else { return }
    for index in steps.indices {
      guard case .pass(let milliseconds) = steps[index], random.happens(0.2) else { continue }
      steps[index] = .claim(
        replica: random.below(members.count), of: random.below(members.count),
        milliseconds: milliseconds)
    }
  }

  // MARK: The members

  private mutating func gather() {
    defer { narrowLinks() }
    switch random.below(6) {
    case 0: line(random.below(2) + 2)
    case 1: ring()
    case 2: twoServers()
    default: star(random.below(4) + 1)
    }
    for index in routes.indices where !servers.contains(routes[index].dialler) {
      // What others reach through a member is not a leaf's or a guest's to bring.
      let member = routes[index].dialler
      let isAlone = routes.filter { $0.dialler == member || $0.acceptor == member }.count == 1
      if hazards.contains(.leaves), isAlone, random.happens(0.25) {
        routes[index].terms.isLeaf = true
      }
      if hazards.contains(.guests), isAlone, servers.contains(routes[index].acceptor),
        random.happens(0.4)
      {
        routes[index].terms.role = random.happens(0.25) ? .view : .add
      }
    }
  }

  /// Has some links carry small messages alone: down to 1 KiB, the least that a link must.
  private mutating func narrowLinks() {
    var random = SeededRandom(seed: ~seed)
    for index in routes.indices where random.happens(0.3) {
      routes[index].terms.messageBytesMax = [1024, 1500, 4096, 64 * 1024][random.below(4)]
    }
  }

  private mutating func add(_ name: String) -> Int {
    var member = History.Member(name)
    if hazards.contains(.oldModels), modelCount > 1, random.happens(0.3) {
      member.model = random.below(modelCount)
    }
    if hazards.contains(.upgrades) { member.model = random.below(modelCount) }
    if hazards.contains(.clocks), random.happens(0.5) {
      member.options.clockErrorMilliseconds = clockError()
    }
    if hazards.contains(.normalDurability), random.happens(0.3) {
      member.options.durability = .normal
    }
    members.append(member)
    return members.count - 1
  }

  private mutating func clockError() -> Int64 {
    let year: Int64 = 365 * 86_400_000
    switch random.below(3) {
    case 0: return Int64.random(in: -90_000...90_000, using: &random)
    case 1: return Int64.random(in: -86_400_000...86_400_000, using: &random)
    default: return Int64.random(in: -10 * year...10 * year, using: &random)
    }
  }

  private mutating func star(_ count: Int) {
    let server = add("server")
    servers.insert(server)
    for number in 0..<count { routes.append(.init(add("phone\(number)"), server)) }
    // Two phones that meet without their server.
    if count > 1, random.happens(0.3) { routes.append(.init(1, 2)) }
  }

  private mutating func line(_ count: Int) {
    var last = add("phone0")
    for number in 1..<count {
      let next = add("phone\(number)")
      routes.append(.init(last, next))
      last = next
    }
  }

  private mutating func ring() {
    for number in 0..<3 { _ = add("phone\(number)") }
    for number in 0..<3 { routes.append(.init(number, (number + 1) % 3)) }
  }

  private mutating func twoServers() {
    servers = [add("server"), add("clone")]
    routes.append(.init(1, 0))
    for number in 0..<2 { routes.append(.init(add("phone\(number)"), number)) }
    if random.happens(0.5) { routes.append(.init(add("phone2"), 0)) }
  }

  // MARK: What happens

  private mutating func draw() -> [HistoryStep] {
    let replica = random.below(members.count)
    let pause = HistoryStep.pass(milliseconds: Int.random(in: 1...3_000, using: &random))
    guard random.happens(0.4) else {
      let act = HistoryStep.act(replica: replica, action: random.below(actionCount))
      // Two people write at one moment, so that stamps are equal.
      guard random.happens(0.85) else {
        return [act, .act(replica: random.below(members.count), action: random.below(actionCount))]
      }
      return [act, pause]
    }
    guard let step = hazard(replica) else { return [pause] }
    return [step, pause]
  }

  /// The hazards that are steps; the others are in how a history begins.
  private static let happenings: [Hazards] = [
    .cuts, .badNetworks, .partitions, .kills, .powerCuts, .diskErrors, .clocks, .sleep,
    .roleChanges, .clones, .restores, .upgrades,
  ]

  private mutating func hazard(_ replica: Int) -> HistoryStep? {
    let connection = random.below(max(routes.count, 1))
    let calls = random.happens(0.3) ? 0 : random.below(60) + 1
    let isServer = servers.contains(replica)
    let kinds = Self.happenings.filter(hazards.contains)
    guard !kinds.isEmpty else { return nil }
    switch kinds[random.below(kinds.count)] {
    case .cuts:
      switch random.below(4) {
      case 0: return .disconnect(connection: connection)
      case 1:
        return .cut(
          connection: connection, messages: random.below(12), ofDialler: random.happens(0.5))
      case 2: return .networkReturned(connection: connection)
      default: return .connect(connection: connection)
      }
    case .badNetworks: return .network(connection: connection, Weather.allCases[random.below(3)])
    case .partitions:
      return .partition(
        connection: connection, there: random.happens(0.4), back: random.happens(0.4))
    case .kills: return .kill(replica: replica, calls: calls)
    case .powerCuts: return .cutPower(replica: replica, calls: calls)
    case .diskErrors:
      switch random.below(3) {
      case 0:
        return .failCalls(replica: replica, after: random.below(40), count: random.below(3) + 1)
      case 1: return .fillDisk(replica: replica, room: random.below(40_000))
      default: return .mendDisk(replica: replica)
      }
    case .clocks: return .setClock(replica: replica, errorMilliseconds: clockError())
    case .sleep:
      return .sleep(days: random.happens(0.3) ? 365 * (random.below(3) + 1) : random.below(60))
    case .roleChanges where routes[connection].terms.role < .edit:
      return random.happens(0.3)
        ? .revoke(connection: connection)
        : .setRole(connection: connection, WorldRole.allCases[random.below(3)])
    case .upgrades: return .upgrade(replica: replica)
    case .clones: return random.happens(0.3) ? .clone(replica: replica) : nil
    case .restores where !isServer || hazards.contains(.serverRestores):
      if snapshots[replica] == nil || random.happens(0.5) {
        snapshots[replica, default: 0] += 1
        return .snapshot(replica: replica)
      }
      return .restore(replica: replica, snapshot: random.below(snapshots[replica] ?? 1))
    default: return nil
    }
  }
}

extension SeededRandom {
  /// A number from 0 on, below another one.
  mutating func below(_ count: Int) -> Int { Int.random(in: 0..<count, using: &self) }
}

extension WorldRole: Comparable {
  /// Whether the left role may do less.
  public static func < (left: WorldRole, right: WorldRole) -> Bool {
    (allCases.firstIndex(of: left) ?? 0) < (allCases.firstIndex(of: right) ?? 0)
  }
}
