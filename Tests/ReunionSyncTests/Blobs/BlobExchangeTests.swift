import ReunionCore
import ReunionStore
import Testing

@testable import ReunionSync

/// What a session keeps in mind of the blobs that it fetches and sends (docs/protocol.md 2.11).
@Suite struct BlobExchangeTests {
  private func blobs(_ count: Int) -> [BlobReference] {
    (0..<count).map { number in
      BlobReference(hash: BlobHash(of: Array("\(number)".utf8)), byteCount: 1)
    }
    .sorted { $0.hash < $1.hash }
  }

  /// What the store answers to a page.
  private func page(
    _ missing: [BlobReference], _ page: (lane: BlobExchange.Lane, after: BlobHash?, limit: Int)
  ) -> [BlobReference] {
    let rest = missing.drop { blob in page.after.map { blob.hash <= $0 } ?? false }
    return Array(rest.prefix(page.limit))
  }

  @Test func `any number of blobs is fetched once each, and no more than a page is kept in mind`() {
    let missing = blobs(5_000)
    var exchange = BlobExchange()
    // More than fit come with a push, and what does not fit is found in the store.
    exchange.want(missing.reversed())
    var asked: [BlobHash] = []
    var lacked = 0
    while true {
      if let wanted = exchange.page {
        let held = Set(asked)
        exchange.take(
          page: page(missing.filter { !held.contains($0.hash) }, wanted), of: wanted.lane)
      }
      guard let turn = exchange.next() else {
        if exchange.page == nil { break } else { continue }
      }
      asked.append(turn.blob.hash)
      if asked.count % 5 == 0 {
        lacked += 1
        exchange.lacks(turn.blob.hash)
      }
      _ = exchange.endFetch(of: turn.blob.hash)
    }
    #expect(asked.count == missing.count && Set(asked) == Set(missing.map(\.hash)))
    #expect(exchange.lacking.count == lacked)
  }

  @Test func `what the other side lacks is asked for again once it has arrived there`() throws {
    let blob = blobs(1)[0]
    var exchange = BlobExchange()
    exchange.want([blob])
    var turn = exchange.next()
    #expect(turn?.blob == blob)
    exchange.lacks(blob.hash)
    _ = exchange.endFetch(of: blob.hash)
    exchange.want([blob])
    turn = exchange.next()
    #expect(turn == nil && exchange.lacking.count == 1)
    var isAwaited = exchange.arrived([BlobHash(of: [1])])
    #expect(!isAwaited)
    isAwaited = exchange.arrived([blob.hash])
    #expect(isAwaited)
    exchange.want([blob])
    turn = exchange.next()
    #expect(turn?.blob == blob)
  }

  @Test func `a preview does not wait for an original, and one of each is under way`() {
    let sizes: [UInt64] = [5_000_000, 6_000_000, 40_000, 50_000]
    let blobs = sizes.map { size in
      BlobReference(hash: BlobHash(of: Array("\(size)".utf8)), byteCount: size)
    }
    var exchange = BlobExchange()
    exchange.want(blobs)
    let first = [exchange.next(), exchange.next(), exchange.next()].map { $0?.blob }
    #expect(first == [blobs[0], blobs[2], nil])
    _ = exchange.endFetch(of: blobs[2].hash)
    let second = [exchange.next(), exchange.next()].map { $0?.blob }
    #expect(second == [blobs[3], nil])
    _ = exchange.putBack(blobs[0].hash)
    let third = exchange.next()?.blob
    #expect(third == blobs[1])
  }

  @Test func `previews do not wait for the originals of a large library`() {
    let missing = (0..<5_000).map { number in
      BlobReference(
        hash: BlobHash(of: Array("\(number)".utf8)), byteCount: number % 2 == 0 ? 5_000_000 : 40_000
      )
    }
    .sorted { $0.hash < $1.hash }
    var exchange = BlobExchange()
    exchange.beginWalk()
    // Not one of the originals is here by then.
    var previews: Set<BlobHash> = []
    while previews.count < 2_500 {
      if let wanted = exchange.page { exchange.take(page: page(missing, wanted), of: wanted.lane) }
      guard let turn = exchange.next() else {
        if exchange.page == nil { break } else { continue }
      }
      guard turn.blob.byteCount < 100_000 else { continue }
      previews.insert(turn.blob.hash)
      exchange.isHeld(turn.blob.hash)
      _ = exchange.endFetch(of: turn.blob.hash)
    }
    #expect(previews.count == 2_500)
  }

  @Test func `on a slow link no original begins while there are previews`() {
    let blobs = [5_000_000, 40_000, 50_000].map { size in
      BlobReference(hash: BlobHash(of: Array("\(size)".utf8)), byteCount: size)
    }
    var exchange = BlobExchange()
    exchange.order = BlobOrder(bytesMax: .max)
    exchange.want(blobs)
    var found: [BlobReference?] = []
    for blob in [blobs[1], blobs[2], blobs[0]] {
      found += [exchange.next()?.blob, exchange.next()?.blob]
      _ = exchange.endFetch(of: blob.hash)
    }
    #expect(found == [blobs[1], nil, blobs[2], nil, blobs[0], nil])
  }

  @Test func `nothing is fetched once a session is over`() {
    var exchange = BlobExchange()
    exchange.want(blobs(2))
    var turn = exchange.next()
    #expect(turn != nil)
    _ = exchange.end()
    exchange.want(blobs(3))
    exchange.beginWalk()
    turn = exchange.next()
    #expect(turn == nil && exchange.page == nil)
  }

  @Test func `a side that wants too many blobs at once is told, and each wish counts once`() {
    var wishes = BlobWishes()
    let hashes = blobs(BlobWishes.countMax + 1).map(\.hash)
    for hash in hashes.dropLast() {
      let isTaken = wishes.add(.init(hash: hash, offset: 0))
      let isReplaced = wishes.add(.init(hash: hash, offset: 7))
      #expect(isTaken && isReplaced)
    }
    let isTaken = wishes.add(.init(hash: hashes[BlobWishes.countMax], offset: 0))
    #expect(!isTaken)
    for hash in hashes.dropLast() {
      #expect(wishes.first == BlobWishes.Wish(hash: hash, offset: 7))
      wishes.owe(hash, isHeld: false)
    }
    #expect(wishes.first == nil)
    let isOwed = wishes.arrived(hashes[0])
    let isOwedTwice = wishes.arrived(hashes[0])
    #expect(isOwed && !isOwedTwice)
  }
}
