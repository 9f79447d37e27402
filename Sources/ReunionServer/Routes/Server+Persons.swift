import Dispatch
import Foundation
import ReunionCore
import ReunionFlow
import ReunionStore

/// A person's own spaces and devices by HTTP; `docs/protocol.md` §3.6.
extension Server {
  private struct PersonRequest: Decodable {
    var person: String
    var space: String?
    /// The name of that space.
    var name: String?
    /// What the person calls this device.
    var called: String?
  }

  private struct PairRequest: Decodable {
    var pair: String
    var key: String
    var replica: Bool?
    var device: String?
    var called: String?
  }

  private static let none = HTTPResponse.error(
    404, "On this server, people have no spaces of their own.")

  /// `POST /own`: opens a space of the person's whose device asks.
  func openOwn(_ request: HTTPRequest, by device: Access.Device) -> HTTPAnswer {
    act(request, device) { [self] persons, asked, person, token in
      guard let space = asked.space.flatMap({ SpaceID($0) }) else {
        return .error(400, "Say which space: 32 hexadecimal digits.")
      }
      let isNew = spaces.find(space) == nil
      let now = Date().timeIntervalSince1970
      if isNew {
        guard openings.withLock({ $0.allows(request.remoteAddress, now: now) }) else {
          note(.limited, ["what": "openings"], request)
          return .error(
            429, "Too many spaces are being opened from your network. Try again in ten minutes."
          ).with("Retry-After", "600")
        }
        guard openingsOfDay.withLock({ $0.allows(request.remoteAddress, now: now) }) else {
          note(.limited, ["what": "openings"], request)
          return .error(
            429, "Too many spaces were opened from your network today. Try again tomorrow."
          ).with("Retry-After", "86400")
        }
      }
      let served = try persons.open(
        space, asked.name, of: person, by: token, device, called: asked.called.map(Self.name))
      if isNew {
        note(.opened, ["device": name(of: device), "space": space.description], request)
      }
      guard let member = served.access.device(token: token) else {
        return .error(403, "This device was removed from that space. Pair it again.")
      }
      return .json(200, facts(member, in: served))
    }
  }

  /// `POST /pairing-link`: a link for one more device of the person whose device asks.
  func offer(_ request: HTTPRequest, by device: Access.Device) -> HTTPAnswer {
    act(request, device) { [self] persons, asked, person, token in
      let (secret, expires) = try persons.offer(
        to: person, by: token, device, named: asked.called.map(Self.name))
      note(.offered, ["device": name(of: device)], request)
      return .json(
        200,
        [
          "url": .text("\(origin(for: request))/#pair=\(secret)"),
          "expires": .number(Int64(expires.timeIntervalSince1970 * 1000)),
        ])
    }
  }

  /// `POST /pair`: one more device becomes a person's.
  func pair(_ request: HTTPRequest) -> HTTPAnswer {
    guard let persons else { return .respond(Self.none) }
    let now = Date().timeIntervalSince1970
    guard pairings.withLock({ $0.allows(request.remoteAddress, now: now) }) else {
      note(.limited, ["what": "pairings"], request)
      return .respond(
        .error(429, "Too many devices are pairing from your network. Try again in ten minutes.")
          .with("Retry-After", "600"))
    }
    return .collect(limitBytes: 4096) { [self] body, responder in
      guard let asked = try? JSONDecoder().decode(PairRequest.self, from: Data(body)),
        (32...128).contains(asked.key.utf8.count)
      else {
        responder.respond(.error(400, "To pair, send the link's secret and a key."))
        return
      }
      perform(responder) { try self.pair(asked, persons, request) }
    }
  }

  private func pair(
    _ asked: PairRequest, _ persons: Persons, _ request: HTTPRequest
  ) throws -> HTTPResponse {
    let isReplica = asked.replica ?? false
    let shown = token(of: request).flatMap { token in
      spaces.roles(of: token).first { $0.device.isReplica == isReplica }
        .map { (token: token, device: $0.device) }
    }
    do {
      let paired = try persons.pair(
        asked.pair,
        Persons.Asker(
          key: asked.key, shown: shown, isReplica: isReplica,
          number: isReplica ? asked.device.flatMap { UInt64($0, radix: 16) } : nil,
          name: asked.called.map(Self.name) ?? ""))
      note(
        .paired,
        ["device": Access.text(of: paired.number), "as": isReplica ? "replica" : "browser"], request
      )
      let roles = spaces.roles(of: paired.token).map {
        JSONValue.object(facts($0.device, in: $0.space))
      }
      var fields: [String: JSONValue] = [
        "person": .text(paired.person.description),
        "device": .text(Access.text(of: paired.number)), "spaces": .list(roles),
      ]
      guard isReplica else {
        return HTTPResponse.json(200, fields)
          .with("Set-Cookie", cookie(for: request).keeping(paired.token))
      }
      fields["token"] = .text(paired.token)
      return .json(200, fields)
    } catch let refusal as Access.Refusal {
      note(.refused, ["why": "pairing", "status": "\(refusal.status)"], request)
      return .error(refusal.status, refusal.description)
    }
  }

  /// `GET /person`: who the person of this device is, and their devices.
  func person(_ request: HTTPRequest) throws -> HTTPResponse {
    guard let persons, let token = token(of: request) else { return Self.none }
    guard let (person, devices) = try persons.person(of: token) else {
      return .error(404, "This device has no space of its own here yet.")
    }
    let hash = Secret.hash(token)
    let list = devices.map { device in
      JSONValue.object([
        "device": .text(Access.text(of: device.number)), "name": .text(device.name),
        "replica": .bool(device.isReplica), "isThis": .bool(device.tokenHash == hash),
        "since": .number(Int64((device.since?.timeIntervalSince1970 ?? 0) * 1000)),
      ])
    }
    return .json(200, ["person": .text(person.description), "devices": .list(list)])
  }

  /// `DELETE /person/DEVICE`: takes a device of the person away.
  func removeOwn(_ text: String, _ request: HTTPRequest) throws -> HTTPResponse {
    guard let persons, let token = token(of: request) else { return Self.none }
    guard let number = Access.device(text),
      try persons.remove(number, by: token)
    else { return .error(404, "You have no such device.") }
    note(.putOut, ["device": text.lowercased(), "by": "person"], request)
    return HTTPResponse(204)
  }

  /// Reads what a device says of its person, and acts.
  private func act(
    _ request: HTTPRequest, _ device: Access.Device,
    _ body:
      @escaping @Sendable (Persons, PersonRequest, RecordID, String) throws -> HTTPResponse
  ) -> HTTPAnswer {
    guard let persons, let token = token(of: request) else { return .respond(Self.none) }
    let now = Date().timeIntervalSince1970
    guard personActs.withLock({ $0.allows(Self.asker(token), now: now) }) else {
      note(.limited, ["what": "persons", "device": name(of: device)], request)
      return .respond(
        .error(429, "This device asks too often. Wait ten minutes, then try again.")
          .with("Retry-After", "600"))
    }
    return .collect(limitBytes: 4096) { [self] bytes, responder in
      guard let asked = try? JSONDecoder().decode(PersonRequest.self, from: Data(bytes)),
        let person = RecordID(asked.person)
      else {
        responder.respond(.error(400, "Say who the person is: 32 hexadecimal digits."))
        return
      }
      perform(responder) { [self] in
        do {
          return try body(persons, asked, person, token)
        } catch let refusal as Access.Refusal {
          note(.refused, ["why": "person", "status": "\(refusal.status)"], request)
          return .error(refusal.status, refusal.description)
        }
      }
    }
  }

  /// A device's name as one line that is not long.
  private static func name(_ text: String) -> String {
    var name = ""
    for character in text where !character.isNewline {
      guard name.utf8.count + character.utf8.count <= Persons.nameBytesMax else { break }
      name.append(character)
    }
    return name
  }
}
