/// Which transitions of a model a test has made a machine go through.
///
/// ```swift
/// func gaps<M: Machine>(
///   left by: [[M.Event]], running machine: StateMachine<M>, in model: MachineModel<M>
/// ) throws -> [String] {
///   let coverage = Coverage(of: model)
///   let recording = machine.transitions.observe { coverage.record($0) }
///   for events in by { for event in events { try machine.send(event) } }
///   recording.cancel()
///   return coverage.missing.map(\.description)
/// }
/// ```
///
/// Transitions are told apart by names, as diagrams show them: a transition between other
/// associated values is the same one. *Thread*: any.
public final class Coverage<M: Machine>: Sendable {
  private let model: MachineModel<M>
  private let covered = Lock<Set<MachineModel<M>.Edge>>([])

  /// Makes an empty record of what the model can do.
  public init(of model: MachineModel<M>) { self.model = model }

  /// Notes a transition, once: how often it was made is not counted.
  public func record(_ transition: MachineTransition<M>) {
    let edge = MachineModel<M>.Edge(transition)
    covered.withLock { _ = $0.insert(edge) }
  }

  /// Notes the transitions that events lead to from the model's first state, without a runner. An
  /// event that is not valid where it comes is passed over.
  public func record(path: [M.Event]) {
    for transition in model.transitions(along: path) { record(transition) }
  }

  /// The transitions of the model that were not made yet, in the model's order: empty once a test
  /// has made all of them.
  public var missing: [MachineModel<M>.Edge] {
    let covered = covered.withLock { $0 }
    return model.edges.filter { !covered.contains($0) }
  }

  /// Transitions that were made and are not in the model, sorted: its sample events are too few, or
  /// it is not complete.
  public var unexpected: [MachineModel<M>.Edge] {
    covered.withLock { $0 }.subtracting(model.edges).sorted()
  }

  /// The share of the model's transitions that were made, from 0 to 1; 1 of a model without any.
  public var fraction: Double {
    guard !model.edges.isEmpty else { return 1 }
    return 1 - Double(missing.count) / Double(model.edges.count)
  }
}
