import ReunionCore
import ReunionFlow
import ReunionStore
import ReunionSync
import ReunionTesting

/// A short history of one record on three replicas, and what must come of it by the words of the
/// guarantees alone: no clock, no cell and no merge is in here.
struct SmallHistory: CustomStringConvertible {
  enum Kind: String { case insert, update, delete }

  struct Operation {
    let kind: Kind
    let replica: Int
    /// The operations that its author had seen.
    let seen: Set<Int>
    /// Which replicas meet after it.
    let meeting: [(Int, Int)]
  }

  private(set) var operations: [Operation] = []
  private var known: [Set<Int>] = [[], [], []]

  var description: String {
    operations.map { operation in
      let met = operation.meeting.map { "\($0)-\($1)" }.joined(separator: " ")
      return "\(operation.kind) at \(operation.replica)" + (met.isEmpty ? "" : ", meet \(met)")
    }.joined(separator: "; ")
  }

  /// Whether the record lives where these operations are known: something is kept that no delete had
  /// seen. All clocks are right, so that a later write beats an earlier one.
  func isAlive(_ known: Set<Int>) -> Bool {
    let writes = known.filter { operations[$0].kind != .delete }
    // What is kept of them: the last value, and the first of the creations that knew of no other.
    let creations = writes.filter { operations[$0].kind == .insert && operations[$0].seen.isEmpty }
    return [writes.max(), creations.min()].contains { number in
      guard let number else { return false }
      return !known.contains {
        operations[$0].kind == .delete && operations[$0].seen.contains(number)
      }
    }
  }

  /// The operations of which one must show: those that no other write had seen.
  var shown: Set<Int> {
    let writes = operations.indices.filter { operations[$0].kind != .delete }
    return Set(
      writes.filter { number in !writes.contains { operations[$0].seen.contains(number) } })
  }

  var isAliveAtLast: Bool { isAlive(Set(operations.indices)) }

  /// Every history of `count` operations, each followed by one of these meetings. The first
  /// operation is an insert at the first replica, since replicas differ by name alone.
  static func all(count: Int, meetings: [[(Int, Int)]]) -> [SmallHistory] {
    var histories: [SmallHistory] = [SmallHistory()]
    for number in 0..<count {
      histories = histories.flatMap { history in
        (0..<(number == 0 ? 1 : 3)).flatMap { replica in
          history.possible(at: replica).flatMap { kind in
            meetings.map { history.adding(kind, at: replica, meeting: $0) }
          }
        }
      }
    }
    return histories
  }

  private func possible(at replica: Int) -> [Kind] {
    isAlive(known[replica]) ? [.update, .delete] : [.insert]
  }

  private func adding(_ kind: Kind, at replica: Int, meeting: [(Int, Int)]) -> SmallHistory {
    var next = self
    let number = operations.count
    next.operations.append(
      Operation(kind: kind, replica: replica, seen: known[replica], meeting: meeting))
    next.known[replica].insert(number)
    for (one, two) in meeting {
      let both = next.known[one].union(next.known[two])
      next.known[one] = both
      next.known[two] = both
    }
    return next
  }
}

/// Three stores in which many small histories take place, each in a space of its own.
final class SmallStage {
  struct Item: Entity {
    let id: RecordID
    var title = ""
    init(id: RecordID) { self.id = id }
    static let schema = EntitySchema<Item>(1, "item", [.field(1, "title", \.title)])
  }

  private let clock = TestClock()
  private let random = SharedRandom(seed: 11)
  private let stores: [Store]
  private var spaceCount: UInt64 = 0
  private let id = RecordID(high: 1, low: 1)

  init(seededBugs: SeededBugs = []) throws {
    stores = try (0..<3).map { [clock, random] number in
      var options = StoreOptions()
      options.disk = SimulatedDisk(seed: UInt64(number))
      options.wallMilliseconds = { clock.wallMilliseconds }
      options.random = { random.draw { $0.next() } }
      options.seededBugs = seededBugs
      return try Store.open(folder: "/small", model: Model(Item.schema), options: options)
    }
  }

  /// What went wrong with a history; nil where nothing did.
  func fault(of history: SmallHistory) throws -> String? {
    spaceCount += 1
    let space = SpaceID(high: 9, low: spaceCount)
    for (number, operation) in history.operations.enumerated() {
      // All clocks are right: what is later has a later stamp.
      clock.advance(by: .milliseconds(5))
      try perform(operation.kind, "\(number)", at: stores[operation.replica], in: space)
      for (one, two) in operation.meeting { meet(one, two, in: space) }
    }
    for (one, two) in [(0, 1), (1, 2), (0, 1)] { meet(one, two, in: space) }
    for (number, store) in stores.enumerated() {
      let item = try store.fetch(Item.self, id, in: space)
      guard (item != nil) == history.isAliveAtLast else {
        return "\(number) \(item == nil ? "lacks" : "shows") the record: \(history)"
      }
      if let item, Int(item.title).map(history.shown.contains) != true {
        return "\(number) shows \(item.title): \(history)"
      }
    }
    let digests = Set(try stores.map { try $0.digest(of: space) })
    return digests.count == 1 ? nil : "they are not equal: \(history)"
  }

  private func perform(
    _ kind: SmallHistory.Kind, _ title: String, at store: Store, in space: SpaceID
  ) throws {
    try store.write(in: space) { transaction in
      switch kind {
      case .insert:
        var item = Item(id: id)
        item.title = title
        try transaction.create(item)
      case .update: try transaction.set(\Item.title, of: id, to: title)
      case .delete: try transaction.delete(Item.self, id)
      }
    }
  }

  /// A session of two stores from its beginning to its end.
  private func meet(_ one: Int, _ two: Int, in space: SpaceID) {
    let quality = NetworkQuality(delayMilliseconds: 1...1)
    let ends = StreamLink.pair(clock: clock, quality: quality, seed: spaceCount)
    let sessions = zip([stores[one], stores[two]], [ends.0, ends.1]).map { [clock] store, link in
      Session(
        link: link, store: store, configuration: Session.Configuration(space: space),
        clock: clock, execute: { clock.schedule(at: clock.now, $0) })
    }
    for session in sessions { session.start() }
    clock.advance(by: .milliseconds(200))
    sessions[0].stop()
    clock.advance(by: .milliseconds(200))
  }
}
