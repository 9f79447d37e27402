/// A vertex of the graph of signals.
///
/// *Thread*: all methods are the turn owner's, except where they say otherwise; that is why this
/// class may promise to be Sendable. A node holds its sources, and its sources do not hold it.
class Node: @unchecked Sendable {
  let turns: Turns
  /// Greater than the rank of every source. A node is built after its sources: no cycle can be.
  let rank: Int
  /// True while the node waits in a turn.
  var isMarked = false
  /// How often the node has published; any thread may read it under the turns' lock.
  fileprivate(set) var version: UInt64 = 0
  var dependents = Roster<Node>()

  init(turns: Turns, rank: Int) {
    self.turns = turns
    self.rank = rank
  }

  /// Computes what is new in this turn, and tells whether anything is.
  func refresh() -> Bool { false }
  /// Makes it visible to all threads; called under the turns' lock, so it releases nothing.
  func publish() { version += 1 }
  /// Calls the observers.
  func deliver() {}
  /// Releases what the turn no longer needs.
  func settle() {}
}

/// The places that a derived node has at its sources; it gives them up when it is released.
final class Attachment: Sendable {
  private let places: [(source: Node, seat: Seat<Node>)]

  init(of node: Node, to sources: [Node]) {
    places = sources.map { ($0, Seat(node)) }
  }

  /// Takes the places; for the turn's owner.
  func attach() {
    for place in places { place.source.dependents.insert(place.seat) }
  }

  /// Gives up the places. *Thread*: any.
  func detach() {
    for place in places {
      place.source.turns.submit { _ in place.source.dependents.remove(place.seat) }
    }
  }
}
