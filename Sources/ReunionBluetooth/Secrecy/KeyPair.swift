import CCrypto
import ReunionCore

/// A secret key and the public one of it. Source: X25519, RFC 7748.
struct KeyPair: Sendable {
  /// The 32 bytes that nobody else has.
  let secretKey: [UInt8]
  /// The 32 bytes for everybody.
  let publicKey: [UInt8]

  /// Makes the pair of a secret key.
  ///
  /// - Throws: `SecrecyError` unless it has 32 bytes.
  init(secretKey: [UInt8]) throws(SecrecyError) {
    guard secretKey.count == 32,
      let key = EVP_PKEY_new_raw_private_key(NID_X25519, nil, secretKey, secretKey.count)
    else { throw SecrecyError() }
    defer { EVP_PKEY_free(key) }
    var bytes = [UInt8](repeating: 0, count: 32)
    var count = bytes.count
    guard EVP_PKEY_get_raw_public_key(key, &bytes, &count) == 1, count == 32 else {
      throw SecrecyError()
    }
    self.secretKey = secretKey
    publicKey = bytes
  }

  /// The secret that this pair shares with the owner of another public key.
  ///
  /// - Throws: `SecrecyError` for a key that leads to no secret, such as all zeros.
  func sharedSecret(with other: [UInt8]) throws(SecrecyError) -> [UInt8] {
    guard other.count == 32,
      let own = EVP_PKEY_new_raw_private_key(NID_X25519, nil, secretKey, secretKey.count)
    else { throw SecrecyError() }
    defer { EVP_PKEY_free(own) }
    guard let peer = EVP_PKEY_new_raw_public_key(NID_X25519, nil, other, other.count) else {
      throw SecrecyError()
    }
    defer { EVP_PKEY_free(peer) }
    let context = EVP_PKEY_CTX_new(own, nil)
    defer { EVP_PKEY_CTX_free(context) }
    var secret = [UInt8](repeating: 0, count: 32)
    var count = secret.count
    guard EVP_PKEY_derive_init(context) == 1, EVP_PKEY_derive_set_peer(context, peer) == 1,
      EVP_PKEY_derive(context, &secret, &count) == 1, count == 32
    else { throw SecrecyError() }
    return secret
  }
}

/// Bytes that no holder of the right key has made, or a key that is none.
struct SecrecyError: Error {}
