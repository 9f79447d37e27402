/// What can be observed of a state machine; it is made when somebody asks for it.
final class Outlets<M: Machine>: Sendable {
  private let stateNode: SourceNode<M.State>
  private let transitionNode: EventNode<MachineTransition<M>>
  private let rejectedNode: EventNode<InvalidTransition>

  init(_ state: M.State, turns: Turns) {
    stateNode = SourceNode(state, turns: turns)
    transitionNode = EventNode(turns: turns)
    rejectedNode = EventNode(turns: turns)
  }

  var state: Signal<M.State> { Signal(stateNode, nil) }
  var transitions: Occurrences<MachineTransition<M>> { Occurrences(transitionNode, nil) }
  var rejected: Occurrences<InvalidTransition> { Occurrences(rejectedNode, nil) }

  /// Has a transition published in a turn that is about to run.
  func publish(_ transition: MachineTransition<M>, in turn: inout Turn) {
    stateNode.set(transition.to, in: &turn)
    transitionNode.emit(transition, in: &turn)
  }

  func reject(_ error: InvalidTransition) {
    rejectedNode.turns.submit { [rejectedNode] turn in rejectedNode.emit(error, in: &turn) }
  }
}
