import ReunionCore
import ReunionFlow
import ReunionStore
import ReunionTesting

/// Scenes that keep a promise, unless a bug is switched on: what random histories rarely meet.
enum BugScenes {
  typealias Play = @Sendable (_ bugs: SeededBugs) throws -> Void

  /// A trusted peer claims changes of the host's own (guarantee 3).
  static let ownChangesClaimed: Play = { bugs in
    let encounter = try Encounter(.live, bugs: bugs)
    let (host, site) = (encounter.host, encounter.host.store.site)
    encounter.say(Encounter.pushEnd(site, 1_000))
    guard try host.store.vector(of: encounter.world.space)[site] < 1_000 else {
      throw Violation(3, "the host counts changes of its own that it never made")
    }
  }

  /// A session finds that its store is one of two under one name; another session of it is live (guarantee 4).
  static let renewedElsewhere: Play = { bugs in
    let encounter = try Encounter(.live, bugs: bugs)
    let other = Stranger(at: encounter.host, site: Site(device: 8, incarnation: 1))
    other.arrive()
    other.say([other.hello(as: encounter.host.store.site)])
    encounter.pass(seconds: 5)
    let isOver = encounter.stranger.heard.contains {
      if case .bye(let bye) = $0 { bye.code == .renewed } else { false }
    }
    guard isOver else {
      throw Violation(4, "a session goes on under a site that its store has given up")
    }
  }

  /// A disk fails while a push is applied (guarantee 5).
  static let failingCommit: Play = { bugs in
    let encounter = try Encounter(.live, bugs: bugs)
    let disk = encounter.host.disk
    encounter.say(change(.text("the stranger's")))
    disk.faults.failingCalls = disk.callCount + 1..<Int.max
    encounter.say(Encounter.pushEnd())
    disk.faults = DiskFaults()
    let isAcknowledged = encounter.stranger.heard.contains {
      if case .acknowledge = $0 { true } else { false }
    }
    let vector = try encounter.host.store.vector(of: encounter.world.space)
    guard !isAcknowledged || vector[Stranger.site] == 1 else {
      throw Violation(5, "the host acknowledged what it does not hold")
    }
  }

  /// A host is killed at any call of its disk while the last piece of a blob comes (guarantee 13).
  static let killedBeforeBlobIsNamed: Play = { bugs in
    for calls in 1...12 {
      let encounter = try Encounter(.live, bugs: bugs)
      let (world, host) = (encounter.world, encounter.host)
      encounter.say(change(blob), Encounter.pushEnd())
      host.endAfter(calls: calls, .killed)
      encounter.say(piece(0), piece(1))
      host.kill()
      let partial = WorldReplica.folder + "/partial/\(reference.hash.description)"
      let isWhole = try host.disk.status(of: partial) == .file(byteCount: reference.byteCount)
      try host.start()
      let next = Stranger(at: host)
      next.arrive()
      next.say([next.hello(), next.pull(), Encounter.pushEnd()])
      world.run(for: .seconds(5))
      guard !isWhole || wants(next).isEmpty else {
        throw Violation(13, "a blob that had arrived whole is asked for again")
      }
    }
  }

  /// Two peers serve one blob (guarantee 13).
  static let blobFromTwo: Play = { bugs in
    let encounter = try Encounter(.live, bugs: bugs)
    let other = Stranger(at: encounter.host, site: Site(device: 8, incarnation: 1))
    other.arrive()
    encounter.say(change(blob), Encounter.pushEnd())
    other.say([other.hello(), other.pull(), Encounter.pushEnd(other.site)])
    encounter.pass(seconds: 5)
    guard wants(encounter.stranger) == [0], wants(other).isEmpty else {
      throw Violation(13, "two sessions write what arrives of one blob")
    }
    // Where the one goes, the other goes on.
    encounter.say(piece(0))
    encounter.stranger.leave()
    encounter.pass(seconds: 10)
    guard wants(other) == [UInt64(BlobPiece.bytesMax)] else {
      throw Violation(13, "a blob whose peer left is not asked for behind what came")
    }
  }

  /// One of two blobs is not to be had, and arrives at the other side later (guarantee 13).
  static let lackedBlob: Play = { bugs in
    let encounter = try Encounter(.live, bugs: bugs)
    let blobs = (1...2).map { BlobReference(hash: BlobHash(of: [$0]), byteCount: 1) }
    encounter.say(change(.blob(blobs[0])), change(.blob(blobs[1]), 2))
    encounter.say(Encounter.pushEnd(Stranger.site, 2))
    guard let first = wanted(encounter.stranger).first else {
      throw Violation(13, "no blob is asked for")
    }
    encounter.say(.lack(first))
    guard Set(wanted(encounter.stranger)) == Set(blobs.map(\.hash)) else {
      throw Violation(13, "a blob that is not to be had keeps another one back")
    }
    let count = wanted(encounter.stranger).count
    encounter.say(.have([first]))
    encounter.say(.lack(wanted(encounter.stranger)[1]))
    guard wanted(encounter.stranger).dropFirst(count).contains(first) else {
      throw Violation(13, "a blob that arrived later is not asked for")
    }
  }

  /// A disk fails once while a blob is read for a peer (guarantee 13).
  static let unreadBlob: Play = { bugs in
    let encounter = try Encounter(.live, bugs: bugs)
    let (host, stranger) = (encounter.host, encounter.stranger)
    encounter.say(change(blob), Encounter.pushEnd())
    encounter.say(piece(0), piece(1))
    guard try host.store.blobs.contains(reference.hash) else {
      throw Violation(13, "a blob that came whole is not held")
    }
    let count = stranger.heard.count
    host.disk.faults.failingCalls = host.disk.callCount + 1..<Int.max
    encounter.say(.want(reference.hash, offset: 0))
    host.disk.faults = DiskFaults()
    // A peer that says nothing for long is taken for gone.
    for _ in 0..<12 {
      encounter.say(.ping(1))
      encounter.pass(seconds: 4)
    }
    let heard = stranger.heard.dropFirst(count)
    let isLacked = heard.contains { if case .lack(reference.hash) = $0 { true } else { false } }
    let isOffered = heard.contains {
      if case .have(let hashes) = $0 { hashes.contains(reference.hash) } else { false }
    }
    guard isLacked, isOffered else {
      throw Violation(13, "a blob that a disk failed to read once is not offered again")
    }
  }

  /// A leaf writes over what it never saw (guarantee 2).
  static let unseenByLeaf: Play = { bugs in
    let encounter = try Encounter(.greeting, bugs: bugs)
    let (host, world, stranger) = (encounter.host, encounter.world, encounter.stranger)
    guard let note = try host.store.fetch(Query<Scene.Note>(in: world.space)).first else {
      throw Violation(2, "the host has no note")
    }
    let hello = Hello(space: world.space, site: Stranger.site, isLeaf: true, seq: 0)
    encounter.say(.hello(hello), stranger.pull())
    let cell = Cell(
      field: 1, merge: .register, dot: Dot(site: Stranger.site, seq: 1),
      stamp: Stamp(milliseconds: world.clock.wallMilliseconds + 500),
      replaced: Stamp(milliseconds: world.clock.wallMilliseconds + 400), value: .text("the leaf's"))
    encounter.say(
      .changes([Change(entity: 1, record: note.id, cell: cell)]), Encounter.pushEnd())
    guard try host.store.fetch(Scene.Note.self, note.id, in: world.space)?.text == "the leaf's",
      try host.store.conflicts(in: world.space).count == 1
    else { throw Violation(2, "what a leaf never saw is lost unseen") }
  }

  /// A push has more than its link takes at once (guarantee 13).
  static let fullLink: Play = { bugs in
    let encounter = try Encounter(.greeting, bugs: bugs)
    let text = String(repeating: "x", count: 20_000)
    for _ in 0..<30 { try encounter.host.write(text, in: encounter.world) }
    encounter.say(encounter.stranger.hello(), encounter.stranger.pull())
    encounter.pass(seconds: 60)
    let hasEnded = encounter.stranger.heard.contains {
      if case .pushEnd = $0 { true } else { false }
    }
    guard hasEnded else { throw Violation(13, "a push that waited for its link never ended") }
  }

  private static let bytes = (0..<2 * BlobPiece.bytesMax).map { UInt8(truncatingIfNeeded: $0 >> 9) }
  private static let reference = BlobReference(
    hash: BlobHash(of: bytes), byteCount: UInt64(bytes.count))
  private static let blob = Value.blob(reference)

  private static func piece(_ number: Int) -> Message {
    let offset = number * BlobPiece.bytesMax
    return .blob(
      BlobPiece(
        hash: reference.hash, byteCount: reference.byteCount, offset: UInt64(offset),
        bytes: Array(bytes[offset..<offset + BlobPiece.bytesMax])))
  }

  /// A change of the stranger's: a record with a value.
  private static func change(_ value: Value, _ seq: UInt64 = 1) -> Message {
    .changes([
      Change(
        entity: 1, record: RecordID(high: 7, low: seq),
        cell: Cell(
          field: 9, merge: .register, dot: Dot(site: Stranger.site, seq: seq),
          stamp: Stamp(milliseconds: 1_000_000), value: value))
    ])
  }

  /// The blobs that it was asked for.
  private static func wanted(_ stranger: Stranger) -> [BlobHash] {
    stranger.heard.compactMap { if case .want(let hash, _) = $0 { hash } else { nil } }
  }

  /// From where it was asked for blobs.
  private static func wants(_ stranger: Stranger) -> [UInt64] {
    stranger.heard.compactMap { if case .want(_, let offset) = $0 { offset } else { nil } }
  }
}
