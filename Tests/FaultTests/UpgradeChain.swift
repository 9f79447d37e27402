import ReunionCore
import ReunionStore
import ReunionTesting

/// The versions of an app's model, one after the other, from a seed: entities and fields come, are
/// renamed, hidden and shown again, and begin with other values; words, indexes and lenses come and go.
struct UpgradeChain {
  static let entities: ClosedRange<UInt32> = 1...4
  static let fields: ClosedRange<UInt32> = 1...9

  let models: [Model]

  /// The permanent kind of a field.
  static func kind(_ entity: UInt32, _ field: UInt32) -> ValueKind {
    let kinds: [ValueKind] = [
      .blob, .text, .int, .reference, .double, .counter, .set, .bool, .date,
    ]
    return kinds[Int((entity + field) % UInt32(kinds.count))]
  }

  init(versions: Int, _ random: inout SeededRandom) {
    var draft = Draft(&random)
    var models = [draft.model]
    while models.count < versions {
      for _ in 0..<Int.random(in: 1...4, using: &random) { draft.change(&random) }
      models.append(draft.model)
    }
    self.models = models
  }

  /// A version that is being made.
  private struct Draft {
    struct Part {
      var isShown = true
      var name: String
      var isMarked = false
      /// Whether lenses make fields of others.
      var hasLenses = false
    }

    private var entities: [UInt32: Part] = [:]
    private var fields: [UInt32: [UInt32: Part]] = [:]
    private var count = 0

    init(_ random: inout SeededRandom) {
      add(1)
      for _ in 0..<3 { change(&random) }
    }

    private mutating func name(_ what: String) -> String {
      count += 1
      return "\(what) \(count)"
    }

    private mutating func add(_ entity: UInt32) {
      entities[entity] = Part(name: name("entity"))
      fields[entity] = [1: Part(name: name("field"))]
    }

    mutating func change(_ random: inout SeededRandom) {
      let entity = UInt32.random(in: UpgradeChain.entities, using: &random)
      let field = UInt32.random(in: UpgradeChain.fields, using: &random)
      guard entities[entity] != nil else { return add(entity) }
      let (entityName, fieldName) = (name("entity"), name("field"))
      switch Int.random(in: 0..<11, using: &random) {
      case 0: entities[entity]?.name = entityName
      case 1: entities[entity]?.isShown.toggle()
      case 2: entities[entity]?.isMarked.toggle()
      case 3: fields[entity]?[field]?.name = fieldName
      case 4: fields[entity]?[field]?.isShown.toggle()
      case 5: fields[entity]?[field]?.isMarked.toggle()
      case 6: entities[entity]?.hasLenses.toggle()
      default:
        if fields[entity]?[field] == nil { fields[entity]?[field] = Part(name: fieldName) }
      }
    }

    var model: Model {
      Model(
        entities: entities.filter(\.value.isShown).map { number, entity in
          let shown = (fields[number] ?? [:]).filter(\.value.isShown)
          let registers = shown.keys.sorted().filter {
            [.text, .int].contains(UpgradeChain.kind(number, $0))
          }
          return EntityDescription(
            number: number, name: entity.name,
            fields: shown.map { field, part in
              let kind = UpgradeChain.kind(number, field)
              let initial: [ValueKind: Value] = [.text: .text("none"), .int: .int(-1)]
              return FieldDescription(
                number: field, name: part.name, kind: kind,
                isSearchable: part.isMarked && kind == .text,
                initial: part.isMarked ? initial[kind] ?? .null : .null)
            },
            indexes: entity.isMarked ? registers.prefix(2).map { [$0] } : [],
            lenses: entity.hasLenses ? Self.lenses(of: number, making: Set(shown.keys)) : [])
        })
    }

    /// A chain of lenses, as far as the model shows what they make: of dates whole numbers, and of those
    /// texts and doubles.
    private static func lenses(of entity: UInt32, making shown: Set<UInt32>) -> [String] {
      func end(_ kind: ValueKind) -> (field: UInt32, text: String)? {
        UpgradeChain.fields.first { UpgradeChain.kind(entity, $0) == kind }.map {
          ($0, "\($0):\(kind.rawValue)?")
        }
      }
      let lenses: [(ValueKind, ValueKind, String)] = [
        (.int, .text, "text"), (.date, .int, "times 3"), (.int, .double, "times 2"),
      ]
      return lenses.compactMap { from, to, conversion in
        guard let source = end(from), let target = end(to), shown.contains(target.field) else {
          return nil
        }
        return "lens \(source.text) to \(target.text) by \(conversion)"
      }
    }
  }
}

/// What devices of the newest version write, and what a store must have of it then.
struct UpgradeWriter {
  private(set) var oracle: [UInt32: [RecordID: RecordState]] = [:]
  private var random: SeededRandom
  private let sites: [Site]
  private var counts: [Site: UInt64] = [:]

  init(seed: UInt64) {
    random = SeededRandom(seed: seed)
    sites = (1...3).map { Site(device: 100 + $0, incarnation: seed) }
  }

  /// Writes a number of cells into a store, whatever its model knows. Some of them name blobs.
  mutating func write(_ cells: Int, into store: Store, naming blobs: [Value]) throws {
    let site = sites.randomElement(using: &random) ?? sites[0]
    var changes: [Change] = []
    for _ in 0..<cells {
      let entity = UInt32.random(in: UpgradeChain.entities, using: &random)
      let id = RecordID(high: 9, low: UInt64.random(in: 1...6, using: &random))
      changes.append(Change(entity: entity, record: id, cell: cell(by: site, of: entity, blobs)))
    }
    // Each blob is named at least once.
    for (index, blob) in blobs.enumerated() {
      var cell = cell(by: site, of: 1, [])
      cell = Cell(
        field: 8, merge: .register, dot: cell.dot, stamp: cell.stamp, value: blob)
      changes.append(
        Change(entity: 1, record: RecordID(high: 8, low: UInt64(index)), cell: cell))
    }
    for change in changes {
      _ = oracle[change.entity, default: [:]][change.record, default: RecordState()]
        .merge(change.cell)
    }
    var vector = VersionVector()
    vector.raise(site, to: counts[site] ?? 0)
    _ = try store.apply(
      IncomingPush(
        peer: site, helloSeq: vector[site], changes: changes, raised: vector, vector: vector,
        position: []),
      in: space, authority: .all)
  }

  private mutating func cell(by site: Site, of entity: UInt32, _ blobs: [Value]) -> Cell {
    counts[site, default: 0] += 1
    let dot = Dot(site: site, seq: counts[site] ?? 1)
    let stamp = Stamp(milliseconds: UInt64.random(in: 1_000...2_000, using: &random))
    let field = UInt32.random(in: UpgradeChain.fields, using: &random)
    func cell(_ merge: MergeKind, _ value: Value, _ field: UInt32) -> Cell {
      Cell(field: field, merge: merge, dot: dot, stamp: stamp, value: value)
    }
    let number = Int64.random(in: -9...9, using: &random)
    if random.happens(0.2) { return cell(.creation, .null, 0) }
    if random.happens(0.05) {
      var seen = VersionVector()
      seen.raise(site, to: dot.seq / 2)
      return cell(.deletion, Cell.deletionValue(seen: seen), 0)
    }
    switch UpgradeChain.kind(entity, field) {
    case .blob: return cell(.register, blobs.randomElement(using: &random) ?? .null, field)
    case .text: return cell(.register, .text("words \(number)"), field)
    case .int: return cell(.register, .int(number), field)
    case .reference:
      return cell(.register, .reference(RecordID(high: 9, low: UInt64(number + 10))), field)
    case .double: return cell(.register, .double(Double(number) / 3), field)
    case .counter: return cell(.tally, .int(number), field)
    case .set: return cell(.member, .text("\(number)"), field)
    case .bool: return cell(.register, .bool(number > 0), field)
    default: return cell(.register, .date(milliseconds: number), field)
    }
  }

  /// Throws unless a store has every record as the oracle does.
  func check(_ store: Store, _ moment: String) throws {
    for (entity, records) in oracle {
      for (id, state) in records
      where try store.record(entity: entity, id, in: space) != state {
        throw Loss("\(moment): a record of entity \(entity) is another")
      }
    }
  }
}
