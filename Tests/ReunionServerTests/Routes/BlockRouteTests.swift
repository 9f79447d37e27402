import Foundation
import Reunion
import ReunionCore
import ReunionStore
import Testing
import Waiting

@testable import ReunionServer

/// Blocks over HTTP (docs/protocol.md 3.8).
@Suite struct BlockRouteTests {
  @Test func `a newcomer is sent a large space in one file, whole or from where it broke off`()
    async throws
  {
    try await onThread {
      let house = try RouteHouse()
      let space = SpaceID(high: 7, low: 7)
      let path = "/block?space=\(space)"
      // A small space has none.
      let nothing = try house.ask(.get, path, house.tokens[.view])
      #expect(nothing.status == 204 && nothing.body.isEmpty)
      #expect(try house.ask(.get, path, nil).status == 401)
      try house.fill(space)
      let whole = try house.ask(.get, path, house.tokens[.view])
      #expect(whole.status == 200 && whole.body.starts(with: Array("RBLK".utf8) + [1, 1, 0, 0]))
      #expect(whole["Cache-Control"] == "no-store")
      let tag = try #require(whole["ETag"])
      #expect(
        tag == "\"\(BlobHash(of: whole.body))\"" && whole["X-Content-Type-Options"] == "nosniff")
      let rest = try house.ask(
        .get, path, house.tokens[.view], ["Range: bytes=100-", "If-Range: \(tag)"])
      #expect(rest.status == 206 && rest.body == Array(whole.body.dropFirst(100)))
      let again = try house.ask(.get, path, house.tokens[.view], ["If-None-Match: \(tag)"])
      #expect(again.status == 304)
    }
  }

  @Test func `a replica that joins a large space takes a block over its session`() async throws {
    let house = try RouteHouse()
    let space = SpaceID(high: 7, low: 7)
    try house.fill(space)
    let folder = house.folder + "-replica"
    let replica = try Replica(folder: folder, model: Model(entities: []))
    defer {
      try? replica.close()
      try? FileManager.default.removeItem(atPath: folder)
    }
    let membership = try await Membership.join(
      link: "http://127.0.0.1:\(house.port)/#join=\(house.access.invite(.edit))",
      device: replica.store.site.device)
    try replica.sync(space, with: membership)
    try await eventually("everything is here") {
      try replica.store.vector(of: space)[Site(device: 9, incarnation: 1)] == 600
    }
    #expect(try replica.store.digest(of: space) == house.store.digest(of: space))
    let names = try FileManager.default.contentsOfDirectory(atPath: house.folder + "/blocks")
    #expect(names.contains { $0.hasPrefix("\(space)-\(Block.Form.whole.rawValue)-") })
  }

  @Test func `a device that wrote in the space gets what it wrote by its session`() async throws {
    try await onThread {
      let house = try RouteHouse()
      let space = SpaceID(high: 7, low: 7)
      try house.fill(space)
      let token = try #require(house.tokens[.edit])
      guard case .member(let device) = house.access.standing(of: token) else {
        Issue.record("The token opens nothing.")
        return
      }
      #expect(try house.ask(.get, "/block?space=\(space)", token).status == 200)
      try house.fill(space, by: device.number)
      #expect(try house.ask(.get, "/block?space=\(space)", token).status == 204)
    }
  }
}

extension RouteHouse {
  /// Brings 600 records that a device wrote.
  fileprivate func fill(_ space: SpaceID, by device: UInt64 = 9) throws {
    let site = Site(device: device, incarnation: 1)
    let changes = (1...600 as ClosedRange<UInt64>).map { seq in
      Change(
        entity: 3, record: RecordID(high: device, low: seq),
        cell: Cell(
          field: 1, merge: .register, dot: Dot(site: site, seq: seq),
          stamp: Stamp(rawValue: seq), value: .null))
    }
    var vector = VersionVector()
    vector.raise(site, to: 600)
    _ = try store.apply(
      IncomingPush(
        peer: site, helloSeq: 600, changes: changes, raised: vector, vector: vector, position: []),
      in: space, authority: .all)
  }
}
