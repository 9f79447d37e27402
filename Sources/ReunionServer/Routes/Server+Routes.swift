import Foundation
import ReunionCore
import ReunionFlow
import ReunionStore

extension Server {
  /// Decides about a request; `docs/protocol.md` §3. `Route` says who may ask for what.
  package func answer(_ asked: HTTPRequest) -> HTTPAnswer {
    var request = asked
    request.remoteAddress = configuration.proxies.client(of: asked)
    if let refusal = requestGuard.refusal(of: request) {
      note(.refused, ["why": "origin"], request)
      return .respond(.error(403, refusal))
    }
    let route = Route(request.method, request.path.components)
    let ofApp = route == .pages ? appRoute(request) : nil
    let row = ofApp?.row ?? route.row
    let name = ofApp.map { $0.row.paths.joined(separator: " ") } ?? "\(route)"
    let token = token(of: request)
    let (space, standing) = place(of: request, token)
    var device: Access.Device?
    if case .member(let member) = standing { device = member }
    if let token, row.least != nil, let refusal = refusal(space, standing, token) {
      note(.refused, ["why": "space", "route": name], request)
      return .respond(refusal)
    }
    if let refusal = row.refusal(for: device?.role) {
      // A page asks whether it has joined; that is no news.
      if route != .session || device != nil {
        note(.refused, ["why": "role", "route": name, "device": self.name(of: device)], request)
      }
      return .respond(Self.refusal(of: standing) ?? refusal)
    }
    if let device, let token, let space {
      guard (device.role >= .edit && !space.isOwn) || mayAsk(token, device) else {
        note(.limited, ["what": "requests", "device": self.name(of: device)], request)
        return .respond(
          .error(429, "This device asks too often. Wait a minute, then try again.")
            .with("Retry-After", "60"))
      }
      space.access.use(token: token)
      if let ofApp { return answer(ofApp, request, by: device, in: space) }
      return answer(route, request, by: device, in: space)
    }
    return answerStranger(route, request)
  }

  /// The space that a request is about, and how its token stands there: the one that it names; else the
  /// first one, or the first in which the token opens anything. Nil for one that is not served.
  private func place(
    of request: HTTPRequest, _ token: String?
  ) -> (space: ServedSpace?, standing: MemberTable.Standing) {
    if let name = request.path.query("space") {
      guard let space = SpaceID(name).flatMap(spaces.find) else { return (nil, .unknown) }
      return (space, token.map(space.access.standing) ?? .unknown)
    }
    let first = spaces.first
    let standing = token.map(first.access.standing) ?? .unknown
    guard standing == .unknown, let token, let other = spaces.roles(of: token).first else {
      return (first, standing)
    }
    return (other.space, .member(other.device))
  }

  /// Why somebody who has joined a space of this server is refused another; nil where that is not so.
  private func refusal(
    _ space: ServedSpace?, _ standing: MemberTable.Standing, _ token: String
  ) -> HTTPResponse? {
    guard standing == .unknown, !spaces.roles(of: token).isEmpty else { return nil }
    return space == nil
      ? .error(404, "This server does not serve that space. Open an invitation to one of its own.")
      : .error(403, "This device has no role in that space. Open an invitation to it.")
  }

  /// Whether a guest's device has requests left in this minute.
  private func mayAsk(_ token: String, _ device: Access.Device) -> Bool {
    let now = Date().timeIntervalSince1970
    let isByNumber = store.options.seededBugs.limitsByNumber
    let asker = isByNumber ? name(of: device) : Self.asker(token)
    return requests.withLock { $0.allows(asker, now: now) }
  }

  /// As whom requests are counted: by what the one who asks has alone. A number somebody else may have in
  /// another space.
  static func asker(_ token: String) -> String { Hexadecimal.text(Secret.hash(token)) }

  /// What anybody may ask for.
  private func answerStranger(_ route: Route, _ request: HTTPRequest) -> HTTPAnswer {
    switch route {
    case .health: health(of: nil)
    case .join: join(request, isMember: false)
    case .joinByPicture: joinByPicture(request)
    case .pair: pair(request)
    case .model: .respond(.json(200, modelFields()))
    default: .respond(configuration.pages.answer(request) ?? Pages.unknown(request))
    }
  }

  private func answer(
    _ route: Route, _ request: HTTPRequest, by device: Access.Device, in space: ServedSpace
  ) -> HTTPAnswer {
    let last = request.path.components.last ?? ""
    switch route {
    case .health: return health(of: device)
    case .join: return join(request, isMember: true)
    case .joinByPicture, .pair, .model, .pages: return answerStranger(route, request)
    case .session: return .respond(session(request, device, in: space))
    case .signOut: return change { try self.signOut(request, of: space) }
    case .sync: return sync(request, by: device, in: space)
    case .block: return block(by: device, in: space)
    case .beginUpload:
      // What a person's own space holds nobody has to like: it is counted as a guest's.
      let sender = space.isOwn ? device.with(role: .add) : device
      return uploads.begin(request, by: sender, in: space)
    case .upload:
      return uploads.go(
        on: request, id: last, by: device, in: space, token: token(of: request))
    case .blob: return blob(request, last, device, in: space)
    case .invitation: return .respond(invite(request))
    case .ownSpace: return openOwn(request, by: device)
    case .pairingLink: return offer(request, by: device)
    case .person: return change { try self.person(request) }
    case .removeOwnDevice: return change { try self.removeOwn(last, request) }
    case .ownerLink: return ownerLink(request, to: space)
    case .guestsLink: return change { try self.guestsLink(request) }
    case .devices: return change { try self.devices(of: space) }
    case .removeDevice:
      let replacesLink = request.path.query("guests-link") == "new"
      return change {
        try self.remove(last, from: space, replacesLink: replacesLink, request)
      }
    case .eraseRecord:
      return change {
        try self.erase(last, of: request.path.components[1], in: space, request)
      }
    }
  }

  func note(
    _ event: SecurityLog.Event, _ fields: KeyValuePairs<String, String>, _ request: HTTPRequest
  ) {
    configuration.log?.note(event, fields, from: request.remoteAddress)
  }

  func name(of device: Access.Device?) -> String {
    device.map { Access.text(of: $0.number) } ?? "none"
  }

  func invite(_ request: HTTPRequest) -> HTTPResponse {
    let invitation = configuration.invitation(origin(for: request))
    return .json(200, ["url": .text(invitation.url), "svg": .text(invitation.svg)])
  }

  /// Where small work is done for which somebody waits: on other threads than those which read, write and
  /// check large files.
  static let prompt = DispatchQueue.global(qos: .userInitiated)

  /// A change of who may enter, away from the loop: it may wait for the disk.
  func change(_ act: @escaping @Sendable () throws -> HTTPResponse) -> HTTPAnswer {
    .later { self.perform($0, act) }
  }

  func perform(
    _ responder: HTTPResponder, _ act: @escaping @Sendable () throws -> HTTPResponse
  ) {
    Self.prompt.async { [self] in
      do {
        responder.respond(try act())
      } catch {
        responder.respond(failure(error))
      }
    }
  }

  /// The answer to a request that failed; the host is told what it needs to know.
  func failure(_ error: any Error) -> HTTPResponse {
    .failure(error, tell: configuration.notice)
  }

  /// Where links lead that are handed on.
  func origin(for request: HTTPRequest) -> Origin {
    configuration.shareable(HostAddress(request.header("Host") ?? "localhost"))
  }
}
