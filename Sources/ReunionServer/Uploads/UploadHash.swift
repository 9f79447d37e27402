import CCrypto
import Foundation
import ReunionCore
import ReunionFlow

/// The SHA-256 of an upload, taken while its bytes arrive, so that nobody reads them for it.
///
/// What it did not see, since the server was started in between, it reads from the file at the end. OpenSSL
/// computes it, which is linked for TLS anyway; `docs/benchmarks.md` has what that saves.
///
/// *Thread*: any. Unchecked, since the context is OpenSSL's pointer; it is used under the lock alone.
final class UploadHash: @unchecked Sendable {
  private let context: OpaquePointer?
  private let state = Lock(State())

  private struct State {
    /// How many bytes it has taken, from the first on.
    var byteCount: UInt64 = 0
    var isSound = true
    var hash: BlobHash?
  }

  init() { context = EVP_MD_CTX_new() }

  deinit { EVP_MD_CTX_free(context) }

  /// Takes the bytes at an offset, if it has taken those before them.
  func take(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) {
    state.withLock { state in
      if offset < state.byteCount || state.hash != nil { state = State() }
      if offset == state.byteCount { add(bytes, &state) }
    }
  }

  /// The hash of all bytes of a file. Cost: reads what it has not taken.
  func finish(_ path: String) throws(UploadError) -> BlobHash {
    try state.withLock { (state) throws(UploadError) in
      if let hash = state.hash { return hash }
      readRest(of: path, &state)
      var bytes = [UInt8](repeating: 0, count: 32)
      guard state.isSound, state.byteCount > 0, EVP_DigestFinal_ex(context, &bytes, nil) == 1,
        let hash = BlobHash(bytes: bytes)
      else {
        // The next try begins with the file's first byte.
        state = State()
        throw UploadError(500, "The upload could not be read. Try again.")
      }
      state.hash = hash
      return hash
    }
  }

  private func readRest(of path: String, _ state: inout State) {
    do {
      guard let file = FileHandle(forReadingAtPath: path) else { throw CocoaError(.fileNoSuchFile) }
      defer { try? file.close() }
      try file.seek(toOffset: state.byteCount)
      while let piece = try file.read(upToCount: 1 << 20), !piece.isEmpty {
        piece.withUnsafeBytes { add($0, &state) }
      }
    } catch {
      state.isSound = false
    }
  }

  private func add(_ bytes: UnsafeRawBufferPointer, _ state: inout State) {
    if state.byteCount == 0 {
      state.isSound = EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1
    }
    state.isSound =
      state.isSound && EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) == 1
    state.byteCount += UInt64(bytes.count)
  }
}
