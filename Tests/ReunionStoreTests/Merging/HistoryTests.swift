import FoundationEssentials
import ReunionCore
import Testing

@testable import ReunionStore

/// Random histories of writes, exchanges, cuts and roll-backs on three stores, with an oracle that
/// knows every photo: whatever anybody held at the end of the faults is held by all in the end, and
/// a store whose history differs from that of a position is told so.
@Suite struct HistoryTests {
  /// What became of a seed.
  struct Loss: Error, CustomStringConvertible { let description: String }

  private final class Node {
    let folder = Folder()
    let bugs: SeededBugs
    private(set) var store: Store
    private var snapshot: [String: Data]?
    /// The histories that the oracle tells apart: which commits stood at each arrival.
    var history: [UInt64: UInt64] = [:]
    var snapshotHistory: [UInt64: UInt64] = [:]

    init(_ bugs: SeededBugs) throws {
      self.bugs = bugs
      store = try folder.open { $0.seededBugs = bugs }
    }

    func keep() throws {
      try store.close()
      snapshot = try folder.snapshot()
      snapshotHistory = history
      store = try folder.open { $0.seededBugs = bugs }
    }

    func rollBack() throws {
      guard let snapshot else { return }
      try store.close()
      try folder.rollBack(to: snapshot)
      history = snapshotHistory
      store = try folder.open { $0.seededBugs = bugs }
    }
  }

  private struct Run {
    var random: Seeded
    let nodes: [Node]
    var count = 0
    /// Positions that were told, by node, with the history as of then.
    var told: [[Told]]
    /// How often it was known what was held at an earlier position, and how often not.
    var (knownCount, unknownCount) = (0, 0)

    struct Told {
      let position: [UInt8]
      let arrival: UInt64
      let history: [UInt64: UInt64]
      let site: Site
      let vector: VersionVector
    }

    init(seed: UInt64, bugs: SeededBugs) throws {
      random = Seeded(state: seed)
      nodes = try (0..<3).map { _ in try Node(bugs) }
      told = [[], [], []]
    }

    mutating func run() throws {
      for _ in 0..<40 { try step() }
      let held = try nodes.map { try captions($0.store) }
      for _ in 0..<4 {
        for (one, two) in [(0, 1), (0, 2), (1, 2)] { try exchange(one, two, cut: .max) }
      }
      let wanted = held.reduce(Set()) { $0.union($1) }
      for node in nodes {
        let lost = try wanted.subtracting(captions(node.store))
        guard lost.isEmpty else { throw Loss(description: "\(lost.sorted()) is lost") }
      }
      let digests = try Set(nodes.map { try $0.store.digest(of: space) })
      guard digests.count == 1 else { throw Loss(description: "the stores differ") }
    }

    private func captions(_ store: Store) throws -> Set<String> {
      Set(try store.fetch(Query<Photo>(in: space)).map(\.caption))
    }

    private mutating func step() throws {
      let index = Int.random(in: 0..<3, using: &random)
      let node = nodes[index]
      switch Int.random(in: 0..<12, using: &random) {
      case 0: try node.keep()
      // The one in the middle alone: of two that went back, nobody may know what they wrote.
      case 1: if index == 0 { try node.rollBack() }
      case 2..<7:
        count += 1
        let caption = "\(index) \(count)"
        try node.store.write(in: space) { try $0.create(Photo.self) { $0.caption = caption } }
        try note(index)
      default:
        let other = index == 0 ? Int.random(in: 1..<3, using: &random) : 0
        let cut = Int.random(in: 0..<8, using: &random)
        try exchange(index, other, cut: cut > 4 ? .max : cut)
      }
      try checkPositions(index)
    }

    private mutating func exchange(_ one: Int, _ two: Int, cut: Int) throws {
      var exchange = Exchange(nodes[one].store, nodes[two].store)
      exchange.windowBytes = 300
      exchange.pushesBeforeCut = cut
      _ = try exchange.run()
      for index in [one, two] { try note(index) }
    }

    /// Notes what the store tells now, and the commit that stands at its last arrival.
    private mutating func note(_ index: Int) throws {
      let node = nodes[index]
      let arrival = try node.store.arrival(of: space)
      guard arrival > 0 else { return }
      if node.history[arrival] == nil { node.history[arrival] = random.next() }
      let sending = Conversation.Reading(after: arrival, vectorAfter: arrival)
      guard let end = try node.store.window(in: space, sending, bytesMax: 1).end else { return }
      told[index].append(
        Told(
          position: end.position, arrival: arrival, history: node.history, site: node.store.site,
          vector: try node.store.vector(of: space)))
    }

    /// Whether a site was given up since an arrival: all is compared then.
    private func isRetired(_ store: Store, after arrival: UInt64) throws -> Bool {
      let sending = Conversation.Reading(after: arrival, vectorAfter: 0, held: VersionVector())
      return try store.window(in: space, sending, bytesMax: .max).changes.contains {
        $0.entity == 16_777_210
      }
    }

    /// What was held at a position is known as it was, or said not to be known.
    private mutating func checkPast(_ told: Told, _ store: Store) throws {
      switch try store.resume(from: told.position, in: space, beyond: VersionVector()) {
      case .incomparable, .behind: unknownCount += 1
      case .rolledBack: break
      case .at:
        knownCount += 1
        let sites = Set((told.vector.entries + (try store.vector(of: space)).entries).map(\.site))
        let past = try store.readTransaction { (reader) throws(StoreError) in
          let number = try reader.numbers.existingNumber(of: space) ?? 0
          var past = PastVector(
            reader, space: number, at: told.arrival, store.rises, store.options.seededBugs)
          for site in sites { _ = try past.seq(of: site) }
          return past.seqs
        }
        for site in sites where past[site] != told.vector[site] {
          throw Loss(
            description: "at \(told.arrival) \(told.vector[site]) of \(site) was held, not "
              + "\(past[site] ?? 0)")
        }
      }
    }

    /// A position is resumed at its arrival where the history is the same, and tells a roll-back
    /// where it is another.
    private mutating func checkPositions(_ index: Int) throws {
      let node = nodes[index]
      for told in told[index].suffix(8) {
        let isSame = node.history[told.arrival] == told.history[told.arrival]
        switch try node.store.resume(from: told.position, in: space) {
        case .at(let cursor, _):
          if isSame, cursor != told.arrival, try !isRetired(node.store, after: told.arrival) {
            throw Loss(description: "a position is forgotten")
          }
          if !isSame, cursor == told.arrival { throw Loss(description: "a lost history counts") }
          if !isSame, told.site == node.store.site {
            throw Loss(description: "a roll-back is not told")
          }
        case .rolledBack:
          if isSame { throw Loss(description: "a roll-back is told that was none") }
        case .incomparable, .behind: throw Loss(description: "all was named")
        }
        try checkPast(told, node.store)
      }
    }
  }

  private static func run(_ seed: UInt64, _ bugs: SeededBugs = []) -> String? {
    do {
      var run = try Run(seed: seed, bugs: bugs)
      try run.run()
      return nil
    } catch {
      return "\(error)"
    }
  }

  @Test(arguments: 1...25 as ClosedRange<UInt64>)
  func `nothing that anybody holds is lost over roll-backs and cuts`(seed: UInt64) {
    #expect(Self.run(seed) == nil)
  }

  @Test(arguments: [
    SeededBug.positionUnchecked, .rolledBackWritesStay, .retirementUnsaid, .riseForgotten,
  ])
  func `is caught where a store does it wrong (negative control)`(bug: SeededBug) {
    let caught = (1...25 as ClosedRange<UInt64>).first { Self.run($0, [bug]) != nil }
    #expect(caught != nil)
  }
}
