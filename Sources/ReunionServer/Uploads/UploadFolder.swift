import Foundation
import ReunionCore
import ReunionFlow
import ReunionStore
import Reunion

/// The uploads that are under way, each a file of the bytes that came and a JSON file about it.
///
/// *Thread*: any. *Durability*: bytes are in the file when `append` returns, which survives the death
/// of the process; they are fsynced when the blob is adopted, before the upload is acknowledged.
final class UploadFolder: Sendable {
  /// Uploads that a device may have under way at a time.
  static let perDeviceMax = 256
  /// Seconds after which an upload that nobody goes on with is thrown away.
  static let secondsMax = UploadTrace.secondsMax ?? 7 * 24 * 3600.0

  private let folder: URL
  private let uploads = Lock<[String: Upload]>([:])
  private let guests: GuestLedger

  /// Opens a folder, and forgets what is too old or incomplete in it; files of another form than
  /// an upload's are somebody else's and stay.
  init(at path: String, guests: GuestLedger, now: Double) throws {
    self.guests = guests
    folder = URL(filePath: path, directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let own = try Self.ownFiles(in: folder)
    var found: [String: Upload] = [:]
    for file in own where file.pathExtension == "json" {
      if let upload = try? JSONDecoder().decode(Upload.self, from: Data(contentsOf: file)),
        upload.id == Self.id(of: file), upload.began > now - Self.secondsMax,
        own.contains(where: { $0.lastPathComponent == "\(upload.id).part" })
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

  /// Begins an upload, or finds the one that the same device began for the same blob.
  ///
  /// A guest's counts; any other may be as large and the many-th as it will.
  func begin(_ upload: Upload, isGuest: Bool) throws -> Upload {
    let (twin, count) = uploads.withLock { uploads in
      let own = uploads.values.filter { $0.device == upload.device }
      return (
        own.first { $0.hash == upload.hash && $0.use == upload.use && $0.space == upload.space },
        own.count
      )
    }
    if let twin { return twin }
    guard count < Self.perDeviceMax else {
      throw UploadError(429, "Too many uploads are under way. Wait until some have ended.")
    }
    if isGuest { try guests.begin(byteCount: upload.byteCount, by: upload.device) }
    // The bytes' file first: what a killed server leaves is then known whole or not at all.
    guard FileManager.default.createFile(atPath: path(upload.id), contents: nil) else {
      throw UploadError.cannotWrite(errno)
    }
    let description = file(upload.id, "new")
    try JSONEncoder().encode(upload).write(to: description)
    guard rename(description.path, file(upload.id, "json").path) == 0 else {
      throw UploadError.cannotWrite(errno)
    }
    uploads.withLock { $0[upload.id] = upload }
    return upload
  }

  /// All uploads that are under way.
  var all: [Upload] { uploads.withLock { Array($0.values) } }

  /// The upload with that id.
  func find(_ id: String) -> Upload? { uploads.withLock { $0[id] } }

  /// Where its bytes are.
  func path(_ id: String) -> String { file(id, "part").path }

  /// How many of its bytes have come.
  func offset(of id: String) -> UInt64 {
    var status = stat()
    guard stat(path(id), &status) == 0 else { return 0 }
    return UInt64(status.st_size)
  }

  /// Forgets an upload and deletes its bytes, where they are still there.
  func remove(_ id: String) {
    _ = uploads.withLock { $0.removeValue(forKey: id) }
    // Bytes without their description are swept at the next start; the reverse would stay.
    unlink(file(id, "json").path)
    unlink(path(id))
  }

  private func file(_ id: String, _ pathExtension: String) -> URL {
    folder.appending(path: "\(id).\(pathExtension)")
  }
}

extension HTTPResponse {
  /// The answer to an upload that was refused. Where the bytes themselves are the reason, it says so
  /// as `"verdict": "refused"`: nothing else makes a phone give a photo up.
  static func refusal(_ error: UploadError) -> HTTPResponse {
    guard error.status == 413 || error.status == 422 else {
      return .error(error.status, error.description)
    }
    return .json(
      error.status, ["error": .text(error.description), "verdict": .text("refused")])
  }
}

/// Why an upload was refused: an HTTP status, and a sentence for the person who sends it.
public struct UploadError: Error, Sendable, CustomStringConvertible {
  /// The HTTP status: 413, 415, 422, 429, 507 …
  public let status: Int
  /// One sentence.
  public let description: String

  /// Makes an error.
  public init(_ status: Int, _ description: String) {
    self.status = status
    self.description = description
  }

  /// What a guest is told where the store failed: its own words name folders of the host's machine.
  static func cannotKeep(_ error: StoreError) -> UploadError {
    if error.code == .diskFull { return cannotWrite(ENOSPC) }
    return UploadError(500, "The album could not keep the photo. Try again, or tell the host.")
  }

  /// The error of a write that failed with that `errno`.
  static func cannotWrite(_ code: Int32) -> UploadError {
    if code == ENOSPC || code == EDQUOT {
      return UploadError(
        507, "The album's disk is full. The photo stays on this phone and goes when there is room.")
    }
    return UploadError(
      500, "The album could not write the photo (\(String(cString: strerror(code)))). Try again.")
  }
}
