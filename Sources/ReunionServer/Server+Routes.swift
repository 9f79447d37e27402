import Foundation
import ReunionCore
import ReunionFlow
import ReunionStore

extension Server {
  /// Decides about a request; `docs/protocol.md` §3. Who may ask for what stands in `Route`.
  func answer(_ asked: HTTPRequest) -> HTTPAnswer {
    var request = asked
    request.remoteAddress = configuration.proxies.client(of: asked)
    if let refusal = requestGuard.refusal(of: request) {
      note(.refused, ["why": "origin"], request)
      return .respond(.error(403, refusal))
    }
    let route = Route(request.method, request.path.components)
    let token = token(of: request)
    let (space, standing) = place(of: request, token)
    var device: Access.Device?
    if case .member(let member) = standing { device = member }
    if let token, route.row.least != nil, let refusal = refusal(space, standing, token) {
      note(.refused, ["why": "space", "route": "\(route)"], request)
      return .respond(refusal)
    }
    if let refusal = route.refusal(for: device?.role) {
      // A page asks whether it has joined; that is no news.
      if route != .session || device != nil {
        note(.refused, ["why": "role", "route": "\(route)", "device": name(of: device)], request)
      }
      return .respond(Self.refusal(of: standing) ?? refusal)
    }
    if let device, let token, let space {
      guard (device.role >= .edit && !space.isOwn) || mayAsk(device) else {
        note(.limited, ["what": "requests", "device": name(of: device)], request)
        return .respond(
          .error(429, "This device asks too often. Wait a minute, then try again.")
            .with("Retry-After", "60"))
      }
      space.access.use(token: token)
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
      ? .error(404, "This server does not serve that space.")
      : .error(403, "This device has no role in that space. Open an invitation to it.")
  }

  /// Whether a guest's device has requests left in this minute.
  private func mayAsk(_ device: Access.Device) -> Bool {
    let now = Date().timeIntervalSince1970
    return requests.withLock { $0.allows(Self.text(of: device.number), now: now) }
  }

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
    case .beginUpload:
      // What a person's own space holds nobody has to like: it is counted as a guest's.
      let sender = space.isOwn ? device.with(role: .add) : device
      return uploads.begin(request, by: sender, in: space)
    case .upload: return uploads.go(on: request, id: last, by: device)
    case .blob: return blob(request, last, device, in: space)
    case .rendition: return rendition(request, request.path.components.dropFirst(), device)
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

  /// `DELETE /records/ENTITY/ID`: deletes a record for good, with the bytes that it alone names.
  private func erase(
    _ id: String, of name: String, in space: ServedSpace, _ request: HTTPRequest
  ) throws -> HTTPResponse {
    guard let entity = store.model.entities.first(where: { $0.name == name }),
      let record = RecordID(id),
      try store.erase(entity: entity.number, record, in: space.id, keeps: space.access.hasSent)
    else {
      return .error(404, "There is no such record: it may have been deleted for good before.")
    }
    note(.erased, ["record": record.description], request)
    return HTTPResponse(204)
  }

  func note(
    _ event: SecurityLog.Event, _ fields: KeyValuePairs<String, String>, _ request: HTTPRequest
  ) {
    configuration.log?.note(event, fields, from: request.remoteAddress)
  }

  func name(of device: Access.Device?) -> String {
    device.map { Self.text(of: $0.number) } ?? "none"
  }

  // MARK: What is asked

  /// Whether the server is well; what it holds is told to the host alone.
  private func health(of device: Access.Device?) -> HTTPAnswer {
    .later { [self] responder in
      DispatchQueue.global().async { [self] in
        var fields: [String: JSONValue] = ["version": .text(configuration.version)]
        do {
          let counts = try store.counts()
          fields["status"] = .text("ok")
          if device?.role == .admin {
            fields["records"] = .number(Int64(counts.records))
            fields["blobs"] = .number(Int64(counts.blobs))
            fields["replicas"] = .number(Int64(replicaCount))
            if let walls = configuration.sandbox {
              fields["sandbox"] = .object(walls.mapValues { .bool($0) })
            }
          }
          responder.respond(.json(200, fields))
        } catch {
          configuration.log?.note(.damaged, ["what": "store"])
          fields["status"] = .text("failing")
          if device?.role == .admin { fields["error"] = .text("\(error)") }
          responder.respond(.json(503, fields))
        }
      }
    }
  }

  private func modelFields() -> [String: JSONValue] {
    let entities = store.model.entities.map { entity in
      JSONValue.object([
        "number": .number(Int64(entity.number)), "name": .text(entity.name),
        "fields": .list(
          entity.fields.map { field in
            var fields: [String: JSONValue] = [
              "number": .number(Int64(field.number)), "name": .text(field.name),
              "kind": .number(Int64(field.kind.rawValue)),
            ]
            fields["bytesMax"] = field.bytesMax.map { .number(Int64($0)) }
            return .object(fields)
          }),
      ])
    }
    return ["entities": .list(entities)]
  }

  private func sync(
    _ request: HTTPRequest, by device: Access.Device, in space: ServedSpace
  ) -> HTTPAnswer {
    let asked = request.path.query("space").flatMap { SpaceID($0) } ?? space.id
    guard asked == space.id || device.role == .admin else {
      return .respond(.error(403, "This device may not sync that space."))
    }
    guard request.bearer != nil || request.header("Origin") != nil else {
      return .respond(.error(403, "A browser must say which page asks."))
    }
    guard relay.sessionCount(of: device.number, in: space.id) < Relay.sessionsMax else {
      note(.limited, ["what": "sessions", "device": name(of: device)], request)
      return .respond(
        .error(429, "This device is connected too often already. Close some of its pages."))
    }
    return .webSocket { [self] connection in
      relay.welcome(device, to: asked, of: space, over: connection)
    }
  }

  func invite(_ request: HTTPRequest) -> HTTPResponse {
    let invitation = configuration.invitation(origin(for: request))
    return .json(200, ["url": .text(invitation.url), "svg": .text(invitation.svg)])
  }

  /// A change of who may enter, away from the loop: it may wait for the disk.
  func change(_ act: @escaping @Sendable () throws -> HTTPResponse) -> HTTPAnswer {
    .later { self.perform($0, act) }
  }

  func perform(
    _ responder: HTTPResponder, _ act: @escaping @Sendable () throws -> HTTPResponse
  ) {
    DispatchQueue.global().async {
      do {
        responder.respond(try act())
      } catch let error as StoreError {
        responder.respond(.error(error.code == .diskFull ? 507 : 500, error.description))
      } catch {
        responder.respond(.error(500, "\(error)"))
      }
    }
  }

  /// Where links lead that are handed on.
  func origin(for request: HTTPRequest) -> Origin {
    configuration.shareable(HostAddress(request.header("Host") ?? "localhost"))
  }

  /// Whether a device may have a blob. Of several spaces nobody has what another one alone names.
  private func mayRead(_ hash: BlobHash, _ device: Access.Device, in space: ServedSpace) -> Bool {
    if spaces.all.count > 1 {
      let named = try? store.blobs.byteCountNamed(of: hash, in: space.id)
      guard named ?? 0 > 0 else { return false }
    }
    return device.role >= configuration.blobRole || configuration.mayRead(hash)
  }

  private func blob(
    _ request: HTTPRequest, _ name: String, _ device: Access.Device, in space: ServedSpace
  ) -> HTTPAnswer {
    guard let hash = BlobHash(name) else { return .respond(.error(404, "There is no such blob.")) }
    let contentType = "application/octet-stream"
    let saveAs = request.path.query("name")
    return .later { [self] responder in
      DispatchQueue.global().async { [self] in
        guard mayRead(hash, device, in: space) else {
          responder.respond(.error(403, "Originals are for the host alone."))
          return
        }
        let wasHere = (try? store.blobs.contains(hash)) == true
        // Bytes are verified on their first read; a damaged blob counts as missing.
        do {
          try store.blobs.verify(hash)
        } catch {
          if wasHere {
            configuration.log?.note(.damaged, ["blob": hash.description])
          }
          responder.respond(.error(404, "The blob has not arrived yet."))
          return
        }
        let path = store.blobs.path(of: hash)
        responder.respond(
          FileResponse(
            path: path, contentType: Self.pictureType(of: path) ?? contentType,
            entityTag: EntityTag(hash.description), cacheControl: Self.aDay,
            attachmentName: saveAs, headers: Self.sandbox))
      }
    }
  }

  /// The media type of a file that is a picture: nothing else is shown in a page.
  private static func pictureType(of path: String) -> String? {
    guard let file = FileHandle(forReadingAtPath: path) else { return nil }
    defer { try? file.close() }
    let head = try? file.read(upToCount: MediaType.headBytes)
    return MediaType(head: head ?? Data()).flatMap { $0.isPicture ? $0.rawValue : nil }
  }

  private func rendition(
    _ request: HTTPRequest, _ parts: ArraySlice<String>, _ device: Access.Device
  ) -> HTTPAnswer {
    guard let rendition = Rendition(path: parts) else {
      return .respond(.error(404, "There is no such rendition."))
    }
    guard device.role == .admin || rendition.size != .full else {
      return .respond(.error(403, "The full size is for the host alone."))
    }
    let saveAs = request.path.query("name")
    return .later { [self] responder in
      Task { [self] in
        do {
          guard let path = try await configuration.rendition(rendition) else {
            responder.respond(.error(404, "This has not arrived yet, or is not shown any more."))
            return
          }
          responder.respond(
            FileResponse(
              path: path, contentType: "image/jpeg",
              entityTag: EntityTag("\(rendition)"), cacheControl: Self.aDay,
              attachmentName: saveAs, headers: Self.sandbox))
        } catch let error as UploadError {
          if error.status == 429 { note(.limited, ["what": "renditions"], request) }
          responder.respond(.error(error.status, error.description))
        } catch {
          responder.respond(.error(500, "\(error)"))
        }
      }
    }
  }

  /// A day: whoever is put out keeps no pictures for long. After it the ETag saves their bytes.
  private static let aDay = "private, max-age=86400"
  /// What came from people is shown as a picture or not at all.
  private static let sandbox: HTTPHeaders = [
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "Cross-Origin-Resource-Policy": "same-origin",
  ]
}
