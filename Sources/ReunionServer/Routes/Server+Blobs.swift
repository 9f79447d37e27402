import Foundation
import ReunionCore
import ReunionStore

/// Blobs, for who may have them.
extension Server {
  /// Whether a device may have a blob. Of several spaces nobody has what another one alone names.
  private func mayRead(_ hash: BlobHash, _ device: Access.Device, in space: ServedSpace) -> Bool {
    if spaces.all.count > 1 {
      let named = try? store.blobs.byteCountNamed(of: hash, in: space.id)
      guard named ?? 0 > 0 else { return false }
    }
    return device.role >= configuration.blobRole || configuration.mayRead(hash)
      || configuration.mayOnlySave(hash, device)
  }

  func blob(
    _ request: HTTPRequest, _ name: String, _ device: Access.Device, in space: ServedSpace
  ) -> HTTPAnswer {
    guard let hash = BlobHash(name) else {
      return .respond(.error(404, "There is no such blob. Ask by its SHA-256 in hexadecimal."))
    }
    let saveAs = request.path.query("name")
    return .later { [self] responder in
      DispatchQueue.global().async { [self] in
        guard mayRead(hash, device, in: space) else {
          responder.respond(
            .error(403, "Only the host may have originals. Ask the host for this one."))
          return
        }
        guard (try? store.blobs.isErased(hash, in: space.id)) == false else {
          responder.respond(.error(404, "This file was erased for good here."))
          return
        }
        let wasHere = (try? store.blobs.isNoted(hash)) == true
        // Bytes are verified on their first read; a damaged blob counts as missing.
        do {
          try store.blobs.verify(hash)
        } catch {
          if wasHere {
            configuration.log?.note(.damaged, ["blob": hash.description])
          }
          responder.respond(.error(404, "The blob has not arrived yet. Ask again later."))
          return
        }
        let path = store.blobs.path(of: hash)
        let isSaved = configuration.mayOnlySave(hash, device)
        let type = isSaved ? nil : Self.pictureType(of: path)
        responder.respond(
          .ofPeople(
            path: path, contentType: type ?? "application/octet-stream",
            entityTag: EntityTag(hash.description),
            attachmentName: saveAs ?? (isSaved ? "file" : nil)))
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
}
