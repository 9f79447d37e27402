import Foundation
import ReunionCore
import ReunionFlow
import ReunionStore

/// Tells devices who they are, lets them join and leave, and does what the host decides about it.
extension Server {
  func cookie(for request: HTTPRequest) -> SessionCookie {
    SessionCookie(of: spaces.first.id, isSecure: requestGuard.isSecure(request))
  }

  /// What a request shows of who asks: a program's token, or that of a browser's cookie.
  func token(of request: HTTPRequest) -> String? {
    request.bearer ?? cookie(for: request).token(of: request)
  }

  /// Why one whose token opens nothing any more may not ask for what takes a role; nil where it never did.
  static func refusal(of standing: MemberTable.Standing) -> HTTPResponse? {
    switch standing {
    case .member, .unknown: nil
    case .lapsed:
      standingAnswer(
        "lapsed",
        "This device was away for a long time. Scan the QR code again, or open the link.")
    case .removed:
      standingAnswer(
        "put-out", "Another device of yours has removed this one. Pair it again by a new link.")
    case .putOut:
      // What the browser keeps of the pictures goes, too, where it knows the header (a secure context).
      standingAnswer("put-out", "The host has removed this device. Ask the host for a new link.")
        .with("Clear-Site-Data", "\"cache\"")
    }
  }

  private static func standingAnswer(_ standing: String, _ sentence: String) -> HTTPResponse {
    .json(401, ["error": .text(sentence), "standing": .text(standing)])
  }

  /// Tells a browser who it is; its cookie lasts for as long as it comes.
  func session(
    _ request: HTTPRequest, _ device: Access.Device, in space: ServedSpace
  ) -> HTTPResponse {
    var fields = facts(device, in: space)
    let shown = token(of: request)
    let roles = shown.map(spaces.roles) ?? []
    fields["spaces"] = .list(roles.map { .object(Self.role($0.device, in: $0.space)) })
    let answer = HTTPResponse.json(200, fields)
    let cookie = cookie(for: request)
    guard request.bearer == nil, let token = shown else { return answer }
    return answer.with("Set-Cookie", cookie.keeping(token))
  }

  /// What a device is told of itself in a space: its role, and its number there.
  func facts(_ device: Access.Device, in space: ServedSpace) -> [String: JSONValue] {
    var fields = Self.role(device, in: space)
    fields["device"] = .text(Access.text(of: device.number))
    return fields
  }

  static func role(_ device: Access.Device, in space: ServedSpace) -> [String: JSONValue] {
    var fields: [String: JSONValue] = [
      "space": .text(space.id.description), "role": .text(device.role.rawValue),
      "name": .text(space.name()),
    ]
    if space.isOwn { fields["own"] = .bool(true) }
    return fields
  }

  private struct JoinRequest: Decodable {
    var invite: String
    var replica: Bool?
    /// The number under which a replica writes.
    var device: String?
  }

  func join(_ request: HTTPRequest, isMember: Bool) -> HTTPAnswer {
    // A member may be one of many behind a router: it is counted by itself.
    let member = isMember ? token(of: request).map(Self.asker) : nil
    let now = Date().timeIntervalSince1970
    guard joins.withLock({ $0.allows(member ?? request.remoteAddress, now: now) }) else {
      return .respond(tooManyJoins(request))
    }
    return .collect(limitBytes: 4096) { [self] body, responder in
      guard let asked = try? JSONDecoder().decode(JoinRequest.self, from: Data(body)) else {
        responder.respond(.error(400, "To join, send an invitation as JSON."))
        return
      }
      Self.prompt.async { [self] in
        responder.respond(admit(asked, as: member, request))
      }
    }
  }

  private func tooManyJoins(_ request: HTTPRequest) -> HTTPResponse {
    note(.limited, ["what": "joins"], request)
    return .error(429, "Too many people are joining from your network. Try again in ten minutes.")
      .with("Retry-After", "600")
  }

  /// `member` is as whom somebody is counted who is in a space already.
  private func admit(
    _ asked: JoinRequest, as member: String?, _ request: HTTPRequest
  ) -> HTTPResponse {
    let isReplica = asked.replica ?? false
    do {
      let space = try spaces.inviting(asked.invite) ?? spaces.first
      if let member {
        let now = Date().timeIntervalSince1970
        guard joinsAgain.withLock({ $0.allows("\(member) \(space.id)", now: now) }) else {
          return tooManyJoins(request)
        }
      }
      let shown = token(of: request)
      let standing = shown.map(space.access.standing) ?? .unknown
      let who = known(standing, in: space, by: shown, isReplica: isReplica)
      let (token, device) = try space.access.join(
        secret: asked.invite, as: who.device, isReplica: isReplica, showing: who.token,
        number: isReplica ? asked.device.flatMap { UInt64($0, radix: 16) } : nil)
      note(
        .joined,
        [
          "device": name(of: device), "role": device.role.rawValue,
          "as": isReplica ? "replica" : "browser", "space": space.id.description,
        ], request)
      try persons?.share(space, of: token)
      var fields = facts(device, in: space)
      guard isReplica else {
        // It is somebody new: what it wrote before is not its own.
        if standing == .putOut { fields["before"] = .text("put-out") }
        return HTTPResponse.json(200, fields)
          .with("Set-Cookie", cookie(for: request).keeping(token))
      }
      fields["token"] = .text(token)
      var spaces = [JSONValue.text(space.id.description)]
      if device.role == .admin { spaces.append(.text(space.access.space.description)) }
      fields["spaces"] = .list(spaces)
      return .json(200, fields)
    } catch {
      if let refusal = error as? Access.Refusal {
        note(.refused, ["why": "link", "status": "\(refusal.status)"], request)
      }
      return failure(error)
    }
  }

  /// As whom somebody joins a space that shows a token of this server, and whether it keeps that.
  ///
  /// A browser that was here gets another where that opens nothing else. A program has one for all spaces,
  /// and so has a browser that is in others too: the token that it has is the one that these know.
  private func known(
    _ standing: MemberTable.Standing, in space: ServedSpace, by token: String?, isReplica: Bool
  ) -> (device: Access.Device?, token: String?) {
    switch standing {
    case .member(let device), .lapsed(let device):
      guard device.isReplica == isReplica else { return (nil, nil) }
      let opened = token.map(spaces.roles(of:)) ?? []
      return (device, isReplica || opened.contains { $0.space.id != space.id } ? token : nil)
    // A device that was removed comes as somebody new.
    case .putOut, .removed: return (nil, nil)
    case .unknown:
      let device = token.flatMap { spaces.roles(of: $0).first?.device }
      guard let device, device.isReplica == isReplica else { return (nil, nil) }
      return (device, token)
    }
  }

  // MARK: The host

  func guestsLink(_ request: HTTPRequest) throws -> HTTPResponse {
    guard let renew = configuration.renewInvitation else {
      return .error(404, "This server has no guests' link. Make a link with reunion invite.")
    }
    try renew()
    note(.replaced, ["links": "guests"], request)
    return invite(request)
  }

  /// Ends the membership behind this browser's cookie, or a program's token. What the browser keeps of
  /// the space's pictures goes, too, where it knows the header (a secure context).
  func signOut(_ request: HTTPRequest, of space: ServedSpace) throws -> HTTPResponse {
    if let token = token(of: request) {
      let device = space.access.device(token: token)
      try space.access.signOut(token: token)
      note(.left, ["device": name(of: device)], request)
    }
    // The token may open other spaces.
    if let token = token(of: request), !spaces.roles(of: token).isEmpty { return HTTPResponse(204) }
    return HTTPResponse(204)
      .with("Set-Cookie", cookie(for: request).forgetting)
      .with("Clear-Site-Data", "\"cache\"")
  }

  private struct LinkRequest: Decodable {
    var uses: Int?
  }

  /// A new owner's link, for a day; with `uses` of 1 for one device.
  func ownerLink(_ request: HTTPRequest, to space: ServedSpace) -> HTTPAnswer {
    .collect(limitBytes: 256) { [self] body, responder in
      let asked =
        body.isEmpty ? LinkRequest() : try? JSONDecoder().decode(LinkRequest.self, from: Data(body))
      guard let asked, asked.uses == nil || asked.uses == 1 else {
        return responder.respond(
          .error(400, "A link is for one device or for any number: send uses of 1, or none."))
      }
      perform(responder) { [self] in
        let secret = try space.access.renewOwnerLink(isForOne: asked.uses == 1)
        note(.replaced, ["links": "owner"], request)
        return .json(200, ["url": .text(origin(for: request).link(secret))])
      }
    }
  }

  func devices(of space: ServedSpace) throws -> HTTPResponse {
    let persons = try persons?.tags(in: space) ?? [:]
    let devices = space.access.devices().map { device in
      var fields: [String: JSONValue] = [
        "device": .text(Access.text(of: device.number)), "role": .text(device.role.rawValue),
        "replica": .bool(device.isReplica),
        "joinedAt": .number(Int64(device.joined.timeIntervalSince1970 * 1000)),
      ]
      fields["person"] = persons[device.number].map { .text($0) }
      return JSONValue.object(fields)
    }
    return .json(200, ["devices": .list(devices)])
  }

  /// Puts a device out. With `replacesLink`, the guests' link first: it would be in again by that at once.
  func remove(
    _ text: String, from space: ServedSpace, replacesLink: Bool, _ request: HTTPRequest
  ) throws -> HTTPResponse {
    guard let device = Access.device(text),
      space.access.devices().contains(where: { $0.number == device })
    else { return .error(404, "No such device has joined. Look at the list of those that have.") }
    if replacesLink, let renew = configuration.renewInvitation {
      try renew()
      note(.replaced, ["links": "guests"], request)
    }
    try space.access.remove(device: device)
    note(.putOut, ["device": text.lowercased()], request)
    return HTTPResponse(204)
  }
}
