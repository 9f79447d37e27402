/// One writer: a device, and one incarnation of its store.
///
/// A restored or copied store writes under a new incarnation, so that a site's sequence numbers are
/// never given out twice.
package struct Site: Identifier {
  /// The device, the same in all its incarnations.
  package let device: UInt64
  /// Drawn at random when a store is made, restored, copied or moved.
  package let incarnation: UInt64

  /// The first eight bytes.
  package var high: UInt64 { device }
  /// The last eight bytes.
  package var low: UInt64 { incarnation }

  /// Makes the site of a device's incarnation.
  package init(device: UInt64, incarnation: UInt64) {
    self.device = device
    self.incarnation = incarnation
  }

  /// Takes its parts as they are.
  package init(high: UInt64, low: UInt64) { self.init(device: high, incarnation: low) }
}

/// The unit of sharing, membership and sync: an album, a person's settings.
///
/// ```swift
/// let space = SpaceID.random()
/// try await replica.write(in: space) { try $0.create(album) }
/// let again = SpaceID(space.description)    // from where the app kept its digits
/// print(again == space, try replica.spaces.contains(space))
/// ```
///
/// A space has no other form than its id: it is there once something was written in it, or has
/// arrived. Records of different spaces never mix: a write, a query, a role and a connection are of
/// one space. That of others comes from a link (`Replica.space(joining:)`), a person's own from
/// `Replica.ownSpace(_:)`.
public struct SpaceID: Identifier {
  /// The first eight bytes.
  public let high: UInt64
  /// The last eight bytes.
  public let low: UInt64

  /// Takes its parts as they are.
  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }
}

/// The name of a record: 48 bits of milliseconds, then 80 random bits, so that ids sort by
/// creation.
///
/// ```swift
/// let id = replica.newID()
/// try await replica.write(in: space) { try $0.create(Album(id: id)) }
/// print("album:\(id)", RecordID("\(id)") == id)
/// ```
///
/// It stays the same for ever and on every device, and only together with an entity and a space
/// names one record. Ids of one millisecond sort by chance, and those of several devices by each
/// one's clock: sort what people see by a field. *Source*: the layout is like that of RFC 9562's
/// UUID version 7, but has no bits for a version.
public struct RecordID: Identifier {
  /// The first eight bytes.
  public let high: UInt64
  /// The last eight bytes.
  public let low: UInt64

  /// Takes its parts as they are.
  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Makes an id from the wall clock, in milliseconds since 1970, and random bits.
  ///
  /// `Replica.newID()` does it for you. The same arguments give the same id: that makes tests
  /// repeat. Of `milliseconds` the lowest 48 bits count, which last until the year 10889, and of
  /// the first random number the lowest 16.
  public init(milliseconds: UInt64, random: (UInt64, UInt64)) {
    high = milliseconds << 16 | random.0 & 0xffff
    low = random.1
  }
}

/// One change of one site: the `seq`-th that it made in a space, from 1, without gaps.
package struct Dot: Hashable, Comparable, Sendable {
  /// The writer.
  package let site: Site
  /// Its count of changes in the space up to and including this one.
  package let seq: UInt64

  /// The highest count: more than a site makes in a million years, a hundred a second.
  package static let seqMax: UInt64 = 1 << 48 - 1

  /// Makes the dot of a site's change.
  package init(site: Site, seq: UInt64) {
    self.site = site
    self.seq = seq
  }

  /// By site, then by count.
  package static func < (left: Dot, right: Dot) -> Bool {
    left.site != right.site ? left.site < right.site : left.seq < right.seq
  }
}

#if !hasFeature(Embedded)
  extension SpaceID {
    /// A new space: nobody else will ever draw the same, since all 128 bits are random. Make it
    /// once, and keep its digits: `description` writes them, `SpaceID(_:)` reads them.
    ///
    /// A new one at each start would be an empty space at each start.
    public static func random() -> SpaceID {
      SpaceID(high: .random(in: 0 ... .max), low: .random(in: 0 ... .max))
    }
  }

  extension Site: CustomStringConvertible {}
  extension SpaceID: CustomStringConvertible {}
  extension RecordID: CustomStringConvertible {}
#endif
