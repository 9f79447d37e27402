import Foundation
import ReunionCore
import ReunionStore

@testable import ReunionServer

/// A server, a token of each role, and what its host was told.
final class RouteHouse {
  let folder = "\(NSTemporaryDirectory())/routes-\(UUID())"
  let store: Store
  let access: Access
  let server: Server
  let port: UInt16
  let told = Log<String>()
  var tokens: [Role: String] = [:]

  /// `change` gets the folder of the data as well.
  init(_ change: (inout Server.Configuration, String) -> Void = { _, _ in }) throws {
    store = try Store.open(folder: folder, model: Model(entities: Access.entities))
    let space = SpaceID(high: 7, low: 7)
    access = try Access(to: space, in: store)
    let socket = try ListeningSocket(address: "127.0.0.1", port: 0)
    port = socket.port
    var configuration = Server.Configuration(
      listener: socket, uploadFolder: folder + "/uploads", name: { "Routes" },
      mayRead: { _ in true })
    configuration.notice = told.append
    change(&configuration, folder)
    server = try Server(space, in: store, access: access, configuration: configuration)
    try server.start()
    for role in Role.allCases { tokens[role] = try token(role) }
  }

  func token(_ role: Role) throws -> String {
    try access.join(secret: access.invite(role), isReplica: true).token
  }

  deinit {
    server.stop()
    try? store.close()
    try? FileManager.default.removeItem(atPath: folder)
  }

  func ask(
    _ method: HTTPRequest.Method, _ path: String, _ token: String?, _ fields: [String] = [],
    body: String = ""
  ) throws -> Answer {
    var fields = fields + ["Content-Length: \(body.utf8.count)"]
    if let token { fields.append("Authorization: Bearer \(token)") }
    let head = request(method.rawValue, path, fields).replacing(
      "Host: test", with: "Host: 127.0.0.1")
    return try ReunionServerTests.ask(port, head + body, hasBody: method != .head)
  }
}
