import Foundation
package import Reunion
package import ScreenTimeCore

/// What a replica holds of a child: the two spaces, as the rules want them.
package struct FamilyBook: Sendable {
  package let replica: Replica
  /// The space of use and requests.
  package let use: SpaceID
  /// The space of limits.
  package let limits: SpaceID

  /// What a replica holds in two spaces.
  package init(replica: Replica, use: SpaceID, limits: SpaceID) {
    (self.replica, self.use, self.limits) = (replica, use, limits)
  }

  /// What was agreed on, as far as is known here.
  package func agreed() throws -> Limits {
    try replica.snapshot { snapshot in
      var agreed = Limits()
      for kind in try snapshot.fetch(Query<ProgramKind>(in: limits)) {
        if let category = kind.category { agreed.categories[kind.name] = "\(category.id)" }
      }
      for budget in try snapshot.fetch(Query<Budget>(in: limits)) {
        guard budget.ofEverything != (budget.category != nil) else { continue }
        agreed.budgets.append(
          Limits.Budget(category: budget.category.map { "\($0.id)" }, minutes: budget.week))
      }
      for rest in try snapshot.fetch(Query<Rest>(in: limits)) {
        agreed.rests.append(
          Limits.Rest(id: "\(rest.id)", from: rest.from, to: rest.to, weekdays: rest.weekdays))
      }
      return agreed
    }
  }

  /// The zone of the family's days, such as "Europe/Berlin"; nil if nobody named one.
  package func zone() throws -> String? {
    let zone = try replica.fetch(Query<Child>(in: limits)).first?.zone ?? ""
    return zone.isEmpty ? nil : zone
  }

  /// What was granted.
  package func grants() throws -> Grants {
    let arrivals = try arrivals()
    var grants = Grants()
    for grant in try replica.fetch(Query<GrantRecord>(in: limits)) {
      guard let target = Target(text: grant.target) else { continue }
      let arrived = arrivals["\(grant.id)"]
      let at = Placed.place(grant.grantedAt.milliseconds, arrived: arrived).moment
      let asked = grant.askedAt.map {
        Placed.place($0.milliseconds, arrived: arrivals[grant.request]).moment
      }
      grants.take(
        Grant(
          id: "\(grant.id)", request: grant.request, target: target, minutes: grant.minutes, at: at,
          asked: asked))
    }
    return grants
  }

  /// What was used since a moment, in milliseconds since 1970: all that may count for a day that
  /// began then.
  package func ledger(since moment: Int64) throws -> Ledger {
    let arrivals = try arrivals()
    let since = Date(milliseconds: moment - 2 * 86_400_000)
    var ledger = Ledger()
    for record in try replica.fetch(Query<UseRecord>(in: use).filter(\.startedAt >= since)) {
      ledger.take(record.placed(arrived: arrivals["\(record.id)"]))
    }
    return ledger
  }

  /// When records were first seen whose clocks were ahead, by their ids.
  func arrivals() throws -> [String: Int64] { try replica.store.arrivals(in: limits) }

  /// What a category is called; nil if there is no such category.
  package func category(_ id: String) throws -> String? {
    try replica.fetch(Query<Category>(in: limits)).first { "\($0.id)" == id }?.name
  }

  /// Calls a closure whenever what was agreed on or granted may have changed, until all are
  /// released.
  package func observeLimits(_ body: @escaping @Sendable () -> Void) throws -> [SignalSubscription]
  {
    [
      try replica.live(Query<GrantRecord>(in: limits)).observe { _ in body() },
      try replica.live(Query<Budget>(in: limits)).observe { _ in body() },
      try replica.live(Query<Rest>(in: limits)).observe { _ in body() },
      try replica.live(Query<ProgramKind>(in: limits)).observe { _ in body() },
    ]
  }
}

extension Store {
  /// When records were first seen whose clocks were ahead, by their ids.
  func arrivals(in limits: SpaceID) throws -> [String: Int64] {
    var arrivals: [String: Int64] = [:]
    for arrival in try fetch(Query<Arrival>(in: limits)) {
      arrivals[arrival.record] = arrival.arrivedAt.milliseconds
    }
    return arrivals
  }
}

extension Budget {
  /// The minutes of each weekday, from Monday. A day of which nothing was said has no limit.
  var week: [Int] {
    [monday, tuesday, wednesday, thursday, friday, saturday, sunday].map { $0 ?? 1440 }
  }
}

extension UseRecord {
  /// As the rules want it.
  func placed(arrived: Int64?) -> Placed {
    let use = Use(
      number: number, program: program, start: startedAt.milliseconds, offset: offset,
      length: max(0, Int64(milliseconds)), ending: Use.Ending(rawValue: ending) ?? .crash)
    return Placed(
      use, of: device.map { "\($0.id)" } ?? "", record: "\(id)", arrived: arrived)
  }

  /// Takes what the tracker says.
  mutating func take(_ use: Use, of device: RecordID) {
    self.device = Reference(device)
    number = use.number
    program = use.program
    startedAt = Date(milliseconds: use.start)
    offset = use.offset
    milliseconds = Int(use.length)
    ending = use.ending.rawValue
  }
}
