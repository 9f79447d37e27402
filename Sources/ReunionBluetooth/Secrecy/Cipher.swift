import CCrypto

/// Seals and opens bytes under one key. Source: ChaCha20-Poly1305, RFC 8439, with Noise's nonce.
enum Cipher {
  /// What sealed bytes are longer by.
  static let tagBytes = 16
  /// The bytes of a key.
  static let keyBytes = 32

  /// Seals bytes; no nonce may be used twice with one key.
  static func seal(
    _ bytes: [UInt8], key: [UInt8], nonce: UInt64, authenticating extra: [UInt8] = []
  ) throws(SecrecyError) -> [UInt8] {
    guard let context = EVP_CIPHER_CTX_new() else { throw SecrecyError() }
    defer { EVP_CIPHER_CTX_free(context) }
    var sealed = [UInt8](repeating: 0, count: bytes.count + tagBytes)
    var count: Int32 = 0
    guard key.count == keyBytes,
      EVP_EncryptInit_ex(context, EVP_chacha20_poly1305(), nil, key, Self.bytes(of: nonce)) == 1,
      EVP_EncryptUpdate(context, nil, &count, extra, Int32(extra.count)) == 1,
      EVP_EncryptUpdate(context, &sealed, &count, bytes, Int32(bytes.count)) == 1
    else { throw SecrecyError() }
    let isDone = sealed.withUnsafeMutableBytes { buffer in
      let end = buffer.baseAddress?.advanced(by: bytes.count)
      return EVP_EncryptFinal_ex(context, end?.assumingMemoryBound(to: UInt8.self), &count) == 1
        && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(tagBytes), end) == 1
    }
    guard isDone else { throw SecrecyError() }
    return sealed
  }

  /// Opens what was sealed.
  ///
  /// - Throws: `SecrecyError` when another key, nonce or extra made them, or a bit was changed.
  static func open(
    _ sealed: [UInt8], key: [UInt8], nonce: UInt64, authenticating extra: [UInt8] = []
  ) throws(SecrecyError) -> [UInt8] {
    let byteCount = sealed.count - tagBytes
    guard byteCount >= 0, key.count == keyBytes, let context = EVP_CIPHER_CTX_new() else {
      throw SecrecyError()
    }
    defer { EVP_CIPHER_CTX_free(context) }
    // One more, so that there is an address even of nothing.
    var bytes = [UInt8](repeating: 0, count: byteCount + 1)
    var tag = Array(sealed.suffix(tagBytes))
    var count: Int32 = 0
    guard
      EVP_DecryptInit_ex(context, EVP_chacha20_poly1305(), nil, key, Self.bytes(of: nonce)) == 1,
      EVP_DecryptUpdate(context, nil, &count, extra, Int32(extra.count)) == 1,
      EVP_DecryptUpdate(context, &bytes, &count, sealed, Int32(byteCount)) == 1,
      EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(tagBytes), &tag) == 1
    else { throw SecrecyError() }
    var rest = [UInt8](repeating: 0, count: tagBytes)
    guard EVP_DecryptFinal_ex(context, &rest, &count) == 1 else { throw SecrecyError() }
    bytes.removeLast()
    return bytes
  }

  /// Four bytes of zeros, and the number with its least significant byte first.
  private static func bytes(of nonce: UInt64) -> [UInt8] {
    [0, 0, 0, 0] + (0..<8).map { UInt8(truncatingIfNeeded: nonce >> (8 * $0)) }
  }
}
