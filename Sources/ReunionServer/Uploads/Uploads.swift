import Dispatch
import Foundation
import ReunionCore
import ReunionFlow
import ReunionStore
import ReunionSync

/// Resumable uploads over HTTP, which become blobs when they are whole and checked.
///
/// Source: IETF draft-ietf-httpbis-resumable-upload; `docs/protocol.md` §3.3.
final class Uploads: Sendable {
  private let beginnings = DispatchQueue(label: "reunion.uploads")
  private let folder: UploadFolder
  private let store: Store
  private let spaces: ServedSpaces
  private let rules: UploadRules
  private let tell: @Sendable (String) -> Void
  private let arrived: @Sendable (BlobHash, SpaceID) -> Void
  private let clock: any FlowClock
  private let write: Session.Executor
  private let lives = Lock<[String: Life]>([:])

  /// An upload's machine, the hash of its bytes, and who waits for its answer.
  private struct Life {
    let machine: StateMachine<UploadLife>
    let hash: UploadHash
    let waiting: Lock<Waiting?>
  }

  /// The sender of a part, and the way to answer it.
  private struct Waiting {
    let responder: HTTPResponder
    let sender: Sender
  }

  init(
    folder: UploadFolder, store: Store, spaces: ServedSpaces, rules: UploadRules,
    clock: any FlowClock = .system, write: @escaping Session.Executor = Uploads.queue(),
    tell: @escaping @Sendable (String) -> Void,
    arrived: @escaping @Sendable (BlobHash, SpaceID) -> Void
  ) {
    self.folder = folder
    self.spaces = spaces
    self.store = store
    self.rules = rules
    self.clock = clock
    self.write = write
    self.tell = tell
    self.arrived = arrived
    for upload in folder.all { _ = life(of: upload) }
  }

  /// A queue on which bytes are written: one for all, since they wait for one disk.
  static func queue() -> Session.Executor {
    let queue = DispatchQueue(label: "reunion.uploads.bytes")
    return { queue.async(execute: $0) }
  }

  /// `POST /uploads`: begins an upload, or says that the blob is here already: to who has sent it, or
  /// may edit. Anybody else could claim bytes of which only the hash is known.
  func begin(
    _ request: HTTPRequest, by device: Access.Device, in space: ServedSpace
  ) -> HTTPAnswer {
    guard let use = UploadUse(rawValue: request.path.query("use") ?? "original"),
      let byteCount = request.header("Upload-Length").flatMap(UInt64.init),
      let hash = request.header("Repr-Digest").flatMap(Self.hash)
    else {
      return .respond(.error(400, "An upload needs Upload-Length and Repr-Digest (sha-256)."))
    }
    guard byteCount > 0 else {
      return .respond(failure(UploadError(422, "This file is empty.")))
    }
    let limit = rules.byteCountMax(use == .original)
    guard byteCount <= limit else {
      let sentence = "This file is too large: at most \(limit / 1_000) kB are allowed."
      return .respond(failure(UploadError(413, sentence)))
    }
    // A store that cannot say takes the upload, and finds the twin when it is whole.
    let known = try? space.access.delivery(of: hash, as: use, by: device.number)
    if known != nil || device.role >= .edit,
      (try? store.blobs.contains(hash, of: space.id)) == true
    {
      let sender = Sender(device.number, from: request.remoteAddress)
      return .later { [self] responder in
        let waiting = Waiting(responder: responder, sender: sender)
        finish(hash, use, in: space, waiting) { [self] in
          // What has rotted on the disk since is not acknowledged: it is put away and sent again.
          try store.blobs.verify(hash)
          // The record that names it may come a while later.
          _ = try store.blobs.retain(hash, in: space.id)
          return (store.blobs.path(of: hash), try store.blobs.byteCount(of: hash), {})
        }
      }
    }
    // Away from the loop, since it waits for the disk; one after another, so that none is begun twice.
    return .later { [self] responder in
      beginnings.async { [self] in
        responder.respond(started(hash, byteCount, use, by: device, in: space))
      }
    }
  }

  private func started(
    _ hash: BlobHash, _ byteCount: UInt64, _ use: UploadUse, by device: Access.Device,
    in space: ServedSpace
  ) -> HTTPResponse {
    let upload = Upload(
      id: Secret.make(byteCount: 16), hash: hash.description, byteCount: byteCount, use: use,
      device: device.number, space: space.id.description, began: Date().timeIntervalSince1970)
    do {
      let begun = try folder.begin(
        upload, countedAs: device.role < .edit ? space.guest(device) : nil)
      _ = life(of: begun)
      return HTTPResponse(
        201,
        headers: [
          "Location": "/uploads/\(begun.id)", "Upload-Complete": "?0",
          "Upload-Offset": "\(folder.offset(of: begun.id))",
        ])
    } catch {
      return failure(error is UploadError ? error : UploadError.cannotWrite(error.posixCode ?? EIO))
    }
  }

  private func failure(_ error: any Error) -> HTTPResponse { .failure(error, tell: tell) }

  /// `HEAD`, `PATCH` and `DELETE` of `/uploads/ID`.
  func go(
    on request: HTTPRequest, id: String, by device: Access.Device, in space: ServedSpace,
    token: String? = nil
  ) -> HTTPAnswer {
    guard let upload = folder.find(id), isSender(of: upload, device, space, token) else {
      return .respond(failure(UploadError.unknown))
    }
    switch request.method {
    case .head:
      return .respond(
        HTTPResponse(
          204,
          headers: [
            "Upload-Offset": "\(folder.offset(of: id))", "Upload-Complete": "?0",
            "Upload-Length": "\(upload.byteCount)", "Cache-Control": "no-store",
          ]))
    case .patch: return append(request, to: upload)
    case .delete:
      life(of: upload).machine.offer(.cancel)
      return .respond(HTTPResponse(204))
    default: return .respond(.error(405, "An upload takes HEAD, PATCH and DELETE."))
    }
  }

  /// Whether an upload is a device's: it began it in the space that is asked about, or has its number by the
  /// same token in the space in which it began.
  private func isSender(
    of upload: Upload, _ device: Access.Device, _ asked: ServedSpace, _ token: String?
  ) -> Bool {
    let space = space(of: upload)
    if space.id == asked.id { return device.number == upload.device }
    return token.flatMap { space.access.device(token: $0) }?.number == upload.device
  }

  private func append(_ request: HTTPRequest, to upload: Upload) -> HTTPAnswer {
    guard let offset = request.header("Upload-Offset").flatMap(UInt64.init) else {
      return .respond(.error(400, "To go on with an upload, send Upload-Offset."))
    }
    let life = life(of: upload)
    do {
      try life.machine.send(.append(at: offset))
    } catch {
      let (held, sentence) =
        switch error.from as? UploadLife.State {
        case .waiting(let held): (held, "The upload goes on at byte \(held).")
        case .checking: (folder.offset(of: upload.id), "All of it is here, and is being checked.")
        default:
          (
            folder.offset(of: upload.id),
            "This upload is already going on over another connection."
          )
        }
      return .respond(HTTPResponse.error(409, sentence).with("Upload-Offset", "\(held)"))
    }
    let receiver = UploadReceiver(
      to: .init(
        path: folder.path(upload.id), offset: offset, limit: upload.byteCount, hash: life.hash),
      on: write, tell: tell,
      release: { [folder] in
        life.machine.offer(.brokenOff(held: folder.offset(of: upload.id)))
      }
    ) { [folder] responder in
      let sender = Sender(upload.device, from: request.remoteAddress)
      life.waiting.withLock { $0 = Waiting(responder: responder, sender: sender) }
      let held = folder.offset(of: upload.id)
      life.machine.offer(.received(held: held, of: upload.byteCount))
    }
    let rest = upload.byteCount - offset
    return .receive(receiver, limitBytes: rest, within: HTTPAnswer.patience(for: rest))
  }

  /// The machine of an upload, which begins with the bytes that are on disk.
  private func life(of upload: Upload) -> Life {
    lives.withLock { lives in
      if let life = lives[upload.id] { return life }
      let hash = UploadHash()
      let waiting = Lock<Waiting?>(nil)
      let machine = StateMachine<UploadLife>(
        .waiting(held: folder.offset(of: upload.id)), clock: clock
      ) { [weak self] effect, machine in
        self?.perform(effect, for: upload, machine, hash, waiting.withLock { $0.take() })
      }
      UploadTrace.current?.record(machine)
      let life = Life(machine: machine, hash: hash, waiting: waiting)
      lives[upload.id] = life
      return life
    }
  }

  private func perform(
    _ effect: UploadLife.Effect, for upload: Upload, _ machine: StateMachine<UploadLife>,
    _ running: UploadHash, _ waiting: Waiting?
  ) {
    switch effect {
    case .acknowledge(let held):
      waiting?.responder.respond(
        HTTPResponse(204, headers: ["Upload-Offset": "\(held)", "Upload-Complete": "?0"]))
    case .disown: waiting?.responder.respond(failure(UploadError.unknown))
    case .check:
      guard let waiting, let hash = BlobHash(upload.hash) else {
        machine.offer(.refused)
        return
      }
      let space = space(of: upload)
      finish(hash, upload.use, in: space, waiting) {
        [folder, store] in
        let path = folder.pathOfBytes(upload.id)
        guard try running.finish(path) == hash else {
          throw UploadError(409, "The file was damaged on its way. Send it again from its start.")
        }
        return (
          path, upload.byteCount,
          {
            try folder.noteWhole(upload.id)
            let blob = BlobReference(hash: hash, byteCount: upload.byteCount)
            try store.blobs.adopt(moving: folder.path(upload.id), as: blob, in: space.id)
          }
        )
      } ended: { [folder] outcome in
        // The machine may be at an event on another thread, and the answer comes next.
        if outcome != .failed { folder.forget(upload.id) }
        switch outcome {
        case .stored: machine.offer(.adopted)
        case .refused: machine.offer(.refused)
        case .failed: machine.offer(.failed(held: folder.offset(of: upload.id)))
        }
      }
    case .forget:
      folder.forget(upload.id)
      // Its files go when what came for them is written, and the loop does not wait for it.
      write { [folder] in folder.removeFiles(of: upload.id) }
      _ = lives.withLock { $0.removeValue(forKey: upload.id) }
    }
  }

  /// The space for which it was begun.
  private func space(of upload: Upload) -> ServedSpace {
    upload.space.flatMap { SpaceID($0) }.flatMap(spaces.find) ?? spaces.first
  }

  private enum Outcome { case stored, refused, failed }

  /// Bytes that are all here: where, how many, and what makes them a blob.
  private typealias Whole = (path: String, byteCount: UInt64, keep: () throws -> Void)

  /// Has the app look at whole bytes, keeps them as a blob, and only then acknowledges them; `ended` comes
  /// before the answer, so that the sender can go on at once.
  private func finish(
    _ hash: BlobHash, _ use: UploadUse, in space: ServedSpace, _ waiting: Waiting,
    whole: @escaping @Sendable () throws -> Whole,
    ended: @escaping @Sendable (Outcome) -> Void = { _ in }
  ) {
    let (responder, sender) = (waiting.responder, waiting.sender)
    Task { [self] in
      do {
        let bytes = try whole()
        let facts = try await check(bytes.path, hash, use, sender, space.access)
        try bytes.keep()
        let reference = BlobReference(hash: hash, byteCount: bytes.byteCount)
        // Before the app hears of it: it asks who has sent it.
        try space.access.note(facts, of: hash, as: use, by: sender.device)
        try await rules.stored(reference, facts, use == .original)
        ended(.stored)
        arrived(hash, space.id)
        responder.respond(.json(200, facts.json(reference)).with("Upload-Complete", "?1"))
      } catch let error as UploadError {
        ended([409, 413, 422].contains(error.status) ? .refused : .failed)
        responder.respond(failure(error))
      } catch let error as StoreError where error.code == .blobErased {
        // Nothing makes it welcome again: the phone gives it up.
        ended(.refused)
        responder.respond(
          failure(UploadError(410, "This file was erased for good here. Do not send it again.")))
      } catch {
        ended(.failed)
        let kept = (error as? StoreError).map(UploadError.cannotKeep)
        responder.respond(failure(kept ?? error))
      }
    }
  }

  /// What the bytes are: from when somebody sent the same for the same use, or by looking at them.
  private func check(
    _ path: String, _ hash: BlobHash, _ use: UploadUse, _ sender: Sender, _ access: Access
  ) async throws -> UploadFacts {
    if let known = try access.facts(of: hash, as: use) { return known }
    return try await rules.check(path, hash, use == .original, sender)
  }

  /// Reads `sha-256=:BASE64:` (RFC 9530).
  static func hash(_ header: String) -> BlobHash? {
    guard let range = header.range(of: "sha-256=:"),
      let end = header[range.upperBound...].firstIndex(of: ":"),
      let data = Data(base64Encoded: String(header[range.upperBound..<end]))
    else { return nil }
    return BlobHash(bytes: Array(data))
  }
}

extension Error {
  /// The `errno` behind a Foundation error.
  var posixCode: Int32? {
    let error = self as NSError
    if error.domain == NSPOSIXErrorDomain { return Int32(error.code) }
    if let under = error.userInfo[NSUnderlyingErrorKey] as? NSError {
      return Int32(under.code)
    }
    return (error as? CocoaError)?.code == .fileWriteOutOfSpace ? ENOSPC : nil
  }
}
