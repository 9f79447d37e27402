import Foundation
import ReunionCore

/// The SHA-256 of files.
enum FileHash {
  /// Reads the whole file in pieces of 1 MiB.
  static func hash(of path: String) throws -> BlobHash {
    guard let file = FileHandle(forReadingAtPath: path) else {
      throw UploadError(404, "The upload has gone. Begin it again.")
    }
    defer { try? file.close() }
    var hash = SHA256()
    while let piece = try file.read(upToCount: 1 << 20), !piece.isEmpty {
      piece.withUnsafeBytes { hash.update($0.bindMemory(to: UInt8.self)) }
    }
    guard let name = BlobHash(bytes: hash.finish()) else {
      throw UploadError(500, "The upload could not be read. Try again.")
    }
    return name
  }
}
