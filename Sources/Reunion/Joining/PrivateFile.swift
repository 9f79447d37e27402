import ReunionDisk
import ReunionStore

/// A small file beside a store that is for its owner alone, such as one with a token.
package enum PrivateFile {
  /// The bytes of a file; nil if there is none.
  package static func read(_ path: String, on disk: any Disk = .system) throws -> [UInt8]? {
    guard case .file(let byteCount)? = try disk.status(of: path) else { return nil }
    let file = try disk.open(path, .reading)
    var bytes = [UInt8](repeating: 0, count: Int(clamping: byteCount))
    let count = try bytes.withUnsafeMutableBytes { try file.read(into: $0, at: 0) }
    return Array(bytes.prefix(count))
  }

  /// Replaces a file. Nobody else may read it at any time, and it is on the disk, whole, when this
  /// returns.
  package static func write(
    _ bytes: [UInt8], to path: String, on disk: any Disk = .system
  ) throws {
    let temporary = path + ".new"
    // What a broken-off try left may be anybody's to read.
    try disk.remove(temporary)
    let file = try disk.open(temporary, .creating)
    try bytes.withUnsafeBytes { try file.write($0, at: 0) }
    try file.sync()
    try disk.rename(temporary, to: path)
    try disk.syncFolder(String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]))
  }
}
