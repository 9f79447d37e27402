/// That a transform runs which may build signals: they join the turn that is under way.
///
/// Without it they would hold the values of the turn before until the next turn.
final class Building {
  private static let innermost = ThreadLocal<Building>()
  /// The turn under way on this thread in which a transform may build, if there is one.
  static var current: Building? { innermost.object }

  private let turns: Turns
  private let turn: UnsafeMutablePointer<Turn>

  private init(_ turns: Turns, _ turn: UnsafeMutablePointer<Turn>) {
    self.turns = turns
    self.turn = turn
  }

  static func during<Success>(
    _ turn: inout Turn, of turns: Turns, _ body: () -> Success
  ) -> Success {
    withUnsafeMutablePointer(to: &turn) { turn in
      innermost.with(Building(turns, turn), body)
    }
  }

  /// True when all these nodes belong to the turn's owner alone.
  func owns(_ nodes: [Node]) -> Bool {
    let root = turns.root
    return nodes.allSatisfy { $0.turns.root === root } && turns.locked { $0.hasOneOwner }
  }

  /// Attaches a new node, and has it brought up to date after those of its sources that wait.
  func attach(_ node: Node, to sources: [Node]) {
    for source in sources { node.attach(to: source) }
    if sources.contains(where: \.isMarked) { turn.pointee.mark(node) }
  }
}
