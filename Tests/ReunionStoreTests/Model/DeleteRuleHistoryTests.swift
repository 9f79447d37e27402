import ReunionCore
import Testing

@testable import ReunionStore

/// Deletes at random, beside sets of numbers that say what rules must do.
@Suite struct DeleteRuleHistoryTests {
  struct Crate: Entity {
    let id: RecordID
    var inside: Reference<Crate>?
    init(id: RecordID) { self.id = id }
    static let schema = EntitySchema<Crate>(
      1, "crate", [.field(1, "inside", \.inside, onDelete: .delete)])
  }

  struct Disc: Entity {
    let id: RecordID
    var crate: Reference<Crate>?
    var sequel: Reference<Disc>?
    init(id: RecordID) { self.id = id }
    static let schema = EntitySchema<Disc>(
      2, "disc",
      [
        .field(1, "crate", \.crate, onDelete: .delete),
        .field(2, "sequel", \.sequel, onDelete: .clear),
      ])
  }

  struct Loan: Entity {
    let id: RecordID
    var disc: Reference<Disc>?
    init(id: RecordID) { self.id = id }
    static let schema = EntitySchema<Loan>(
      3, "loan", [.field(1, "disc", \.disc, onDelete: .refuse)])
  }

  /// The living records by number, with the numbers that they name.
  struct Shelf: Equatable {
    var crates: [UInt64: UInt64?] = [:]
    /// The crate, and the sequel.
    var discs: [UInt64: [UInt64?]] = [:]
    var loans: [UInt64: UInt64?] = [:]

    /// What a delete of a crate or a disc must do; false where a loan refuses, and nothing is done.
    mutating func delete(_ number: UInt64) -> Bool {
      var gone: Set = [number]
      while true {
        let next = Set(crates.filter { isIn(gone, $0.value) }.keys)
          .union(discs.filter { isIn(gone, $0.value[0]) }.keys).union(gone)
        if next == gone { break }
        gone = next
      }
      if loans.contains(where: { isIn(gone, $0.value) }) { return false }
      for number in gone { (crates[number], discs[number]) = (nil, nil) }
      for (number, names) in discs where isIn(gone, names[1]) { discs[number] = [names[0], nil] }
      return true
    }

    private func isIn(_ gone: Set<UInt64>, _ number: UInt64?) -> Bool {
      number.map(gone.contains) ?? false
    }
  }

  private static let model = Model(Crate.schema, Disc.schema, Loan.schema)

  @Test func `random deletes do what the rules say, and what is refused does nothing`() throws {
    var counts = (deleted: 0, refused: 0)
    for seed in 0..<40 as Range<UInt64> {
      if let fault = try Self.fault(seed: seed, counts: &counts) {
        Issue.record("seed \(seed): \(fault)")
        return
      }
    }
    print("delete rules: \(counts.deleted) deletes, \(counts.refused) refused")
    #expect(counts.deleted > 100 && counts.refused > 20)
  }

  @Test(arguments: [SeededBug.deleteRulesIgnored, .clearedFieldStays, .refusalTooLate])
  func `what a delete can do wrong is seen (negative control)`(bug: SeededBug) throws {
    var counts = (deleted: 0, refused: 0)
    let found = try (0..<40 as Range<UInt64>).contains {
      try Self.fault(seed: $0, counts: &counts, bugs: [bug]) != nil
    }
    #expect(found)
  }

  private static func fault(
    seed: UInt64, counts: inout (deleted: Int, refused: Int), bugs: SeededBugs = []
  ) throws -> String? {
    var random = Seeded(state: seed &* 7907 &+ 1)
    let store = try Folder().open(model) { options in
      options.seededBugs = bugs
      options.durability = .normal
    }
    defer { try? store.close() }
    var shelf = Shelf()
    func pick(_ numbers: some Collection<UInt64>) -> UInt64? {
      Int.random(in: 0..<4, using: &random) == 0
        ? nil : numbers.sorted().randomElement(using: &random)
    }
    for number in 1...40 as ClosedRange<UInt64> {
      let id = RecordID(high: 1, low: number)
      let (crate, disc) = (pick(shelf.crates.keys), pick(shelf.discs.keys))
      let choice = Int.random(in: 0..<9, using: &random)
      let target = pick([crate, disc].compactMap { $0 })
      try store.write(in: space) { transaction in
        switch choice {
        case 0, 1:
          shelf.crates[number] = .some(crate)
          var made = Crate(id: id)
          made.inside = reference(crate)
          try transaction.create(made)
        case 2...4:
          shelf.discs[number] = [crate, disc]
          var made = Disc(id: id)
          (made.crate, made.sequel) = (reference(crate), reference(disc))
          try transaction.create(made)
        case 5:
          shelf.loans[number] = .some(disc)
          var made = Loan(id: id)
          made.disc = reference(disc)
          try transaction.create(made)
        case 6:
          guard let loan = shelf.loans.keys.min() else { return }
          shelf.loans[loan] = nil
          try transaction.delete(Loan.self, RecordID(high: 1, low: loan))
        default:
          guard let target else { return }
          let isCrate = shelf.crates[target] != nil
          let isDone = shelf.delete(target)
          if isDone { counts.deleted += 1 } else { counts.refused += 1 }
          do {
            let id = RecordID(high: 1, low: target)
            if isCrate {
              try transaction.delete(Crate.self, id)
            } else {
              try transaction.delete(Disc.self, id)
            }
          } catch let error as StoreError where error.code == .referenced {
            // The transaction goes on.
          }
        }
      }
      let found = try read(store)
      guard found == shelf else { return "step \(number): \(found) is not \(shelf)" }
    }
    return nil
  }

  private static func reference<E: Entity>(_ number: UInt64?) -> Reference<E>? {
    number.map { Reference(RecordID(high: 1, low: $0)) }
  }

  private static func read(_ store: Store) throws -> Shelf {
    var shelf = Shelf()
    for crate in try store.fetch(Query<Crate>(in: space)) {
      shelf.crates[crate.id.low] = .some(crate.inside?.id.low)
    }
    for disc in try store.fetch(Query<Disc>(in: space)) {
      shelf.discs[disc.id.low] = [disc.crate?.id.low, disc.sequel?.id.low]
    }
    for loan in try store.fetch(Query<Loan>(in: space)) {
      shelf.loans[loan.id.low] = .some(loan.disc?.id.low)
    }
    return shelf
  }
}
