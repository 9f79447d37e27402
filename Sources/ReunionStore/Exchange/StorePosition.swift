import ReunionCore

/// A point in a store's history of a space, as the store tells it to a peer, which gives it back.
///
/// It names the tag of the commit at which it was told, and those of some commits before it, near and
/// far, so that a store that went back finds near where its histories parted. Under its own MAC: a
/// peer can neither make one nor change it.
struct StorePosition: Equatable {
  /// A commit, and how many own changes there were by then.
  struct Point: Equatable {
    var tag: UInt32
    var ownSeq: UInt64
  }

  static let keyBytes = PositionKey.byteCount
  private static let macBytes = 8

  /// The arrival number.
  var arrival: UInt64
  /// The lower half of the incarnation that told it.
  var incarnation: UInt32
  /// The commit that ends at `arrival`.
  var last: Point
  /// The last commits up to each of `marks(before:)`, the far ones first; as many as have room.
  var earlier: [Point]
  /// Whether the peer gives it back as a proof alone, since it compares everything.
  var isProof = false

  /// The arrivals up to which a position names commits: three round ones, whose tags are kept long,
  /// and three near ones, of which the last is that of the commit before.
  static func marks(before arrival: UInt64) -> [UInt64] {
    let round = [Tags.arrivalsPerBlock, 512, Tags.arrivalsPerRow].map { arrival / $0 * $0 }
    let near = ([16, 4, 1] as [UInt64]).map { max(arrival, $0 + 1) - $0 }
    return (round + near).filter { $0 > 0 }
  }

  /// The bytes, under the MAC of a key for a space and a kind of push.
  func encoded(key: [UInt8], space: SpaceID, ownOnly: Bool = false) -> [UInt8] {
    var writer = ByteWriter()
    writer.varint(arrival)
    writer.integer(incarnation)
    writer.integer(last.tag)
    writer.varint(last.ownSeq)
    for point in earlier {
      var next = ByteWriter()
      next.integer(point.tag)
      next.varint(last.ownSeq - min(point.ownSeq, last.ownSeq))
      guard writer.bytes.count + next.bytes.count <= Pull.positionBytesMax - Self.macBytes else {
        break
      }
      writer.bytes(next.bytes)
    }
    return writer.bytes + Self.mac(writer.bytes, key, space, ownOnly)
  }

  /// Reads a position; nil where this store has not told it, or at the end of another kind of push.
  init?(decoding bytes: [UInt8], key: [UInt8], space: SpaceID, ownOnly: Bool = false) {
    let body = Array(bytes.dropLast(Self.macBytes))
    guard bytes.count <= Pull.positionBytesMax, key.count == Self.keyBytes else { return nil }
    let mac = Self.mac(body, key, space, ownOnly)
    func isSealed(_ bytes: [UInt8]) -> Bool {
      zip(bytes.suffix(Self.macBytes), mac).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
    guard bytes.count > Self.macBytes else { return nil }
    isProof = !isSealed(bytes)
    guard !isProof || isSealed(PeerPosition.inverted(bytes)) else { return nil }
    do throws(WireError) {
      var reader = ByteReader(body)
      arrival = try reader.varint()
      incarnation = try reader.integer(UInt32.self)
      let tag = try reader.integer(UInt32.self)
      last = Point(tag: tag, ownSeq: try reader.varint())
      earlier = []
      while reader.remaining > 0 {
        let tag = try reader.integer(UInt32.self)
        earlier.append(
          Point(tag: tag, ownSeq: last.ownSeq - (try reader.varint(upTo: last.ownSeq))))
      }
      try reader.finish()
    } catch {
      return nil
    }
  }

  init(arrival: UInt64, incarnation: UInt32, last: Point, earlier: [Point]) {
    self.arrival = arrival
    self.incarnation = incarnation
    self.last = last
    self.earlier = earlier
  }

  private static func mac(
    _ body: [UInt8], _ key: [UInt8], _ space: SpaceID, _ ownOnly: Bool
  ) -> [UInt8] {
    var writer = ByteWriter()
    writer.identifier(space)
    writer.bytes(body)
    let key = ownOnly ? HMAC.code(of: [1], key: key) : key
    return Array(HMAC.code(of: writer.bytes, key: key).prefix(macBytes))
  }
}
