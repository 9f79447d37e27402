import Foundation
import Reunion
import ReunionServer
import ScreenTimeCore

@testable import ScreenTime
@testable import ScreenTimeBook

/// A real server with the two spaces of a child, and replicas that join it over real sockets.
final class Family {
  struct NoLink: Error {}

  let folder = "\(NSTemporaryDirectory())/family-\(UUID())"
  private var running: ScreenTimeService?
  private let port: Int
  private var replicas: [Replica] = []
  private var connections: [Connection] = []

  init() throws {
    let service = try Self.serve(folder, port: 0)
    (running, port) = (service, Int(service.port))
    _ = try service.family.follow("Ada")
  }

  private static func serve(_ folder: String, port: Int) throws -> ScreenTimeService {
    let service = try ScreenTimeService(
      Options(["--data", folder + "/server", "--port", "\(port)"]))
    _ = try service.start()
    return service
  }

  /// The server is gone, and comes back at the same address.
  func stopServer() {
    running?.stop()
    running = nil
  }

  func startServer() throws { running = try Self.serve(folder, port: port) }

  /// The server, while it runs.
  var service: ScreenTimeService {
    get throws {
      guard let running else { throw NoLink() }
      return running
    }
  }

  /// The one who is followed.
  var child: FollowedPerson {
    get throws {
      guard let child = try service.family.everybody().first else { throw NoLink() }
      return child
    }
  }

  /// A parent deletes the child's history.
  func eraseHistory() throws { try service.family.eraseHistory(of: child) }

  /// A parent ends following the child.
  func followNoMore() throws { try service.family.end(child) }

  func link(to space: String, as role: Role) throws -> String {
    let accesses = try service.family.accesses(to: child)
    let secret = try (space == "use" ? accesses.use : accesses.limits).invite(role)
    return "http://127.0.0.1:\(port)/#join=\(secret)"
  }

  /// A device with its roles in the space of use and in that of limits.
  func device(
    _ name: String, use: Role, limits: Role, wall: (@Sendable () -> UInt64)? = nil
  ) async throws -> FamilyBook {
    var options = StoreOptions()
    if let wall { options.wallMilliseconds = wall }
    let replica = try Replica(folder: "\(folder)/\(name)", model: .family, options: options)
    replicas.append(replica)
    let links = (try link(to: "use", as: use), try link(to: "limits", as: limits))
    let book = FamilyBook(
      replica: replica, use: try await replica.space(joining: links.0),
      limits: try await replica.space(joining: links.1))
    connections.append(try replica.sync(book.use, joining: links.0))
    connections.append(try replica.sync(book.limits, joining: links.1))
    return book
  }

  func parent(_ name: String) async throws -> FamilyBook {
    try await device(name, use: .admin, limits: .admin)
  }

  func childsDevice(
    _ name: String, wall: (@Sendable () -> UInt64)? = nil
  ) async throws -> FamilyBook {
    try await device(name, use: .add, limits: .view, wall: wall)
  }

  deinit {
    connections = []
    for replica in replicas { try? replica.close() }
    running?.stop()
    try? FileManager.default.removeItem(atPath: folder)
  }
}

/// Waits until a live query of a replica shows what is wanted.
func until<Record: Entity>(
  _ query: Query<Record>, of replica: Replica, _ isWanted: ([Record]) -> Bool
) async throws {
  for await records in try replica.live(query).values() where isWanted(records) { return }
}

/// What came so far, for a test that awaits it.
final class Told<Item: Sendable>: Sendable {
  private let stream: AsyncStream<Item>
  private let yield: AsyncStream<Item>.Continuation

  init() { (stream, yield) = AsyncStream.makeStream(of: Item.self) }

  func append(_ item: Item) { yield.yield(item) }

  /// Waits for the next one.
  func next() async -> Item? {
    for await item in stream { return item }
    return nil
  }

  /// Waits until all that came is as it is wanted.
  func reach(_ isWanted: ([Item]) -> Bool) async {
    var items: [Item] = []
    for await item in stream {
      items.append(item)
      if isWanted(items) { return }
    }
  }
}
