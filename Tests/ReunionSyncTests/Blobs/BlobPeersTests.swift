import ReunionCore
import ReunionFlow
import ReunionStore
import ReunionSync
import ReunionTesting
import Testing

/// Blobs that several peers serve at once, in every order in which their pieces can arrive
/// (guarantees 10 and 13; docs/protocol.md 2.11).
@Suite struct BlobPeersTests {
  static let piece = 65_536
  static let sizes = [0, 1, 2 * piece - 1, 2 * piece, 2 * piece + 1]

  /// Peers that hold blobs, and the disk of a replica that knows of them and has none.
  struct Peers {
    let receiver: SimulatedDisk
    let sides: [Crossing.Side]
    let blobs: [BlobReference]
    let bytes: [[UInt8]]

    var sizes: [BlobHash: UInt64] {
      Dictionary(uniqueKeysWithValues: blobs.map { ($0.hash, $0.byteCount) })
    }

    init(_ count: Int, sizes: [Int]) throws {
      bytes = sizes.enumerated().map { number, size in
        (0..<size).map { UInt8(truncatingIfNeeded: $0 >> 7 &+ $0 &+ number) }
      }
      blobs = bytes.map { BlobReference(hash: BlobHash(of: $0), byteCount: UInt64($0.count)) }
      let named = blobs
      receiver = SimulatedDisk(seed: 1)
      let crossing = Crossing(try Crossing.Side(receiver, seed: 1))
      try crossing.receiver.store.write(in: Crossing.space) { transaction in
        for blob in named { try transaction.create(BlobNote.self) { $0.bytes = blob } }
      }
      sides = try (0..<count).map { number in
        let side = try Crossing.Side(SimulatedDisk(seed: UInt64(number)), seed: UInt64(number) + 9)
        crossing.connect(side, "peer \(number)", fetches: false)
        return side
      }
      try crossing.end()
      for side in sides { for bytes in bytes { try side.store.blobs.add(bytes) } }
    }

    func crossing(bugs: SeededBugs = []) throws -> Crossing {
      let crossing = Crossing(try Crossing.Side(receiver.copy(), seed: 2, bugs: bugs))
      for (number, side) in sides.enumerated() { crossing.connect(side, "peer \(number)") }
      return crossing
    }

    func checkHeld(_ store: Store, except: Set<BlobHash> = []) throws {
      for (blob, bytes) in zip(blobs, bytes) where !except.contains(blob.hash) {
        guard try store.blobs.contains(blob.hash),
          try store.blobs.read(blob.hash, count: bytes.count + 1) == bytes
        else { throw Broken("a blob of \(bytes.count) bytes did not come as it is") }
      }
      let left = try store.options.disk.names(in: store.folder + "/partial")
      guard left.isEmpty else { throw Broken("\(left) were left over") }
    }
  }

  /// Lets the pieces come in every order; before each piece a link may be cut, `cuts` times.
  static func explore(_ peers: Peers, cuts: Int, bugs: SeededBugs = []) throws -> Int {
    try Chooser.all { chooser in
      let crossing = try peers.crossing(bugs: bugs)
      var cut: Set<Int> = []
      while !crossing.choices.isEmpty {
        let lines = crossing.choices
        let open = crossing.openLines
        let mayCut = cut.count < cuts && open.count > 1
        let choice = chooser.choose(lines.count + (mayCut ? open.count : 0))
        if choice < lines.count {
          crossing.deliver(lines[choice])
        } else {
          cut.insert(open[choice - lines.count])
          crossing.cut(open[choice - lines.count])
        }
      }
      do {
        try crossing.check(cut: cut, sizes: peers.sizes)
        try peers.checkHeld(crossing.receiver.store)
        try crossing.end()
      } catch { throw Broken("choices \(chooser.choices): \(error)") }
    }
  }

  @Test func `two peers serve one blob in every order, and either may go at every piece`() throws {
    var runs = 0
    for size in Self.sizes { runs += try Self.explore(Peers(2, sizes: [size]), cuts: 1) }
    print("blobs of two peers: \(runs) orders, each held whole")
    #expect(runs > 5)
  }

  @Test func `three peers serve three blobs at once in every order`() throws {
    let runs = try Self.explore(Peers(3, sizes: [1, 2, Self.piece + 1]), cuts: 1)
    print("blobs of three peers: \(runs) orders, each held whole")
    #expect(runs > 20)
  }

  @Test func `each blob is asked of one peer at a time, and of another when its link goes`() throws
  {
    let peers = try Peers(2, sizes: [3 * Self.piece])
    let crossing = try peers.crossing()
    #expect(crossing.choices == [0])
    crossing.deliver(0)
    crossing.cut(0)
    #expect(crossing.choices == [1])
    crossing.finish()
    try peers.checkHeld(crossing.receiver.store)
    let wants = crossing.lines.map { line in
      line.near.sent.compactMap { if case .want(_, let offset) = $0 { offset } else { nil } }
    }
    #expect(wants == [[0], [UInt64(Self.piece)]])
    try crossing.end()
  }

  @Test func `a peer that stands still is replaced, and what it sends late does no harm`() throws {
    let peers = try Peers(2, sizes: [2 * Self.piece + 1])
    let runs = try Chooser.all { chooser in
      let crossing = try peers.crossing()
      for _ in 0..<chooser.choose(3) { crossing.deliver(0) }
      crossing.wait(seconds: 40)
      guard crossing.choices == [0, 1] else { throw Broken("nobody took its place") }
      while case let lines = crossing.choices, !lines.isEmpty {
        crossing.deliver(lines[chooser.choose(lines.count)])
      }
      do {
        try crossing.check(sizes: peers.sizes)
        try peers.checkHeld(crossing.receiver.store)
        try crossing.end()
      } catch { throw Broken("choices \(chooser.choices): \(error)") }
    }
    print("blobs of a peer that stands still: \(runs) orders, each held whole")
    #expect(runs > 20)
  }

  @Test func `wrong bytes of one peer cost nothing but themselves`() throws {
    let peers = try Peers(2, sizes: [2 * Self.piece, 10])
    // Checked before it was damaged, so that it is served as it is.
    let (side, wrong) = (peers.sides[0], peers.blobs[0])
    _ = try side.store.blobs.read(wrong.hash, count: 1)
    #expect(side.disk.flipBit(77, of: side.store.blobs.path(of: wrong.hash)))
    let runs = try Chooser.all { chooser in
      let crossing = try peers.crossing()
      var cut: Set<Int> = []
      while !crossing.choices.isEmpty {
        let lines = crossing.choices
        // The one with wrong bytes may go in the middle of them.
        let choice = chooser.choose(lines.count + (cut.isEmpty ? 1 : 0))
        if choice < lines.count {
          crossing.deliver(lines[choice])
        } else {
          cut = [0]
          crossing.cut(0)
        }
      }
      do {
        try crossing.check(cut: cut, sizes: peers.sizes)
        try peers.checkHeld(crossing.receiver.store)
        try crossing.end()
      } catch { throw Broken("choices \(chooser.choices): \(error)") }
    }
    print("blobs of a peer with wrong bytes: \(runs) orders, each held whole")
    #expect(runs > 3)
  }

  @Test func `a blob that is erased while it comes keeps no other back, and nothing of it stays`()
    throws
  {
    for byPeer in [false, true] {
      let peers = try Peers(1, sizes: [3 * Self.piece, 3 * Self.piece + 1])
      let crossing = try peers.crossing()
      let first = try #require(
        crossing.lines[0].near.sent.compactMap {
          if case .want(let hash, _) = $0 { hash } else { nil }
        }.first)
      crossing.deliver(0)
      try (byPeer ? peers.sides[0] : crossing.receiver).store.erase(first)
      crossing.settle()
      crossing.finish()
      try crossing.check(sizes: peers.sizes)
      try peers.checkHeld(crossing.receiver.store, except: [first])
      #expect(try !crossing.receiver.store.blobs.contains(first))
      try crossing.end()
    }
  }

  @Test func `a blob that arrives later is fetched by those who asked for it before`() throws {
    let peers = try Peers(1, sizes: [100])
    try peers.sides[0].store.write(in: Crossing.space) { transaction in
      try transaction.create(BlobNote.self) {
        $0.bytes = BlobReference(hash: BlobHash(of: [9, 9]), byteCount: 2)
      }
    }
    let crossing = try peers.crossing()
    crossing.finish()
    #expect(crossing.lines[0].session.lackedBlobCount == 1)
    try peers.sides[0].store.blobs.add([9, 9])
    crossing.settle()
    crossing.finish()
    #expect(crossing.lines[0].session.lackedBlobCount == 0)
    #expect(try crossing.receiver.store.blobs.contains(BlobHash(of: [9, 9])))
    try crossing.end()
  }

  @Test func `a size that a record names too large does not keep a blob from coming`() throws {
    let bytes = [UInt8](repeating: 5, count: 2 * Self.piece)
    let hash = BlobHash(of: bytes)
    for size in [bytes.count, bytes.count + 1, 9 * Self.piece] {
      let peers = try Peers(1, sizes: [])
      try peers.sides[0].store.blobs.add(bytes)
      try peers.sides[0].store.write(in: Crossing.space) { transaction in
        try transaction.create(BlobNote.self) {
          $0.bytes = BlobReference(hash: hash, byteCount: UInt64(size))
        }
      }
      // Killed after each piece, and after the last.
      var disk = peers.receiver.copy()
      for _ in 0..<4 {
        let crossing = Crossing(try Crossing.Side(disk, seed: 2))
        crossing.connect(peers.sides[0], "the peer")
        let left = Lock<SimulatedDisk?>(nil)
        disk.observeChanges { [disk] _ in
          let copy = disk.copy()
          left.withLock { if $0 == nil { $0 = copy } }
        }
        if !crossing.choices.isEmpty { crossing.deliver(0) }
        disk.observeChanges(nil)
        crossing.finish()
        try crossing.check(sizes: [:])
        #expect(try crossing.receiver.store.blobs.contains(hash), "named \(size)")
        try crossing.end()
        disk = left.withLock { $0 } ?? disk
      }
    }
  }

  /// A peer whose blob has another size than its record says, and what of it is on the receiver's disk.
  private static func take(_ count: Int, named sizes: [Int]) throws -> (isHeld: Bool, kept: Int) {
    let bytes = [UInt8](repeating: 5, count: count)
    let hash = BlobHash(of: bytes)
    let peers = try Peers(1, sizes: [])
    try peers.sides[0].store.blobs.add(bytes)
    try peers.sides[0].store.write(in: Crossing.space) { transaction in
      for size in sizes {
        try transaction.create(BlobNote.self) {
          $0.bytes = BlobReference(hash: hash, byteCount: UInt64(size))
        }
      }
    }
    let crossing = try peers.crossing()
    crossing.finish()
    try crossing.check(sizes: [:])
    let path = "\(crossing.receiver.store.folder)/partial/\(hash)"
    let kept = try? crossing.receiver.disk.open(path, .reading).byteCount()
    let isHeld = try crossing.receiver.store.blobs.contains(hash)
    try crossing.end()
    return (isHeld, Int(kept ?? 0))
  }

  @Test(arguments: [0, 1, piece, 5 * piece - 1])
  func `no more of a blob is taken than a record says that it has`(named: Int) throws {
    let count = 5 * Self.piece
    let alone = try Self.take(count, named: [named])
    #expect(!alone.isHeld && alone.kept == 0)
    // Nor does it keep the blob from those whose record tells the truth.
    for sizes in [[named, count], [count, named]] {
      #expect(try Self.take(count, named: sizes).isHeld, "named \(sizes)")
    }
  }

  /// A record comes from a peer that lacks its blob, or goes in the middle of it; another holds it.
  static func bringsRecordOnly(isCut: Bool, bugs: SeededBugs = []) throws {
    let peers = try Peers(2, sizes: [])
    let bytes = [UInt8](repeating: 7, count: 3 * piece)
    try peers.sides[1].store.blobs.add(bytes)
    if isCut { try peers.sides[0].store.blobs.add(bytes) }
    let crossing = try peers.crossing(bugs: bugs)
    let blob = BlobReference(hash: BlobHash(of: bytes), byteCount: UInt64(bytes.count))
    try peers.sides[0].store.write(in: Crossing.space) { transaction in
      try transaction.create(BlobNote.self) { $0.bytes = blob }
    }
    crossing.settle()
    if isCut {
      crossing.deliver(0)
      crossing.cut(0)
    }
    crossing.finish()
    guard try crossing.receiver.store.blobs.contains(blob.hash) else {
      throw Broken("the blob is not held, though a peer that is there holds it")
    }
    try crossing.end()
  }

  @Test(arguments: [false, true])
  func `a blob that its record's bringer cannot bring is asked of another`(isCut: Bool) throws {
    try Self.bringsRecordOnly(isCut: isCut)
    #expect(throws: Broken.self) {
      try Self.bringsRecordOnly(isCut: isCut, bugs: [.blobAskedOfOneAlone])
    }
  }

  @Test func `a blob is opened once and then costs a read a piece`() throws {
    let calls = try [1, 3].map { count in
      let peers = try Peers(1, sizes: [count * Self.piece])
      let side = peers.sides[0]
      try side.store.blobs.verify(peers.blobs[0].hash)
      let before = side.disk.callCount
      let crossing = try peers.crossing()
      crossing.finish()
      try peers.checkHeld(crossing.receiver.store)
      try crossing.end()
      return side.disk.callCount - before
    }
    #expect(calls[1] - calls[0] == 2)
  }

  @Test func `the seeded bugs of shared and forgotten transfers are found`() throws {
    for bug in [SeededBug.partialSharedBySessions, .transferOutlivesSession] {
      let peers = try Peers(2, sizes: [2 * Self.piece + 1])
      #expect(throws: Broken.self, "\(bug)") {
        _ = try Self.explore(peers, cuts: 1, bugs: [bug])
      }
    }
  }
}
