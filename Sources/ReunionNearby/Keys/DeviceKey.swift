import CCrypto
import Reunion
import ReunionCore
import ReunionDisk
import ReunionStore

/// What a device is known by to other devices, without a server: an Ed25519 public key.
///
/// ```swift
/// let key = try replica.deviceKey
/// print(key, DeviceKey(bytes: key.bytes) == key)
/// ```
///
/// It is public: it opens nothing. Its secret half is in the file `device.key` of the replica's
/// folder.
/// *Source*: RFC 8032.
public struct DeviceKey: Hashable, Sendable, Comparable, CustomStringConvertible {
  static let byteCount = 32
  static let signatureBytes = 64
  /// Thirty-two bytes.
  public let bytes: [UInt8]

  /// Takes exactly thirty-two bytes, otherwise nil.
  public init?(bytes: [UInt8]) {
    guard bytes.count == Self.byteCount else { return nil }
    self.bytes = bytes
  }

  /// Sixty-four hexadecimal digits.
  public var description: String { Hexadecimal.text(bytes) }

  /// The order of the bytes.
  public static func < (left: DeviceKey, right: DeviceKey) -> Bool {
    left.bytes.lexicographicallyPrecedes(right.bytes)
  }

  /// Whether the holder of the secret key has signed these bytes.
  func hasSigned(_ message: [UInt8], _ signature: [UInt8]) -> Bool {
    guard signature.count == Self.signatureBytes,
      let key = EVP_PKEY_new_raw_public_key(NID_ED25519, nil, bytes, bytes.count)
    else { return false }
    defer { EVP_PKEY_free(key) }
    guard let context = EVP_MD_CTX_new() else { return false }
    defer { EVP_MD_CTX_free(context) }
    return EVP_DigestVerifyInit(context, nil, nil, nil, key) == 1
      && EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
  }
}

/// A device's secret key with its public one.
struct DeviceKeyPair: Sendable {
  private static let fileName = "device.key"
  let publicKey: DeviceKey
  private let seed: [UInt8]

  /// Makes the pair of thirty-two secret bytes; nil for any other number of bytes.
  init?(seed: [UInt8]) {
    guard seed.count == 32,
      let key = EVP_PKEY_new_raw_private_key(NID_ED25519, nil, seed, seed.count)
    else { return nil }
    defer { EVP_PKEY_free(key) }
    var bytes = [UInt8](repeating: 0, count: 32)
    var count = bytes.count
    guard EVP_PKEY_get_raw_public_key(key, &bytes, &count) == 1, count == 32,
      let publicKey = DeviceKey(bytes: bytes)
    else { return nil }
    self.seed = seed
    self.publicKey = publicKey
  }

  /// The pair that is kept beside a store, for its owner alone; made if there is none.
  ///
  /// *Durability*: on the disk when this returns.
  /// - Throws: `damaged` if the file is no key, which is left as it is, and what the disk says.
  init(of store: Store) throws {
    let path = "\(store.folder)/\(Self.fileName)"
    if let kept = try PrivateFile.read(path, on: store.options.disk) {
      guard let pair = DeviceKeyPair(seed: kept) else {
        throw StoreError(
          .damaged,
          "\(path) holds no key. Put the file back from a backup, or remove it: then this device is a "
            + "new one to its peers, and somebody must admit it again.")
      }
      self = pair
      return
    }
    let seed = (0..<4).flatMap { _ in
      withUnsafeBytes(of: store.options.random()) { Array($0) }
    }
    guard let pair = DeviceKeyPair(seed: seed) else {
      throw StoreError(.ioFailed, "No key could be made. Try again.")
    }
    try PrivateFile.write(seed, to: path, on: store.options.disk)
    self = pair
  }

  /// Signs bytes: sixty-four bytes that the secret key alone can make.
  func sign(_ message: [UInt8]) throws -> [UInt8] {
    var signature = [UInt8](repeating: 0, count: DeviceKey.signatureBytes)
    var count = signature.count
    let key = EVP_PKEY_new_raw_private_key(NID_ED25519, nil, seed, seed.count)
    let context = EVP_MD_CTX_new()
    defer {
      EVP_MD_CTX_free(context)
      EVP_PKEY_free(key)
    }
    guard let key, let context, EVP_DigestSignInit(context, nil, nil, nil, key) == 1,
      EVP_DigestSign(context, &signature, &count, message, message.count) == 1,
      count == signature.count
    else { throw StoreError(.ioFailed, "The device's key could not sign. Try again.") }
    return signature
  }
}
