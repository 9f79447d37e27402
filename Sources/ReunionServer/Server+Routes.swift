import Foundation
import ReunionCore
import ReunionStore

extension Server {
  /// Decides about a request; `docs/protocol.md` §3.
  func answer(_ request: HTTPRequest) -> HTTPAnswer {
    if let refusal = requestGuard.refusal(of: request) { return .respond(.error(403, refusal)) }
    let parts = request.path.components
    switch (request.method, parts.first ?? "", parts.count) {
    case (.get, "health", 1), (.head, "health", 1): return health()
    case (.post, "join", 1): return join(request)
    case (.post, "join", 2) where parts[1] == "picture": return joinByPicture(request)
    case (.get, "session", 1): return entered(request) { .respond(.json(200, self.facts($0))) }
    case (.get, "model.json", 1): return .respond(.json(200, modelFields()))
    case (.get, "sync", 1): return sync(request)
    case (.get, "invite", 1): return entered(request) { _ in self.invite(request) }
    case (.post, "owner-link", 1): return host(request) { try self.ownerLink(request) }
    case (.get, "devices", 1): return host(request) { try self.devices() }
    case (.delete, "devices", 2): return host(request) { try self.remove(parts[1]) }
    case (.post, "uploads", 1): return entered(request) { self.uploads.begin(request, by: $0) }
    case (_, "uploads", 2):
      return entered(request) { self.uploads.go(on: request, id: parts[1], by: $0) }
    case (.get, "blobs", 2), (.head, "blobs", 2):
      return entered(request) { self.blob(request, parts[1], $0) }
    case (.get, "renditions", 3...4), (.head, "renditions", 3...4):
      return entered(request) { self.rendition(request, parts.dropFirst(), $0) }
    default:
      if let page = configuration.pages.answer(request) { return .respond(page) }
      return .respond(Pages.unknown(request))
    }
  }

  // MARK: Who asks

  private var cookieName: String { "reunion-\(space.description.prefix(8))" }

  private func device(of request: HTTPRequest) -> Access.Device? {
    if let bearer = request.bearer { return access.device(token: bearer) }
    return request.cookie(cookieName).flatMap(access.device)
  }

  private func entered(
    _ request: HTTPRequest, _ then: (Access.Device) -> HTTPAnswer
  ) -> HTTPAnswer {
    guard let device = device(of: request) else {
      return .respond(.error(401, "Scan the QR code, or open the link that the host gave you."))
    }
    return then(device)
  }

  private func facts(_ device: Access.Device) -> [String: JSONValue] {
    [
      "space": .text(space.description), "role": .text(device.role.rawValue),
      "device": .text(Self.text(of: device.number)),
      "name": .text(configuration.name()),
    ]
  }

  private struct JoinRequest: Decodable {
    var invite: String
    var replica: Bool?
  }

  private func join(_ request: HTTPRequest) -> HTTPAnswer {
    let known = device(of: request)
    return .collect(limitBytes: 4096) { [self] body, responder in
      guard let asked = try? JSONDecoder().decode(JoinRequest.self, from: Data(body)) else {
        responder.respond(.error(400, "To join, send an invitation."))
        return
      }
      DispatchQueue.global().async { [self] in
        responder.respond(admit(asked, known: known))
      }
    }
  }

  private func admit(_ asked: JoinRequest, known: Access.Device?) -> HTTPResponse {
    let isReplica = asked.replica ?? false
    do {
      let (token, device) = try access.join(
        secret: asked.invite, as: isReplica ? nil : known, isReplica: isReplica)
      var fields = facts(device)
      guard isReplica else {
        let cookie =
          "\(cookieName)=\(token); Path=/; HttpOnly; SameSite=Strict; Max-Age=31536000"
        return HTTPResponse.json(200, fields).with("Set-Cookie", cookie)
      }
      fields["token"] = .text(token)
      var spaces = [JSONValue.text(space.description)]
      if device.role == .admin { spaces.append(.text(access.space.description)) }
      fields["spaces"] = .list(spaces)
      return .json(200, fields)
    } catch let refusal as Access.Refusal {
      return .error(refusal.status, refusal.description)
    } catch let error as StoreError {
      // Its own words name folders of the host's machine.
      return error.code == .diskFull
        ? .error(507, "The album's disk is full. Try again when its host has made room.")
        : .error(500, "The album could not write that down. Try again, or tell the host.")
    } catch {
      return .error(500, "\(error)")
    }
  }

  // MARK: What is asked

  private func health() -> HTTPAnswer {
    .later { [self] responder in
      DispatchQueue.global().async { [self] in
        do {
          let counts = try store.counts()
          responder.respond(
            .json(
              200,
              [
                "status": .text("ok"), "version": .text(configuration.version),
                "records": .number(Int64(counts.records)), "blobs": .number(Int64(counts.blobs)),
                "replicas": .number(Int64(replicaCount)),
              ]))
        } catch {
          responder.respond(.json(503, ["status": .text("failing"), "error": .text("\(error)")]))
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
            .object([
              "number": .number(Int64(field.number)), "name": .text(field.name),
              "kind": .number(Int64(field.kind.rawValue)),
            ])
          }),
      ])
    }
    return ["entities": .list(entities)]
  }

  private func sync(_ request: HTTPRequest) -> HTTPAnswer {
    entered(request) { device in
      let asked = request.path.query("space").flatMap { SpaceID($0) } ?? space
      guard asked == space || (asked == access.space && device.role == .admin) else {
        return .respond(.error(403, "This device may not sync that space."))
      }
      guard request.bearer != nil || request.header("Origin") != nil else {
        return .respond(.error(403, "A browser must say which page asks."))
      }
      return .webSocket { [self] connection in
        relay.welcome(device, to: asked, over: connection)
      }
    }
  }

  private func invite(_ request: HTTPRequest) -> HTTPAnswer {
    let invitation = configuration.invitation(address(of: request))
    return .respond(
      .json(200, ["url": .text(invitation.url), "svg": .text(invitation.svg)]))
  }

  /// What only the host may do, away from the loop: it may wait for the disk.
  private func host(
    _ request: HTTPRequest, _ act: @escaping @Sendable () throws -> HTTPResponse
  ) -> HTTPAnswer {
    entered(request) { device in
      guard device.role == .admin else {
        return .respond(.error(403, "Only the host can do this."))
      }
      return .later { responder in
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
    }
  }

  private func ownerLink(_ request: HTTPRequest) throws -> HTTPResponse {
    try access.revokeInvitations(.admin)
    let secret = try access.invite(.admin, byteCount: 32)
    return .json(200, ["url": .text("http://\(address(of: request))/#join=\(secret)")])
  }

  /// The address for links to hand on.
  private func address(of request: HTTPRequest) -> HostAddress {
    configuration.shareable(HostAddress(request.header("Host") ?? "localhost"))
  }

  private func devices() throws -> HTTPResponse {
    let devices = access.devices().map { device in
      JSONValue.object([
        "device": .text(Self.text(of: device.number)), "role": .text(device.role.rawValue),
        "replica": .bool(device.isReplica),
        "joinedAt": .number(Int64(device.joined.timeIntervalSince1970 * 1000)),
      ])
    }
    return .json(200, ["devices": .list(devices)])
  }

  private func remove(_ name: String) throws -> HTTPResponse {
    guard name.count == 16, let device = UInt64(name, radix: 16),
      try access.remove(device: device)
    else { return .error(404, "No such device is in the album.") }
    return HTTPResponse(204)
  }

  private static func text(of device: UInt64) -> String {
    Hexadecimal.text(Site(device: device, incarnation: 0).bytes.prefix(8))
  }

  private func blob(
    _ request: HTTPRequest, _ name: String, _ device: Access.Device
  ) -> HTTPAnswer {
    guard let hash = BlobHash(name) else { return .respond(.error(404, "There is no such blob.")) }
    guard device.role == .admin || configuration.mayRead(hash) else {
      return .respond(.error(403, "Originals are for the host alone."))
    }
    let contentType = "application/octet-stream"
    let saveAs = request.path.query("name")
    return .later { [self] responder in
      DispatchQueue.global().async { [self] in
        // Bytes are verified on their first read; a damaged blob counts as missing.
        do {
          try store.blobs.verify(hash)
        } catch {
          responder.respond(.error(404, "The blob has not arrived yet."))
          return
        }
        let path = store.blobs.path(of: hash)
        responder.respond(
          FileResponse(
            path: path, contentType: Self.pictureType(of: path) ?? contentType,
            entityTag: EntityTag(hash.description), cacheControl: Self.immutable,
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
              entityTag: EntityTag("\(rendition)"), cacheControl: Self.immutable,
              attachmentName: saveAs, headers: Self.sandbox))
        } catch let error as UploadError {
          responder.respond(.error(error.status, error.description))
        } catch {
          responder.respond(.error(500, "\(error)"))
        }
      }
    }
  }

  private static let immutable = "private, max-age=31536000, immutable"
  /// What came from people is shown as a picture or not at all.
  private static let sandbox: HTTPHeaders = [
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "Cross-Origin-Resource-Policy": "same-origin",
  ]
}
