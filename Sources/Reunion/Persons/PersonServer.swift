import Foundation
import ReunionCore
import ReunionStore

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What a device asks of the server about its person; `docs/protocol.md` §3.6.
struct PersonServer {
  /// The membership by which it asks.
  let membership: Membership

  /// The server that a device has joined.
  ///
  /// - Throws: `JoinError` if it has joined none.
  init(_ memberships: MembershipFolder) async throws {
    let all = try memberships.all().map(\.membership)
    guard let first = all.first else {
      throw JoinError(
        .notJoined, "This device has joined no server yet. Open an invitation or a pairing link.")
    }
    // Of several the one that still knows it, if there is one.
    var known = first
    if all.count > 1 {
      for each in all where try await each.isKnown() {
        known = each
        break
      }
    }
    membership = known
  }

  private struct Asked: Encodable {
    let person: String
    var space: String?
    /// The space's name, by which the server sees that it is the person's own.
    var name: String?
    var called: String?
  }

  /// Opens an own space: the membership of it.
  func open(
    _ space: SpaceID, named name: String, of person: String, called device: String?
  ) async throws -> Membership {
    let asked = Asked(
      person: person, space: space.description, name: name, called: device)
    let data = try await ask("POST", "/own", asked)
    return Membership(
      server: membership.server, token: membership.token, spaces: [space.description],
      device: (try? JSONDecoder().decode(Opened.self, from: data))?.device)
  }

  private struct Opened: Decodable {
    let device: String?
  }

  private struct Offered: Decodable {
    let url: String
    let expires: Double
  }

  /// Asks for a link.
  func offer(of person: String, called name: String?) async throws -> PairingLink {
    let data = try await ask("POST", "/pairing-link", Asked(person: person, called: name))
    let offered = try Self.read(Offered.self, data, membership.server)
    return PairingLink(
      url: offered.url, expires: Date(timeIntervalSince1970: offered.expires / 1000))
  }

  private struct Devices: Decodable {
    struct Each: Decodable {
      let device: String
      let name: String
      let replica: Bool
      let isThis: Bool
      let since: Double
    }
    let devices: [Each]
  }

  /// The devices of the person.
  func devices() async throws -> [OwnDevice] {
    let data = try await ask("GET", "/person", Asked?.none)
    return try Self.read(Devices.self, data, membership.server).devices.compactMap { each in
      UInt64(each.device, radix: 16).map {
        OwnDevice(
          number: $0, name: each.name, isReplica: each.replica, isThisOne: each.isThis,
          since: Date(timeIntervalSince1970: each.since / 1000))
      }
    }
  }

  /// Takes a device away.
  func remove(_ device: OwnDevice) async throws {
    let digits = Hexadecimal.text(Site(device: device.number, incarnation: 0).bytes.prefix(8))
    _ = try await ask("DELETE", "/person/\(digits)", Asked?.none)
  }

  private func ask(_ method: String, _ path: String, _ body: Asked?) async throws -> Data {
    try await Self.ask(method, membership.server, path, body, bearer: membership.token)
  }

  /// Asks a server.
  ///
  /// - Throws: `JoinError` with the server's sentence.
  static func ask(
    _ method: String, _ server: String, _ path: String, _ body: (some Encodable)?,
    bearer token: String?
  ) async throws -> Data {
    guard let address = URL(string: server + path) else {
      throw JoinError(
        .badLink, "The link names no address that can be opened: \(server). Ask for a new one.")
    }
    var request = URLRequest(url: address, timeoutInterval: 10)
    request.httpMethod = method
    if let body {
      request.setValue("application/json", forHTTPHeaderField: "Content-Type")
      request.httpBody = try JSONEncoder().encode(body)
    }
    if let token { request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") }
    let (data, status) = try await Membership.answer(request, server)
    guard status < 300 else {
      let said = try? JSONDecoder().decode(Membership.ErrorAnswer.self, from: data).error
      // The server's words for this are for people with a page.
      let sentence =
        status == 401 && token != nil ? "\(server) ended this membership: join again." : said
      // One that has forgotten the device may know it again, once it has joined again.
      throw JoinError(
        status == 401 && path == "/own" ? .notJoined : status >= 500 ? .unreachable : .refused,
        sentence ?? "\(server) answered with status \(status).")
    }
    return data
  }

  /// Reads an answer.
  static func read<Answer: Decodable>(
    _: Answer.Type, _ data: Data, _ server: String
  ) throws -> Answer {
    guard let answer = try? JSONDecoder().decode(Answer.self, from: data) else {
      throw JoinError(.refused, "\(server) is no Reunion server.")
    }
    return answer
  }
}
