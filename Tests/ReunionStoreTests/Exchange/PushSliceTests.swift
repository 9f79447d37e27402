import ReunionCore
import ReunionFlow
import Testing

@testable import ReunionStore

/// A guest's push: in slices where it is large, and no heavier than it may be (docs/protocol.md 2.5).
@Suite struct PushSliceTests {
  private let folders = [Folder(), Folder()]

  private func stores() throws -> (relay: Store, guest: Store) {
    (try folders[0].open(), try folders[1].open())
  }

  /// All that a guest has written.
  private func changes(of guest: Store) throws -> [Change] {
    try guest.window(
      in: space, Conversation.Reading(after: 0), ofDevice: guest.site.device, bytesMax: .max
    ).changes
  }

  private func push(_ changes: [Change], of guest: Store, staged: Int = 0) throws -> IncomingPush {
    let vector = try guest.vector(of: space)
    return IncomingPush(
      peer: guest.site, helloSeq: vector[guest.site], changes: Array(changes.dropFirst(staged)),
      stagedCount: staged, raised: vector, vector: vector, position: [])
  }

  private func apply(_ push: IncomingPush, to relay: Store) throws -> Applied {
    try relay.apply(push, in: space, authority: .own(device: push.peer.device))
  }

  @Test(arguments: 1...40 as ClosedRange<Int>)
  func `what belongs together stays together, and nothing else does`(seed: Int) {
    var state = UInt64(seed)
    func below(_ limit: UInt64) -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return (state >> 33) % limit
    }
    let site = Site(device: 7, incarnation: 1)
    let changes = (0..<9_000).map { seq in
      Change(
        entity: 3, record: RecordID(high: 1, low: below(UInt64(seed) * 200)),
        cell: Cell(
          field: 1, merge: .register, dot: Dot(site: site, seq: UInt64(seq + 1)),
          stamp: Stamp(milliseconds: 1_000 + below(6_000)), value: .null))
    }
    let slices = PushSlices(changes, of: 500).slices
    #expect(Set(slices.joined()) == Set(changes) && slices.joined().count == changes.count)
    var sliceOf: [RecordID: Int] = [:]
    var sliceAt: [Stamp: Int] = [:]
    for (index, slice) in slices.enumerated() {
      for change in slice {
        #expect(sliceOf[change.record, default: index] == index)
        #expect(sliceAt[change.cell.stamp, default: index] == index)
        sliceOf[change.record] = index
        sliceAt[change.cell.stamp] = index
      }
    }
    // Two that could be one are one.
    for (one, two) in zip(slices, slices.dropFirst()) where two.count < 500 {
      #expect(one.count + two.count > 500)
    }
  }

  @Test func `a large push comes in commits of which each is short, and counts when it is whole`()
    throws
  {
    let (relay, guest) = try stores()
    for _ in 0..<700 { try guest.write(in: space) { try $0.create(Photo.self) { _ in } } }
    let changes = try changes(of: guest)
    #expect(changes.count > 4 * PushSlices.changesMax)
    var commits: [(count: Int, seq: UInt64)] = []
    let lock = Lock<[(Int, UInt64)]>([])
    let observation = relay.observeCommits { commit in
      let count = commit.touches.byEntity[3]?.records?.count ?? 0
      let seq = (try? relay.vector(of: space)[guest.site]) ?? 0
      lock.withLock { $0.append((count, seq)) }
    }
    defer { observation.cancel() }
    try relay.stage(Array(changes.prefix(3_000)), [], from: guest.site, in: space)
    let done = try apply(push(changes, of: guest, staged: 3_000), to: relay)
    commits = lock.withLock { $0.map { (count: $0.0, seq: $0.1) } }
    #expect(done.refusedCount == 0)
    #expect(commits.count > 15 && commits.allSatisfy { $0.count <= 50 })
    #expect(commits.dropLast().allSatisfy { $0.seq == 0 })
    #expect(try relay.digest(of: space) == guest.digest(of: space))
    #expect(try relay.vector(of: space) == guest.vector(of: space))
    #expect(done.weight.records == 700)
    // The same again is no news, and weighs nothing.
    let again = try apply(push(changes, of: guest), to: relay)
    #expect(again.refusedCount == 0 && again.weight == Weight())
  }

  @Test func `how long the turns of a large push are is printed`() throws {
    let (relay, guest) = try stores()
    for _ in 0..<1_500 { try guest.write(in: space) { try $0.create(Photo.self) { _ in } } }
    let changes = try changes(of: guest)
    let authority = Authority.own(device: guest.site.device)
    var turns: [Duration] = []
    for part in try relay.parts(of: push(changes, of: guest), in: space, authority: authority) {
      turns.append(
        try ContinuousClock().measure { _ = try relay.apply(part, in: space, authority: authority) }
      )
    }
    let longest = turns.max().map { $0 / .milliseconds(1) } ?? 0
    print(
      "a guest's push of \(changes.count) changes: \(turns.count) turns, the longest \(longest) ms")
    #expect(turns.count == (changes.count + 499) / 494)
    #expect(try relay.digest(of: space) == guest.digest(of: space))
  }

  /// A server with many devices lets fewer changes through before it is somebody else's turn.
  @Test func `who must not keep others waiting comes in smaller slices`() throws {
    let (relay, guest) = try stores()
    for _ in 0..<20 { try guest.write(in: space) { try $0.create(Photo.self) { _ in } } }
    let push = try push(changes(of: guest), of: guest)
    let authority = Authority.own(device: guest.site.device)
    func sizes(_ changesMax: Int) throws -> [Int] {
      try relay.parts(of: push, in: space, authority: authority, changesMax: changesMax)
        .map(\.changes.count)
    }
    let each = push.changes.count / 20
    #expect(try sizes(.max) == [20 * each])
    #expect(try sizes(5 * each) == [5 * each, 5 * each, 5 * each, 5 * each])
    // What belongs together stays so, however little is wanted.
    #expect(try sizes(1) == Array(repeating: each, count: 20))
  }

  @Test func `a transaction that nobody can take at once is refused, and what else there is comes`()
    throws
  {
    let (relay, guest) = try stores()
    let small = try guest.write(in: space) { try $0.create(Photo.self) { $0.caption = "small" } }
    try guest.write(in: space) { transaction in
      for _ in 0..<200 { try transaction.create(Photo.self) { _ in } }
    }
    let done = try apply(push(changes(of: guest), of: guest), to: relay)
    #expect(done.refusedCount == 200)
    #expect(try relay.fetch(Query<Photo>(in: space)).map(\.id) == [small.id])
    #expect(try relay.vector(of: space)[guest.site] == guest.vector(of: space)[guest.site])
  }

  @Test func `a guest brings as much as there is room for, each transaction whole`() throws {
    let (relay, guest) = try stores()
    var photos: [Photo] = []
    for number in 0..<10 {
      photos.append(
        try guest.write(in: space) { try $0.create(Photo.self) { $0.caption = "\(number)" } })
    }
    var push = try push(changes(of: guest), of: guest)
    push.weightMax = Weight(bytes: .max, records: 4)
    let first = try apply(push, to: relay)
    #expect(first.weight.records == 4 && first.refusedCount == 6)
    #expect(try relay.fetch(Query<Photo>(in: space)).count == 4)
    let elsewhere = Folder()
    let other = try elsewhere.open()
    push.weightMax = Weight(bytes: first.weight.bytes / 2, records: .max)
    let second = try apply(push, to: other)
    #expect(second.weight.records == 2 && second.weight.bytes <= push.weightMax.bytes)
    #expect(second.refusedCount == 8)
  }

  @Test func `a guest's value is no longer than the model says, or 64 KiB`() throws {
    let (relay, guest) = try stores()
    func brings(_ caption: String, _ note: String) throws -> Int {
      try guest.write(in: space) {
        try $0.create(Photo.self) {
          $0.caption = caption
          $0.note = note
        }
      }
      return try apply(push(changes(of: guest), of: guest), to: relay).refusedCount
    }
    #expect(try brings("", String(repeating: "n", count: 64 * 1024)) == 0)
    #expect(try brings("", String(repeating: "n", count: 64 * 1024 + 1)) == 1)
  }
}
