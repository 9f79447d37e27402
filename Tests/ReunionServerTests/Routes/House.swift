import Foundation
import Reunion
import ReunionCommandLine
import ReunionStore
import Testing

@testable import ReunionServer

/// A server of spaces, with its invitations as a command leaves them.
final class House {
  let folder = "\(NSTemporaryDirectory())/spaces-\(UUID())"
  let service: SpaceService

  init(_ folder: String? = nil, allowance: GuestAllowance = GuestAllowance()) throws {
    let folder = folder ?? self.folder
    var options = try ServeOptions([folder, "--port", "0"])
    options.server.guestAllowance = allowance
    service = try SpaceService(options)
    _ = try service.start()
  }

  func invite(_ role: Role, to space: String? = nil, seconds: Double = 3600) throws -> String {
    let expires = Date().timeIntervalSince1970 + seconds
    let left = InvitationFile(space: space, role: role.rawValue, expires: expires)
    return try #require(left.leave(in: service.store.folder))
  }

  func ask(
    _ method: String, _ path: String, _ token: String? = nil, _ body: String = ""
  ) throws -> (status: Int, fields: [String: Any]) {
    var fields = ["Content-Length: \(body.utf8.count)"]
    if let token { fields.append("Authorization: Bearer \(token)") }
    let text = request(method, path, fields).replacing("Host: test", with: "Host: 127.0.0.1")
    let answer = try ReunionServerTests.ask(service.port, text + body)
    let object = try? JSONSerialization.jsonObject(with: Data(answer.body))
    return (answer.status, object as? [String: Any] ?? [:])
  }

  func join(_ secret: String, _ token: String? = nil) throws -> (Int, [String: Any]) {
    try ask("POST", "/join", token, "{\"invite\":\"\(secret)\",\"replica\":true}")
  }

  /// Joins, and gives the token, the device and the space.
  func joined(_ secret: String, _ token: String? = nil) throws -> Joined {
    let (status, fields) = try join(secret, token)
    #expect(status == 200)
    return Joined(
      token: try #require(fields["token"] as? String),
      device: try #require(fields["device"] as? String),
      space: try #require(fields["space"] as? String))
  }

  deinit {
    service.stop()
    try? FileManager.default.removeItem(atPath: folder)
  }
}

struct Joined: Equatable {
  let token: String
  let device: String
  let space: String
}
