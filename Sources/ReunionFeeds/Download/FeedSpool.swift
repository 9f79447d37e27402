import Foundation

/// Bytes that wait in a temporary file without a name, which goes with this.
final class FeedSpool {
  private let file: UnsafeMutablePointer<FILE>
  private var read = 0
  private var written = 0

  /// Makes the file; nil if there is no room for it, or no right to make it.
  init?() {
    guard let file = tmpfile() else { return nil }
    self.file = file
  }

  deinit { fclose(file) }

  var isEmpty: Bool { read == written }

  /// What the file holds, or will where more is appended before all is taken.
  var waitingBytes: Int { written }

  /// Appends bytes; false where the disk does not take them.
  func append(_ bytes: Data) -> Bool {
    guard fseek(file, written, SEEK_SET) == 0 else { return false }
    let count = bytes.withUnsafeBytes { fwrite($0.baseAddress, 1, $0.count, file) }
    guard count == bytes.count, fflush(file) == 0 else { return false }
    written += count
    return true
  }

  /// The next bytes; nil if none wait, or if the disk does not give them back.
  func next() -> Data? {
    guard !isEmpty, fseek(file, read, SEEK_SET) == 0 else { return nil }
    var bytes = Data(count: min(64 << 10, written - read))
    let count = bytes.withUnsafeMutableBytes { fread($0.baseAddress, 1, $0.count, file) }
    guard count == bytes.count else { return nil }
    read += count
    // From the beginning again, so that the file grows no longer than what waits.
    if isEmpty { (read, written) = (0, 0) }
    return bytes
  }
}
