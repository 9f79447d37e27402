import ReunionStore

/// Everything that happens in a world, as a value: who is there, and one step after another.
///
/// ```swift
/// let add = WorldAction("add an album") { store, space, _ in
///   _ = try store.write(in: space) { try $0.create(Album.self) }
/// }
/// let simulation = Simulation(models: [Model(Album.schema)], actions: [add])
/// let history = simulation.history(seed: 7)
/// print(history.members.map(\.name), history.stepNumbers)
/// if let numbers = History.numbers("3,9-12") { try simulation.run(history.keeping(numbers)) }
/// ```
///
/// You can leave out any steps. The others then run as before, as far as they can, because each
/// step has its own randomness.
public struct History: Hashable, Sendable {
  /// A replica at the start.
  public struct Member: Hashable, Sendable {
    /// Its name in reports.
    public var name: String
    /// The number of its model among those of the simulation.
    public var model = 0
    /// How its store is opened.
    public var options = WorldReplica.Options()

    /// Makes a member.
    public init(_ name: String, model: Int = 0, options: WorldReplica.Options = .init()) {
      self.name = name
      self.model = model
      self.options = options
    }
  }

  /// A connection at the start.
  public struct Route: Hashable, Sendable {
    /// The number of the replica that dials.
    public var dialler: Int
    /// The number of the replica that is dialled.
    public var acceptor: Int
    /// What the two are to each other.
    public var terms = WorldConnection.Terms()

    /// Makes a route.
    public init(_ dialler: Int, _ acceptor: Int, _ terms: WorldConnection.Terms = .init()) {
      self.dialler = dialler
      self.acceptor = acceptor
      self.terms = terms
    }
  }

  /// A step with its place in the whole history.
  public struct NumberedStep: Hashable, Sendable {
    /// Its place, from 0, in the history with all steps.
    public let number: Int
    /// What happens.
    public let step: HistoryStep
  }

  /// The seed of everything that the steps do not say.
  public var seed: UInt64
  /// The replicas.
  public var members: [Member]
  /// The connections.
  public var routes: [Route]
  /// What happens, in order.
  public var steps: [NumberedStep]

  /// Makes a history of steps.
  public init(seed: UInt64, members: [Member], routes: [Route], steps: [HistoryStep]) {
    self.seed = seed
    self.members = members
    self.routes = routes
    self.steps = steps.enumerated().map { NumberedStep(number: $0, step: $1) }
  }

  /// The same with these of its steps alone.
  func keeping(_ steps: [NumberedStep]) -> History {
    var history = self
    history.steps = steps
    return history
  }

  /// The same history with only the steps of these numbers.
  public func keeping(_ numbers: Set<Int>) -> History {
    keeping(steps.filter { numbers.contains($0.number) })
  }

  /// The numbers of its steps as a command takes them: "3,9-12".
  public var stepNumbers: String {
    var ranges: [(Int, Int)] = []
    for number in steps.map(\.number) {
      if let last = ranges.last, last.1 + 1 == number {
        ranges[ranges.count - 1].1 = number
      } else {
        ranges.append((number, number))
      }
    }
    return ranges.map { $0 == $1 ? "\($0)" : "\($0)-\($1)" }.joined(separator: ",")
  }

  /// Reads what `stepNumbers` writes; nil if it is malformed.
  public static func numbers(_ text: String) -> Set<Int>? {
    var numbers: Set<Int> = []
    for part in text.split(separator: ",") {
      let ends = part.split(separator: "-").map { Int($0) }
      guard let first = ends.first ?? nil, let last = ends.last ?? nil, ends.count <= 2,
        first <= last, last - first < 100_000
      else { return nil }
      numbers.formUnion(first...last)
    }
    return numbers
  }
}
