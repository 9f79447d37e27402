/// What can be observed of a state machine; it is made when somebody asks for it.
final class Outlets<M: Machine>: Sendable {
  private let stateNode: SourceNode<M.State>
  private let transitionNode: EventNode<Transition<M>>
  private let rejectedNode: EventNode<InvalidTransition>

  init(_ state: M.State, turns: Turns) {
    stateNode = SourceNode(state, turns: turns)
    transitionNode = EventNode(turns: turns, rank: 0)
    rejectedNode = EventNode(turns: turns, rank: 0)
  }

  var state: Signal<M.State> { Signal(stateNode) }
  var transitions: Occurrences<Transition<M>> { Occurrences(transitionNode) }
  var rejected: Occurrences<InvalidTransition> { Occurrences(rejectedNode) }

  /// Has a transition published in a turn that is about to run.
  func publish(_ transition: Transition<M>, in turn: inout Turn) {
    stateNode.next = transition.to
    turn.mark(stateNode)
    transitionNode.events.append(transition)
    turn.mark(transitionNode)
  }

  func reject(_ error: InvalidTransition) {
    rejectedNode.turns.submit { [rejectedNode] turn in
      rejectedNode.events.append(error)
      turn.mark(rejectedNode)
    }
  }
}
