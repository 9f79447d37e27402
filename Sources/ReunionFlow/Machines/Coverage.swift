/// Which transitions of a model a test has made a machine go through.
///
/// ```swift
/// let coverage = Coverage(of: model)
/// let recording = machine.transitions.observe { coverage.record($0) }
/// …
/// #expect(coverage.missing.isEmpty)
/// ```
///
/// *Thread*: any.
public final class Coverage<M: Machine>: Sendable {
  private let model: MachineModel<M>
  private let covered = Lock<Set<MachineModel<M>.Edge>>([])

  /// Makes an empty record.
  public init(of model: MachineModel<M>) { self.model = model }

  /// Notes a transition.
  public func record(_ transition: MachineTransition<M>) {
    let edge = MachineModel<M>.Edge(transition)
    covered.withLock { _ = $0.insert(edge) }
  }

  /// Notes the transitions that events lead to from the model's first state, without a runner.
  public func record(path: [M.Event]) {
    for transition in model.transitions(along: path) { record(transition) }
  }

  /// The transitions of the model that were not made yet, in the model's order.
  public var missing: [MachineModel<M>.Edge] {
    let covered = covered.withLock { $0 }
    return model.edges.filter { !covered.contains($0) }
  }

  /// Transitions that were made and are not in the model: its sample events are too few.
  public var unexpected: [MachineModel<M>.Edge] {
    covered.withLock { $0 }.subtracting(model.edges).sorted()
  }

  /// The share of the model's transitions that were made, from 0 to 1.
  public var fraction: Double {
    guard !model.edges.isEmpty else { return 1 }
    return 1 - Double(missing.count) / Double(model.edges.count)
  }
}
