import Foundation
public import ReunionCore
import ReunionStore

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A full replica's membership of a server's spaces: where the server is, and the token it gave.
///
/// ```swift
/// let link = "http://192.168.1.20:8080/#join=SECRET"
/// let membership = try await Membership.join(link: link, device: replica.store.device)
/// for space in membership.spaceIDs { try replica.sync(space, with: membership) }
/// ```
///
/// An app seldom needs it: `Replica.sync(_:joining:)` joins and keeps the membership beside the
/// store. It is for an app that keeps the token elsewhere, such as in a keychain.
///
/// Keep it as you keep a password, and whole: its encoding has more than is public here.
public struct Membership: Codable, Sendable {
  /// The server, as `http://host:port`; the port is left out where it is the scheme's usual one.
  public let server: String
  /// What the device shows when it connects. Anyone who has it is this device to the server.
  public let token: String
  /// The spaces that it may sync, as 32 hexadecimal digits each.
  public let spaces: [String]
  /// The number under which the device writes in them, as hexadecimal digits; nil where the server
  /// said none.
  var device: String?

  /// The ids of the spaces; what is no id is left out.
  public var spaceIDs: [SpaceID] { spaces.compactMap { SpaceID($0) } }

  /// Joins with a link that a host gave, such as `http://192.168.1.20:8080/#join=SECRET`.
  ///
  /// Each call asks the server once, and takes up one of the devices for which the link is meant:
  /// keep the result. Nothing is written here. It waits 10 s for an answer, and follows no
  /// redirection.
  /// - Parameters:
  ///   - link: The invitation. Its secret is behind the `#`, and is sent in the body of a `POST`.
  ///   - device: The number under which its store writes, `store.device`. The device keeps this
  ///     number if nobody has it on the server.
  ///   - other: A membership of another space of the same server: the device keeps its token and
  ///     has this role as well. One of another server counts for nothing.
  /// - Returns: The membership, with every space that the link opens.
  /// - Throws: `JoinError` with a sentence for the person who gave the link. `badLink` for what is
  ///   no invitation; `unreachable` if no server answers; `refused` if it says no, or is
  ///   no Reunion server.
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
  /// An app finds the membership that it has there by it. Nothing is asked over the network.
  ///
  /// - Throws: `JoinError` `badLink` for an invalid link, also for one to pair with.
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

  /// Has a store write in the spaces under the number that the server gave: another than its own,
  /// where somebody else has that there. Where it is not new, only a store that went back needs it:
  /// one that has been given another since keeps that.
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
///
/// ```swift
/// do {
///   _ = try await replica.space(joining: "http://192.168.1.20:8080/#join=SECRET")
/// } catch let error as JoinError where error.code == .unreachable {
///   print("Later, perhaps:", error.description)
/// } catch let error as JoinError {
///   print("Ask for another link:", error.description)
/// }
/// ```
public struct JoinError: Error, Sendable, CustomStringConvertible {
  /// What kind of failure it is; new kinds may be added.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    let name: String
    /// The name of the kind, as code writes it.
    public var description: String { name }

    /// The link is not one to join with: it names no `http` or `https` address, or no secret. Also
    /// a link to pair with where an invitation is wanted. Nobody was asked.
    public static let badLink = Code(name: "badLink")
    /// Nobody answers at its address. It may work later, with the same link.
    public static let unreachable = Code(name: "unreachable")
    /// The server does not let this device in, and says why: the link has expired, was used up or
    /// was taken back. Also where something else answers than a Reunion server. The same link will
    /// not help.
    public static let refused = Code(name: "refused")
    /// The link opens another space than was asked for. Only a `Connection` meets it, and is
    /// `blocked`.
    public static let otherSpace = Code(name: "otherSpace")
    /// This device has joined no server yet that could do it, or the server of an own space has
    /// forgotten it: open an invitation first.
    public static let notJoined = Code(name: "notJoined")
  }

  /// The kind of failure, for what an app does about it.
  public let code: Code
  /// One sentence that names the remedy, in English; of `refused` usually the server's own words.
  public let description: String

  init(_ code: Code, _ description: String) {
    self.code = code
    self.description = description
  }
}
