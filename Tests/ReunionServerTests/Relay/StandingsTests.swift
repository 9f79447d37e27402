import Foundation
import ReunionCore
import ReunionStore
import ReunionSync
import Testing

@testable import ReunionServer

/// What a server knows and tells of the replicas of a space (docs/protocol.md 2.23).
@Suite struct StandingsTests {
  private static func progress(_ held: UInt64, missing: [BlobHash]? = nil) -> PeerProgress {
    var progress = PeerProgress()
    if let missing {
      progress.hear(
        StandingUpdate(
          acknowledged: held, replicas: [ReplicaStanding(changes: 1, blobs: 1, missing: missing)]))
    }
    progress.look(at: SessionProgress(held: held, acknowledged: held, applied: 0))
    return progress
  }

  private static func hashes(_ count: Int) -> [BlobHash] {
    (0..<count).map { BlobHash(of: Array("\($0)".utf8)) }
  }

  private static let server = ReplicaStanding(changes: 9, blobs: 9)

  @Test func `the last to be heard stand first, as many as a message has`() {
    var standings = Standings()
    for device in UInt64(1)...100 {
      standings.look(at: Self.progress(device), of: device, at: 1_000 + device)
    }
    let told = standings.told(Self.server, at: 1_200)
    #expect(told.count == StandingUpdate.replicasMax && told[0] == Self.server)
    #expect(told[1].device == 100 && told[1].changes == 100 && told[1].silentSeconds == 100)
    #expect(told.last?.device == 38)
    // A clock that went back.
    #expect(standings.told(Self.server, at: 5)[1].silentSeconds == 0)
    let message = Message.standing(StandingUpdate(replicas: told))
    #expect(throws: Never.self) { try Message(decoding: message.encoded()) }
  }

  @Test func `what is missing of too many counts as if nothing were there`() throws {
    var standings = Standings()
    standings.look(at: Self.progress(5, missing: Self.hashes(700)), of: 1, at: 10)
    standings.look(at: Self.progress(6, missing: Self.hashes(600)), of: 2, at: 9)
    standings.look(at: Self.progress(7, missing: []), of: 3, at: 8)
    let told = standings.told(Self.server, at: 10)
    #expect(told.map(\.missing.count) == [0, 700, 0, 0])
    #expect(told.map(\.blobs) == [9, 5, 0, 7])
    let message = Message.standing(StandingUpdate(replicas: told))
    #expect(try Message(decoding: message.encoded()) == message)
  }

  @Test func `what is kept is known again, but not which blobs were missing`() throws {
    var standings = Standings()
    standings.look(at: Self.progress(5, missing: Self.hashes(3)), of: 1, at: 10)
    standings.look(at: Self.progress(7, missing: []), of: 3, at: 8)
    let folder = "\(NSTemporaryDirectory())/standings-\(UUID())"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let store = try Store.open(folder: folder, model: Model(entities: []))
    let space = SpaceID.random()
    #expect(try store.keptStanding(of: space) == KeptStanding())
    try store.keepStanding(of: space) { $0.sent = 0 }
    try store.keepStanding(of: space) { $0.replicas = standings.kept }
    let kept = try store.keptStanding(of: space)
    try store.close()
    let told = Standings(kept: kept.replicas).told(Self.server, at: 20)
    #expect(told.map(\.device) == [0, 1, 3] && told.map(\.changes) == [9, 5, 7])
    #expect(told.map(\.blobs) == [9, 0, 7] && told.map(\.silentSeconds) == [nil, 10, 12])
    #expect(kept.sent == 0)
  }

  @Test func `one that may not come any more is forgotten, and the oldest of very many`() {
    var standings = Standings()
    for device in UInt64(1)...UInt64(Standings.replicasMax) + 1 {
      standings.look(at: Self.progress(1), of: device, at: device)
    }
    standings.forget { $0 != 1 && $0 != 2 }
    #expect(standings.told(Self.server, at: 0).map(\.device) == [0, 2])
  }
}
