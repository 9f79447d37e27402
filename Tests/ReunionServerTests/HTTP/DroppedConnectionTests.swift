import Foundation
import Reunion
import ReunionFlow
import ReunionServer
import ReunionStore
import Testing
import Waiting

/// Connections whose result the app dropped, as a compiler advises for an unused constant.
@Suite struct DroppedConnectionTests {
  typealias Note = JoiningTests.Note
  let folder = "\(NSTemporaryDirectory())/dropped-\(UUID())"
  let space = SpaceID.random()

  private func replica() throws -> Replica {
    try Replica(folder: folder + "/phone", model: Model(Note.schema))
  }

  private func write(_ text: String, at host: JoiningTests.Host) throws {
    try host.store.write(in: space) { try $0.create(Note.self) { $0.text = text } }
  }

  @Test func `a connection that nobody holds comes back after the server was away`() async throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    var host = try JoiningTests.Host(folder + "/server", space)
    let port = host.port
    let phone = try replica()
    let held = Log<[String]>()
    let watching = try phone.live(Query<Note>(in: space)).observe { notes in
      held.append(notes.map(\.text).sorted())
    }
    try phone.sync(space, joining: host.link())
    try write("a", at: host)
    #expect(await held.reach { $0.last == ["a"] })
    try host.stop()
    host = try JoiningTests.Host(folder + "/server", space, port: port)
    try write("b", at: host)
    #expect(await held.reach { $0.last == ["a", "b"] })
    watching.cancel()
    try phone.close()
    try host.stop()
  }

  @Test func `one that is disconnected is let go, and one that is wanted is not`() async throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let host = try JoiningTests.Host(folder + "/server", space)
    let phone = try replica()
    weak let dropped = try phone.sync(space, joining: host.link())
    #expect(dropped != nil)
    dropped?.disconnect()
    try await eventually("nobody holds it") { dropped == nil }
    try phone.close()
    try host.stop()
  }

  @Test func `with the replica ends what nobody else holds, and its folder is free`() async throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let host = try JoiningTests.Host(folder + "/server", space)
    weak var connection: Connection?
    do {
      let phone = try replica()
      connection = try phone.sync(space, joining: host.link())
      let states = Log<Connection.State>()
      let watching = connection?.state.observe { states.append($0) }
      #expect(await states.reach { $0.last == .online })
      watching?.cancel()
      withExtendedLifetime(phone) {}
    }
    // The thread that told of the last state may hold it a moment longer.
    try await eventually("nobody holds it") { connection == nil }
    // What its session does on its queue ends by itself.
    let free = Log<Bool>()
    #expect(
      await free.reach { _ in
        guard let again = try? replica() else { return false }
        return (try? again.close()) != nil
      })
    try host.stop()
  }
}
