import ReunionCore
import Testing

@testable import ReunionStore

/// How far a vector rises by what a push claims, and by what it brings (docs/protocol.md 2.9).
@Suite struct ClaimTests {
  private let folder = Folder()
  private let author = Site(device: 7, incarnation: 1)
  private let moved = Site(device: 7, incarnation: 2)
  private let other = Site(device: 8, incarnation: 1)

  /// What is held of each site after a push of the author's that brings one change of the other's, its
  /// fourth, and claims nine of each.
  private func held(isServers: Bool, bugs: SeededBugs = []) throws -> [UInt64] {
    let store = try folder.open { $0.seededBugs = bugs }
    defer { try? store.close() }
    let creation = Cell(
      field: 0, merge: .creation, dot: Dot(site: other, seq: 4),
      stamp: Stamp(milliseconds: 1_800_000_000_000), value: .null)
    var claims = VersionVector()
    for site in [author, moved, other, Site(device: 9, incarnation: 1)] {
      claims.raise(site, to: 9)
    }
    var push = IncomingPush(
      peer: author, helloSeq: 9,
      changes: [Change(entity: 3, record: RecordID(high: 1, low: 1), cell: creation)],
      raised: claims, vector: claims, position: [])
    push.isServers = isServers
    _ = try store.apply(push, in: space, authority: .all)
    let vector = try store.vector(of: space)
    return claims.entries.map { vector[$0.site] }
  }

  @Test func `of others as much is held as a push brings, and of its author what it says`() throws {
    #expect(try held(isServers: false) == [9, 9, 4, 0])
  }

  @Test func `a server is believed by who dials it`() throws {
    #expect(try held(isServers: true) == [9, 9, 9, 9])
  }

  @Test func `a claim that is believed shows (negative control)`() throws {
    #expect(try held(isServers: false, bugs: [.claimBelieved]) == [9, 9, 9, 9])
  }
}
