import Foundation
import Reunion
import ScreenTimeCore

/// What a replica holds of a child: the two spaces, as the rules want them.
struct FamilyBook: Sendable {
  let replica: Replica
  /// The space of use and requests.
  let use: SpaceID
  /// The space of limits.
  let limits: SpaceID

  /// What was agreed on, as far as is known here.
  func agreed() throws -> Limits {
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

  /// What was granted.
  func grants() throws -> Grants {
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

  /// What was used since a moment, in milliseconds since 1970: all that may count for a day that began then.
  func ledger(since moment: Int64) throws -> Ledger {
    let arrivals = try arrivals()
    let since = Date(milliseconds: moment - 2 * 86_400_000)
    var ledger = Ledger()
    for record in try replica.fetch(Query<UseRecord>(in: use).filter(\.startedAt >= since)) {
      ledger.take(record.placed(arrived: arrivals["\(record.id)"]))
    }
    return ledger
  }

  /// When records were first seen whose clocks were ahead, by their ids.
  func arrivals() throws -> [String: Int64] {
    var arrivals: [String: Int64] = [:]
    for arrival in try replica.fetch(Query<Arrival>(in: limits)) {
      arrivals[arrival.record] = arrival.arrivedAt.milliseconds
    }
    return arrivals
  }

  /// Notes which records came with clocks that are ahead, so that everybody places them alike; for a
  /// replica that may edit the limits. Two that note the same make one record.
  ///
  /// - Returns: how many were noted now.
  @discardableResult
  func noteArrivals(now: Int64) throws -> Int {
    let noted = try arrivals()
    let limit = Date(milliseconds: now + Placed.ahead)
    var ahead = try replica.fetch(Query<UseRecord>(in: use).filter(\.startedAt > limit)).map(\.id)
    ahead += try replica.fetch(Query<Ask>(in: use).filter(\.askedAt > limit)).map(\.id)
    ahead += try replica.fetch(Query<GrantRecord>(in: limits).filter(\.grantedAt > limit)).map(\.id)
    let new = ahead.filter { noted["\($0)"] == nil }
    guard !new.isEmpty else { return 0 }
    try replica.write(in: limits) { transaction in
      for id in new {
        var arrival = Arrival(id: Arrival.id(of: id))
        (arrival.record, arrival.arrivedAt) = ("\(id)", Date(milliseconds: now))
        try transaction.create(arrival)
      }
    }
    return new.count
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
    return Placed(use, of: device.map { "\($0.id)" } ?? "", arrived: arrived)
  }

  /// Takes what the tracker says.
  mutating func take(_ use: Use, of desk: RecordID) {
    device = Reference(desk)
    number = use.number
    program = use.program
    startedAt = Date(milliseconds: use.start)
    offset = use.offset
    milliseconds = Int(use.length)
    ending = use.ending.rawValue
  }
}
