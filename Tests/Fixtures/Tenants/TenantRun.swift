import Foundation
import ReunionCore
import ReunionFlow
import ReunionServer
import ReunionStore
import ReunionTesting

/// One story as it goes, and all that anybody but the attacker sees of it.
final class TenantRun {
  /// What somebody saw in a step, and where.
  struct Sight: Hashable, Sendable {
    let number: Int
    let who: String
    let space: String
    let text: String
  }

  let history: TenantHistory
  let house: TenantHouse
  var tenants: [Tenant] = []
  private(set) var sights: [Sight] = []
  private(set) var secrets: [String: [Role: String]] = [:]
  /// What was erased since, by its space.
  private var givenUp: Set<String> = []
  /// What was acknowledged as stored: by whom, in which space.
  private(set) var stored: [(who: String, space: String, file: BlobReference)] = []
  /// All files that anybody honest sends, as the attacker may know them.
  private(set) var own: [Int: SpaceID] = [:]
  var number = -1
  /// How often the attacker was let in as somebody new.
  var newcomers = 0

  static let stepSeconds = 10

  init(_ history: TenantHistory, bugs: SeededBugs) throws {
    self.history = history
    house = try TenantHouse(bugs: bugs)
    house.draw(from: history.seed)
    for name in [Cast.main, Cast.other, Cast.hers] {
      let access = try house.spaces.open(name).access
      for role in Role.allCases { secrets[name, default: [:]][role] = try access.invite(role) }
    }
    for number in 0..<Cast.count {
      tenants.append(try Tenant(number, seed: history.seed, at: house))
    }
    for (who, name, role) in [
      (Cast.ada, Cast.main, Role.admin), (Cast.ben, Cast.main, .add), (Cast.ben, Cast.other, .add),
      (Cast.cyd, Cast.other, .admin), (Cast.cyd, Cast.main, .edit), (Cast.dan, Cast.other, .add),
      (Cast.ben, Cast.hers, .view), (Cast.dan, Cast.hers, .view),
    ] {
      let answer = tenants[who].join(name, secrets[name]?[role] ?? "")
      see(who, name, "joined \(answer.status) \(answer.sentence)")
    }
    try bringAbsent()
    house.clock.advance(by: .seconds(10))
    lookAtAll()
  }

  /// Has an editor bring what somebody wrote who never joined.
  private func bringAbsent() throws {
    guard let main = tenants[Cast.cyd].id(Cast.main) else { return }
    let (site, record) = (Cast.absent, RecordID(high: 1, low: history.seed))
    let stamp = Stamp(milliseconds: house.clock.wallMilliseconds)
    let cells = [
      Cell(
        field: 0, merge: .creation, dot: Dot(site: site, seq: 1), stamp: stamp, value: .null),
      Cell(
        field: 1, merge: .register, dot: Dot(site: site, seq: 2), stamp: stamp,
        value: .text("from afar")),
    ]
    let changes = cells.map { Change(entity: 1, record: record, cell: $0) }
    var vector = VersionVector()
    vector.raise(site, to: 2)
    _ = try tenants[Cast.cyd].store.apply(
      IncomingPush(
        peer: site, helloSeq: 2, changes: changes, raised: vector, vector: vector, position: []),
      in: main, authority: .all)
  }

  deinit {
    for tenant in tenants { tenant.end() }
    house.clock.advance(by: .seconds(1))
  }

  /// Whether what happens in a space is the attacker's to change.
  func isHers(_ space: String) -> Bool {
    let name = space.replacing("members of ", with: "")
    return switch history.role {
    case .edit: name == Cast.main
    case .host: name == Cast.hers
    case .stranger, .view, .add: false
    }
  }

  func run() throws {
    let attacker = history.steps.contains { if case .attack = $0.step { true } else { false } }
    let eve = attacker ? try Attacker(history, self) : nil
    for place in 0..<history.count {
      number = place
      let start = house.clock.now
      if let step = history.steps.first(where: { $0.number == place })?.step {
        var random = SeededRandom(seed: history.seed &* 31 &+ UInt64(place))
        let ids = random.next()
        house.draw(from: ids)
        for tenant in tenants { tenant.draw(from: ids) }
        if case .attack(let attack) = step {
          try eve?.perform(attack, &random)
        } else {
          try perform(step, &random)
        }
      }
      house.clock.advance(to: start.advanced(by: .seconds(Self.stepSeconds)))
      lookAtAll()
    }
    number = history.count
    eve?.leave()
    if eve?.holdsMembers == true {
      sights.append(
        Sight(
          number: number, who: "server", space: "hers",
          text: "a space of hers is the members of another"))
    }
    try settle()
  }

  /// Everybody comes back, the server starts once more, and all that was acknowledged must be there.
  private func settle() throws {
    for tenant in tenants where tenant.isAway { tenant.goAwayOrComeBack() }
    house.clock.advance(by: .seconds(60))
    try house.restart()
    house.clock.advance(by: .seconds(120))
    lookAtAll()
    for each in stored where !isHers(each.space) && !isGivenUp(each.file, in: each.space) {
      let isHere = try house.store.blobs.contains(each.file.hash)
      sights.append(
        Sight(
          number: number, who: "server", space: each.space,
          text: "\(each.file.hash) of \(each.who) \(isHere ? "is here" : "is gone")"))
    }
    for (name, space) in try served() where !isHers(name) {
      let claimed = try house.store.vector(of: space)[house.store.site]
      sights.append(
        Sight(number: number, who: "server", space: name, text: "has written \(claimed)"))
    }
  }

  /// Notes that somebody has erased a file in a space. Its bytes go, unless another space holds them too: that they
  /// lie on the server is nobody's to see there.
  func giveUp(_ file: BlobReference, in space: String) { givenUp.insert("\(space) \(file.hash)") }

  private func isGivenUp(_ file: BlobReference, in space: String) -> Bool {
    givenUp.contains("\(space) \(file.hash)")
  }

  private func served() throws -> [(name: String, id: SpaceID)] {
    try [Cast.main, Cast.other].map { ($0, try house.spaces.open($0).space) }
  }

  func see(_ who: Int, _ space: String, _ text: String) {
    guard !isHers(space) else { return }
    sights.append(Sight(number: number, who: Cast.names[who], space: space, text: text))
  }

  private func lookAtAll() {
    for tenant in tenants {
      for (name, _) in tenant.spaces where !isHers(name) {
        let lines = (try? tenant.sight(of: name) { Attacker.isHers($0) }) ?? ["unreadable"]
        for line in lines { see(tenant.number, name, line) }
      }
    }
  }

  func own(of who: Int) -> SpaceID? { own[who] }

  func opened(_ space: SpaceID, by who: Int) { own[who] = space }

  func acknowledged(_ file: BlobReference, by who: Int, in space: String) {
    stored.append((Cast.names[who], space, file))
  }
}
