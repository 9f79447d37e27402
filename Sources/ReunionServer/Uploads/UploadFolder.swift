import Foundation
import ReunionCore
import ReunionFlow
import ReunionStore

/// The uploads that are under way, each a file of the bytes that came and a JSON file about it.
///
/// *Thread*: any. *Durability*: bytes are fsynced when the file becomes the blob, before the upload is
/// acknowledged; until then they survive the death of the process.
final class UploadFolder: Sendable {
  /// Uploads that a device may have under way at a time, in each space.
  static let perDeviceMax = 256
  /// Seconds after which an upload that nobody goes on with is thrown away.
  static let secondsMax = UploadTrace.secondsMax ?? 7 * 24 * 3600.0

  private let folder: URL
  private let uploads = Lock<[String: Upload]>([:])
  private let guests: GuestLedger
  private let blobPath: @Sendable (BlobHash) -> String?

  /// Opens a folder, and forgets what is too old or incomplete in it; files of another form than
  /// an upload's are somebody else's and stay. `blobPath` tells where the file of a blob is or will be.
  init(
    at path: String, guests: GuestLedger, now: Double,
    blobPath: @escaping @Sendable (BlobHash) -> String? = { _ in nil }
  ) throws {
    self.guests = guests
    self.blobPath = blobPath
    folder = URL(filePath: path, directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let own = try Self.ownFiles(in: folder)
    var found: [String: Upload] = [:]
    for file in own where file.pathExtension == "json" {
      if let upload = try? JSONDecoder().decode(Upload.self, from: Data(contentsOf: file)),
        upload.id == Self.id(of: file), upload.began > now - Self.secondsMax,
        own.contains(where: { $0.lastPathComponent == "\(upload.id).part" }) || isMoved(upload)
      {
        found[upload.id] = upload
      }
    }
    for file in own where found[Self.id(of: file)] == nil || file.pathExtension == "new" {
      try FileManager.default.removeItem(at: file)
    }
    uploads.withLock { [found] in $0 = found }
  }

  /// The regular files that are named as an upload's: 22 characters of base64url, then what it is.
  private static func ownFiles(in folder: URL) throws -> [URL] {
    try FileManager.default.contentsOfDirectory(
      at: folder, includingPropertiesForKeys: [.isRegularFileKey]
    ).filter { file in
      let id = id(of: file).utf8
      return ["json", "part", "new"].contains(file.pathExtension) && id.count == 22
        && id.allSatisfy(Secret.alphabet.contains)
        && (try? file.resourceValues(forKeys: [.isRegularFileKey]))?.isRegularFile == true
    }
  }

  private static func id(of file: URL) -> String {
    file.deletingPathExtension().lastPathComponent
  }

  /// Begins an upload, or finds the one that the same device began for the same blob. One call at a time.
  ///
  /// A guest's counts; any other may be as large and the many-th as it will.
  func begin(_ upload: Upload, countedAs guest: UInt64?) throws -> Upload {
    let (twin, count) = uploads.withLock { uploads in
      let own = uploads.values.filter {
        $0.device == upload.device && $0.space == upload.space
      }
      return (
        own.first { $0.hash == upload.hash && $0.use == upload.use },
        own.count
      )
    }
    if let twin { return twin }
    guard count < Self.perDeviceMax else {
      throw UploadError(429, "Too many uploads are under way. Wait until some have ended.")
    }
    if let guest { try guests.begin(byteCount: upload.byteCount, by: guest) }
    // The bytes' file first: what a killed server leaves is then known whole or not at all.
    let isPrivate = [FileAttributeKey.posixPermissions: 0o600]
    guard
      FileManager.default.createFile(
        atPath: path(upload.id), contents: nil, attributes: isPrivate)
    else { throw UploadError.cannotWrite(errno) }
    try describe(upload)
    uploads.withLock { $0[upload.id] = upload }
    return upload
  }

  /// Notes that all bytes came and are what was promised, before they are moved: an upload whose file is
  /// gone is known by that to have become a blob, and by nothing that its sender can say.
  func noteWhole(_ id: String) throws {
    guard var upload = find(id) else { throw UploadError.unknown }
    upload.isWhole = true
    // Not under the lock, for which the loop waits: this waits for the disk.
    try describe(upload)
    let isThere = uploads.withLock { [upload] in $0.updateValue(upload, forKey: id) != nil }
    guard isThere else {
      removeFiles(of: id)
      throw UploadError.unknown
    }
  }

  private func describe(_ upload: Upload) throws {
    let description = file(upload.id, "new")
    try JSONWriter.bytes(upload).write(to: description)
    guard rename(description.path, file(upload.id, "json").path) == 0 else {
      throw UploadError.cannotWrite(errno)
    }
  }

  /// All uploads that are under way.
  var all: [Upload] { uploads.withLock { Array($0.values) } }

  /// The upload with that id.
  func find(_ id: String) -> Upload? { uploads.withLock { $0[id] } }

  /// Where its bytes come.
  func path(_ id: String) -> String { file(id, "part").path }

  /// How many of its bytes have come.
  func offset(of id: String) -> UInt64 {
    if let byteCount = Self.byteCount(path(id)) { return byteCount }
    guard let upload = find(id), isMoved(upload) else { return 0 }
    return upload.byteCount
  }

  /// Where its bytes are: they were moved where a server ended between that and its answer.
  func pathOfBytes(_ id: String) -> String {
    guard let upload = find(id), isMoved(upload) else { return path(id) }
    return blobPathOf(upload) ?? path(id)
  }

  private func isMoved(_ upload: Upload) -> Bool {
    guard upload.isWhole == true, Self.byteCount(path(upload.id)) == nil else { return false }
    return blobPathOf(upload).flatMap(Self.byteCount) == upload.byteCount
  }

  private func blobPathOf(_ upload: Upload) -> String? { BlobHash(upload.hash).flatMap(blobPath) }

  private static func byteCount(_ path: String) -> UInt64? {
    var status = stat()
    return stat(path, &status) == 0 ? UInt64(status.st_size) : nil
  }

  /// Forgets an upload, and leaves its files.
  func forget(_ id: String) { _ = uploads.withLock { $0.removeValue(forKey: id) } }

  /// Deletes the files of an upload that was forgotten, where they are still there.
  func removeFiles(of id: String) {
    // Bytes without their description are swept at the next start; the reverse would stay.
    unlink(file(id, "json").path)
    unlink(path(id))
  }

  private func file(_ id: String, _ pathExtension: String) -> URL {
    folder.appending(path: "\(id).\(pathExtension)")
  }
}
