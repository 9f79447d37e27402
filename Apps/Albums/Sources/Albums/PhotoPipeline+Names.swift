import Foundation
import Reunion
import ReunionMedia
import ReunionServer

/// Which pictures are shown, by whom, and who pays for what is made of them.
extension PhotoPipeline {
  /// Whether a living photo has this original, which was not erased, with this edit. Photos with an
  /// edit have their original as well, for who edits them.
  func isShown(_ hash: BlobHash, _ edit: PictureEdit) throws -> Bool {
    try shower(of: hash, edit) != nil
  }

  /// The device by whose writing a living photo is shown with this edit; nil if none is.
  func shower(of hash: BlobHash, _ edit: PictureEdit) throws -> UInt64? {
    guard try !album.store.blobs.isErased(hash, in: album.space),
      let namer = try namer(of: hash, as: .original)
    else { return nil }
    guard edit != .original else { return namer }
    let edited = Query<Photo>(in: album.space).filter(\.edit == edit)
    let photo = try album.store.fetch(edited).first { $0.original?.hash == hash }
    return try photo.flatMap { try album.store.writer(of: \Photo.edit, $0.id, in: album.space) }
  }

  /// Whether a living photo names a blob as this, by somebody who may show it so.
  func isNamed(_ hash: BlobHash, as use: UploadUse) throws -> Bool {
    try namer(of: hash, as: use) != nil
  }

  /// A device that names a blob as this in a living photo, and may show it so.
  func namer(of hash: BlobHash, as use: UploadUse) throws -> UInt64? {
    let field: UInt32 = use == .original ? Self.originalField : Self.previewField
    return try album.store.blobs.namers(
      of: hash, by: [(entity: Photo.schema.number, field: field)], in: album.space
    ).first { try mayShow(hash, as: use, namedBy: $0) }
  }

  /// Whether nothing can be made of an original: it is kept, for who sent it and for the host.
  func isOnlyKept(_ hash: BlobHash) throws -> Bool {
    try album.access.facts(of: hash, as: .original)?.isShown == false
  }

  /// Whether a device may have an original as a file, and nobody as a picture: the host, and who has a
  /// living photo of it.
  func mayOnlySave(_ hash: BlobHash, _ device: Access.Device) -> Bool {
    guard (try? isOnlyKept(hash)) == true else { return false }
    if device.role == .admin { return true }
    guard (try? album.store.blobs.isErased(hash, in: album.space)) == false,
      let namers = try? album.store.blobs.namers(
        of: hash, by: [(entity: Photo.schema.number, field: Self.originalField)], in: album.space)
    else { return false }
    return namers.contains(device.number)
      && (try? mayShow(hash, as: .original, namedBy: device.number)) == true
  }

  /// Whether the photo's original may be shown by who named it.
  func isSent(_ photo: Photo) throws -> Bool {
    guard let original = photo.original,
      let device = try album.store.writer(of: \Photo.original, photo.id, in: album.space)
    else { return false }
    return try mayShow(original.hash, as: .original, namedBy: device)
  }

  private static let (originalField, previewField): (UInt32, UInt32) = (1, 2)

  /// Counts a picture that a guest makes the server decode without sending it.
  func charge(_ hash: BlobHash, to device: UInt64) throws {
    guard album.access.isGuest(device) else { return }
    // What a guest has sent is known; else it is the most that a picture may have.
    let pixels = try album.access.facts(of: hash, as: .original).map { $0.width * $0.height }
    guard rendering.charge(pixels ?? ImageLimits().pixelsMax, to: device) else {
      throw UploadError(
        429, "One guest has changed very many photos within an hour. This one is shown after it.")
    }
  }

  private func mayShow(
    _ hash: BlobHash, as use: UploadUse, namedBy device: UInt64
  ) throws -> Bool {
    try album.access.mayShow(hash, as: use, namedBy: device) {
      let number = Photo.schema.number
      return try album.store.blobs.namers(
        of: hash, by: [(number, Self.originalField), (number, Self.previewField)],
        in: album.space, orDeleted: true)
    }
  }
}
