import ReunionCore
import ReunionFlow
import ReunionStore
import ReunionTesting
import Testing

@testable import ReunionSync

/// Which blobs come by themselves, and which when somebody asks.
@Suite struct BlobPolicyTests {
  private let space = Crossing.space

  /// A receiver, and a peer with a blob of 300 KiB, and one of 100 bytes or another size.
  private func crossing(
    _ byteCount: Int = 100
  ) throws -> (Crossing, peer: Crossing.Side, blobs: [BlobReference]) {
    let peer = try Crossing.Side(SimulatedDisk(seed: 1), seed: 1)
    let receiver = try Crossing.Side(SimulatedDisk(seed: 2), seed: 2)
    let blobs = try [300 * 1024, byteCount].map { count in
      let blob = try peer.store.blobs.add([UInt8](repeating: 7, count: count), in: space)
      try peer.store.write(in: space) { try $0.create(BlobNote.self) { $0.bytes = blob } }
      return blob
    }
    return (Crossing(receiver), peer, blobs)
  }

  /// Which of the blobs are here, the large one first.
  private func held(_ crossing: Crossing, _ blobs: [BlobReference]) throws -> [Bool] {
    crossing.finish()
    return try blobs.map { try crossing.receiver.store.blobs.contains($0.hash) }
  }

  @Test(arguments: [
    (BlobPolicy.all, [true, true]), (.previews, [false, true]), (.onDemand, [false, false]),
    (.none, [false, false]),
  ])
  func `a policy says what comes by itself`(policy: BlobPolicy, expected: [Bool]) throws {
    let (crossing, peer, blobs) = try crossing()
    let store = crossing.receiver.store
    try store.blobs.setPolicy(policy, in: space)
    #expect(try store.blobs.policy(in: space) == policy)
    crossing.connect(peer, "peer")
    #expect(try held(crossing, blobs) == expected)
    // What somebody asks for comes, unless nothing is to.
    store.blobs.ask(for: blobs[0], in: space)
    crossing.settle()
    #expect(try held(crossing, blobs)[0] == (policy != .none))
    try crossing.end()
  }

  @Test func `sessions follow another policy at once`() throws {
    let (crossing, peer, blobs) = try crossing()
    let store = crossing.receiver.store
    try store.blobs.setPolicy(.none, in: space)
    crossing.connect(peer, "peer")
    #expect(try held(crossing, blobs) == [false, false])
    try store.blobs.setPolicy(.previews, in: space)
    crossing.settle()
    #expect(try held(crossing, blobs) == [false, true])
    try store.blobs.setPolicy(.all, in: space)
    crossing.settle()
    #expect(try held(crossing, blobs) == [true, true])
    try crossing.end()
  }

  @Test func `what was asked for without a peer is asked of the next one`() throws {
    let (crossing, peer, blobs) = try crossing()
    let store = crossing.receiver.store
    try store.blobs.setPolicy(.onDemand, in: space)
    crossing.connect(peer, "peer")
    crossing.cut(0)
    store.blobs.ask(for: blobs[0], in: space)
    #expect(try store.blobs.asked(in: space) == [blobs[0]])
    crossing.connect(peer, "peer again")
    #expect(try held(crossing, blobs) == [true, false])
    #expect(try store.blobs.asked(in: space).isEmpty)
    try crossing.end()
  }

  @Test func `a narrower policy drops what waits, and nothing that was asked for`() throws {
    let (crossing, peer, blobs) = try crossing(301 * 1024)
    let store = crossing.receiver.store
    crossing.connect(peer, "peer")
    // One of the two is under way now.
    try store.blobs.setPolicy(.onDemand, in: space)
    crossing.settle()
    #expect(try held(crossing, blobs).filter(\.self).count == 1)
    let rest = try #require(try blobs.first { try !store.blobs.contains($0.hash) })
    store.blobs.ask(for: rest, in: space)
    crossing.settle()
    #expect(try held(crossing, blobs) == [true, true])
    try crossing.end()
  }

  @Test func `a device that is to fetch none stops at once, also with what was asked for`() throws {
    let (crossing, peer, blobs) = try crossing()
    let store = crossing.receiver.store
    try store.blobs.setPolicy(.onDemand, in: space)
    crossing.connect(peer, "peer")
    for blob in blobs { store.blobs.ask(for: blob, in: space) }
    crossing.settle()
    try store.blobs.setPolicy(.none, in: space)
    crossing.settle()
    #expect(try held(crossing, blobs) == [false, false])
    try store.blobs.setPolicy(.onDemand, in: space)
    crossing.settle()
    #expect(try held(crossing, blobs) == [true, true])
    try crossing.end()
  }

  /// The other side is under way with a photo when the preview of another is named.
  @Test func `a preview arrives before the photo that was under way`() throws {
    let peer = try Crossing.Side(SimulatedDisk(seed: 1), seed: 1)
    let receiver = try Crossing.Side(SimulatedDisk(seed: 2), seed: 2)
    let crossing = Crossing(receiver)
    crossing.connect(peer, "peer")
    let arrived = Lock<[BlobHash]>([])
    let arrivals = receiver.store.blobs.observeArrivals { hash in
      arrived.withLock { $0.append(hash) }
    }
    defer { arrivals.cancel() }
    let blobs = try [2 << 20, 40 << 10].map { count in
      let blob = try peer.store.blobs.add([UInt8](repeating: 7, count: count), in: space)
      try peer.store.write(in: space) { try $0.create(BlobNote.self) { $0.bytes = blob } }
      crossing.settle()
      return blob
    }
    crossing.finish()
    #expect(arrived.withLock { $0 } == [blobs[1].hash, blobs[0].hash])
    try crossing.end()
  }

  @Test func `what somebody asks for comes before all else, in either order`() {
    let blobs = (0..<4).map { number in
      BlobReference(hash: BlobHash(of: [UInt8(number)]), byteCount: UInt64(100 - number))
    }
    for order in [nil, BlobOrder(bytesMax: .max)] {
      var exchange = BlobExchange()
      exchange.order = order
      exchange.want(blobs)
      exchange.ask(for: blobs[2])
      exchange.ask(for: blobs[1])
      var found: [BlobReference] = []
      while let turn = exchange.next() {
        found.append(turn.blob)
        _ = exchange.endFetch(of: turn.blob.hash)
      }
      let rest = order == nil ? [blobs[0], blobs[3]] : [blobs[3], blobs[0]]
      #expect(found == [blobs[2], blobs[1]] + rest)
    }
  }
}
