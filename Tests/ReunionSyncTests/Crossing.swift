import ReunionCore
import ReunionFlow
import ReunionStore
import ReunionSync
import ReunionTesting

/// The record that names a blob.
struct BlobNote: Entity {
  let id: RecordID
  var bytes: BlobReference?
  init(id: RecordID) { self.id = id }
  static let schema = EntitySchema<BlobNote>(1, "note", [.field(1, "bytes", \.bytes)])
}

/// A promise that was broken.
struct Broken: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// One replica that lacks blobs, and others that serve them: real stores and sessions, where each
/// piece arrives when the test says so.
final class Crossing {
  static let space = SpaceID(high: 3, low: 3)

  /// A replica on its own disk.
  final class Side {
    let disk: SimulatedDisk
    let store: Store

    init(_ disk: SimulatedDisk, seed: UInt64, bugs: SeededBugs = []) throws {
      self.disk = disk
      var options = StoreOptions()
      options.disk = disk
      options.seededBugs = bugs
      let random = SharedRandom(seed: seed)
      options.random = { random.draw { $0.next() } }
      options.wallMilliseconds = { 1_000_000 }
      store = try Store.open(
        folder: "/replica", model: Model(BlobNote.schema), options: options)
    }
  }

  /// A session of the receiver with a peer.
  struct Line {
    let name: String
    let near: HandLink
    let far: HandLink
    let session: Session
    let other: Session
  }

  let clock = TestClock()
  let queue = WorkQueue()
  let receiver: Side
  private(set) var lines: [Line] = []

  init(_ receiver: Side) { self.receiver = receiver }

  func connect(_ peer: Side, _ name: String, fetches: Bool = true) {
    let (near, far) = HandLink.pair()
    let queue = queue
    func session(_ link: HandLink, _ store: Store, fetches: Bool) -> Session {
      var configuration = Session.Configuration(space: Self.space, fetchesBlobs: fetches)
      // As large as may be, so that every order of the pieces can be tried.
      configuration.blobPieceBytesMax = BlobPiece.bytesMax
      let session = Session(
        link: link, store: store, configuration: configuration, clock: clock,
        execute: { queue.add($0) })
      session.start()
      return session
    }
    lines.append(
      Line(
        name: name, near: near, far: far,
        session: session(near, receiver.store, fetches: fetches),
        other: session(far, peer.store, fetches: false)))
    settle()
  }

  /// Ends the link to a peer.
  func cut(_ index: Int) {
    lines[index].near.close()
    settle()
  }

  /// Lets time pass, and all but pieces arrive.
  func wait(seconds: Int) {
    for _ in 0..<seconds {
      clock.advance(by: .seconds(1))
      settle()
    }
  }

  /// The sessions at which a piece waits to arrive.
  var choices: [Int] { lines.indices.filter { lines[$0].near.hasPieces } }

  var openLines: [Int] { lines.indices.filter { !lines[$0].near.isClosed } }

  /// Lets the next piece arrive.
  func deliver(_ index: Int) {
    lines[index].near.deliverPiece()
    settle()
  }

  /// Lets everything arrive but pieces of blobs.
  func settle() {
    queue.run()
    while let end = lines.flatMap({ [$0.near, $0.far] }).first(where: \.hasOthers) {
      end.deliverOther()
      queue.run()
    }
  }

  /// Lets everything arrive, the first session's first.
  func finish() {
    while let index = choices.first { deliver(index) }
  }

  func end() throws {
    for line in lines { line.near.close() }
    settle()
    try receiver.store.close()
  }

  /// Throws where a session has ended that nobody cut, or a blob was asked for from its end on.
  func check(cut: Set<Int> = [], sizes: [BlobHash: UInt64]) throws {
    for (index, line) in lines.enumerated() where !cut.contains(index) {
      for session in [line.session, line.other] {
        guard case .live = session.state.value else {
          throw Broken("the session with \(line.name) ended: \(session.state.value)")
        }
      }
    }
    for line in lines {
      for case .want(let hash, let offset) in line.near.sent {
        guard let size = sizes[hash], offset >= size else { continue }
        throw Broken("\(line.name) was asked for a blob of \(size) bytes from \(offset) on")
      }
    }
  }
}
