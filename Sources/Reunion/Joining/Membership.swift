import Foundation
public import ReunionCore
import ReunionStore

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A full replica's membership of a server's spaces: where the server is, and the token it gave.
///
/// Keep it as you keep a password.
public struct Membership: Codable, Sendable {
  /// The server, as `http://host:port`.
  public let server: String
  /// What the device shows when it connects.
  public let token: String
  /// The spaces that it may sync, as hexadecimal digits.
  public let spaces: [String]
  /// The number under which the device writes in them, as hexadecimal digits; nil where the server said none.
  var device: String?

  /// The ids of the spaces.
  public var spaceIDs: [SpaceID] { spaces.compactMap { SpaceID($0) } }

  /// Joins with a link that a host gave, such as `http://192.168.1.20:8080/#join=SECRET`.
  ///
  /// `device` is the number under which its store writes, `store.site.device`. The device keeps
  /// this number if nobody has it on the server. With `other`, a membership of another
  /// space of the same server, the device keeps its token and has this role as well.
  /// - Throws: `JoinError` with a sentence for the person who gave the link.
  public static func join(
    link: String, device: UInt64? = nil, showing other: Membership? = nil
  ) async throws -> Membership {
    let (server, secret) = try parts(of: link)
    guard let address = URL(string: "\(server)/join") else {
      throw JoinError(.badLink, "\(link) is not a link to join with.")
    }
    var request = URLRequest(url: address, timeoutInterval: 10)
    request.httpMethod = "POST"
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    request.httpBody = try JSONEncoder().encode(
      JoinRequest(
        invite: secret, replica: true, device: device.map { String($0, radix: 16) }))
    if let other, other.server == server {
      request.setValue("Bearer \(other.token)", forHTTPHeaderField: "Authorization")
    }
    return try membership(server, try await answer(request, server))
  }

  /// The server of a link, as `server` has it: the same for all ways to write one address.
  ///
  /// - Throws: `JoinError` for an invalid link.
  public static func server(of link: String) throws -> String { try parts(of: link).server }

  /// A link, the same for all ways to write one.
  static func normalized(_ link: String) throws -> String {
    let (server, secret) = try parts(of: link)
    return "\(server)/#join=\(secret)"
  }

  /// Asks the server whether it still knows this device.
  ///
  /// - Throws: `JoinError` if it cannot be reached.
  package func isKnown() async throws -> Bool {
    guard let address = URL(string: "\(server)/session") else { return false }
    var request = URLRequest(url: address, timeoutInterval: 10)
    request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
    return try await Self.answer(request, server).1 != 401
  }

  /// The server and the secret of a link whose secret follows `word`.
  static func parts(
    of link: String, word: String = "join"
  ) throws -> (server: String, secret: String) {
    guard let url = URLComponents(string: link), let scheme = url.scheme?.lowercased(),
      let host = url.host?.lowercased(), !host.isEmpty, scheme == "http" || scheme == "https",
      let secret = url.fragment?.split(separator: "=", maxSplits: 1), secret.count == 2
    else {
      throw JoinError(
        .badLink,
        "\(link) is not a link to \(word) with. Such a link looks like http://host:8080/#\(word)=…")
    }
    switch (String(secret[0]), word) {
    case (word, _): break
    case ("pair", _):
      throw JoinError(.badLink, "\(link) is a link to pair with: pass it to pair(by:called:).")
    case ("join", _):
      throw JoinError(
        .badLink, "\(link) is a link to join with: pass it to space(joining:) and sync(_:joining:)."
      )
    default:
      throw JoinError(
        .badLink,
        "\(link) is not a link to \(word) with. Such a link looks like http://host:8080/#\(word)=…")
    }
    let isUsual = url.port == nil || url.port == (scheme == "http" ? 80 : 443)
    let port = isUsual ? "" : url.port.map { ":\($0)" } ?? ""
    let name = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
    return ("\(scheme)://\(name)\(port)", String(secret[1]))
  }

  static func answer(
    _ request: URLRequest, _ server: String
  ) async throws -> (Data, Int) {
    do {
      return try await ShortAnswer.of(request)
    } catch let error as URLError where error.code == .dataLengthExceedsMaximum {
      throw JoinError(.refused, "\(server) is not a Reunion server: its answer has no end.")
    } catch {
      let scheme =
        server.hasPrefix("https:")
        ? " A server without a proxy for TLS in front has a link that begins with http:." : ""
      throw JoinError(
        .unreachable, "\(server) cannot be reached. Is it on, and on the same network?\(scheme)")
    }
  }

  private static func membership(_ server: String, _ answer: (Data, Int)) throws -> Membership {
    guard answer.1 == 200 else {
      let sentence = try? JSONDecoder().decode(ErrorAnswer.self, from: answer.0).error
      throw JoinError(.refused, sentence ?? "\(server) answered with status \(answer.1).")
    }
    guard let joined = try? JSONDecoder().decode(JoinAnswer.self, from: answer.0) else {
      throw JoinError(.refused, "\(server) is not a Reunion server.")
    }
    return Membership(
      server: server, token: joined.token, spaces: joined.spaces, device: joined.device)
  }

  /// Has a store write in the spaces under the number that the server gave: another than its own, where
  /// somebody else has that there. Where it is not new, only a store that went back needs it: one that has
  /// been given another since keeps that.
  func giveNumber(to store: Store, isNew: Bool = true) throws {
    guard let number = device.flatMap({ UInt64($0, radix: 16) }),
      !store.options.seededBugs.givenNumberNotTaken
    else { return }
    for space in spaceIDs where isNew || store.device(in: space) == store.device {
      try store.take(number, in: space)
    }
  }

  func webSocketURL(_ space: SpaceID) -> String {
    "ws\(server.dropFirst("http".count))/sync?space=\(space)"
  }

  private struct JoinRequest: Encodable {
    let invite: String
    let replica: Bool
    let device: String?
  }

  private struct JoinAnswer: Decodable {
    let token: String
    let spaces: [String]
    let device: String?
  }

  struct ErrorAnswer: Decodable {
    let error: String
  }
}

/// Why a device could not join, in a sentence for a person.
public struct JoinError: Error, Sendable, CustomStringConvertible {
  /// What kind of failure it is; new kinds may be added.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    let name: String
    /// The name of the kind, as code writes it.
    public var description: String { name }

    /// The link is not one to join with.
    public static let badLink = Code(name: "badLink")
    /// Nobody answers at its address.
    public static let unreachable = Code(name: "unreachable")
    /// The server does not let this device in.
    public static let refused = Code(name: "refused")
    /// The link opens another space than was asked for.
    public static let otherSpace = Code(name: "otherSpace")
    /// This device has joined no server yet that could do it.
    public static let notJoined = Code(name: "notJoined")
  }

  /// The kind of failure.
  public let code: Code
  /// One sentence.
  public let description: String

  init(_ code: Code, _ description: String) {
    self.code = code
    self.description = description
  }
}
