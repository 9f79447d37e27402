import ReunionCore
import ReunionStore
import ReunionSync

/// What replicas have been told that others have on their disks (guarantees 5 and 16).
struct Claims {
  private struct Pair: Hashable {
    let teller: Int
    let holder: Int
  }

  /// The arrival number of one replica up to which another one has everything.
  private var cursors: [Pair: UInt64] = [:]
  /// Pairs of which one has lost what it had, while the other's session has not noticed yet.
  private var stale: Set<Pair> = []

  /// Notes what the sessions say.
  mutating func learn(_ world: World) {
    for connection in world.connections {
      let (one, two) = (connection.dialler.number, connection.acceptor.number)
      learn(Pair(teller: one, holder: two), connection.conversation)
      if !connection.terms.isLeaf {
        learn(Pair(teller: two, holder: one), connection.acceptorConversation)
      }
    }
  }

  private mutating func learn(_ pair: Pair, _ conversation: Conversation.State?) {
    guard case .live(let live) = conversation else {
      stale.remove(pair)
      return
    }
    guard !stale.contains(pair) else { return }
    cursors[pair] = max(cursors[pair] ?? 0, live.acknowledgedCursor)
  }

  /// Drops what was said of a replica that has lost what it had, and what it was told itself.
  mutating func forget(_ replica: WorldReplica) {
    cursors = cursors.filter { $0.key.teller != replica.number && $0.key.holder != replica.number }
    for connection in replica.world.connections(of: replica) {
      let (one, two) = (connection.dialler.number, connection.acceptor.number)
      stale.formUnion([Pair(teller: one, holder: two), Pair(teller: two, holder: one)])
    }
  }

  /// Throws where a replica that has started again lacks what it had acknowledged.
  func check(_ replica: WorldReplica, _ holdings: Holdings, _ oracle: Oracle) throws {
    guard replica.durability == .full else { return }
    for other in replica.world.replicas {
      guard let cursor = cursors[Pair(teller: other.number, holder: replica.number)], cursor > 0,
        let store = other.running, !other.isGone
      else { continue }
      let faults = other.disk.faults
      other.disk.faults = DiskFaults()
      defer { other.disk.faults = faults }
      for change in try Self.changes(of: store, upTo: cursor, in: replica.world.space) {
        guard let number = oracle.number(of: change), oracle.writes[number].fate == .sure else {
          continue
        }
        let write = oracle.writes[number]
        // Under a number that names two changes, the other one may be what it holds. Only their author sends
        // both, whatever a vector says.
        let dot = change.cell.dot
        guard !oracle.isForked(dot) || store.site(in: replica.world.space) == dot.site else {
          continue
        }
        guard !holdings.erased.contains(write.place) else { continue }
        guard oracle.holds(holdings.state(write.place), write) else {
          throw Violation(
            5,
            "\(replica.name) acknowledged \(oracle.name(write)) to \(other.name), and does not "
              + "hold it after its end")
        }
      }
    }
  }

  /// The cells of the rows of a store that arrived up to a number.
  private static func changes(
    of store: Store, upTo cursor: UInt64, in space: SpaceID
  ) throws -> [Change] {
    let later = Set(try store.changes(in: space, after: cursor).changes.map { RecordPlace($0) })
    return try store.changes(in: space).changes.filter { !later.contains(RecordPlace($0)) }
  }
}
