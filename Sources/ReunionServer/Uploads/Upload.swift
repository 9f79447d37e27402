import Foundation
import ReunionCore

/// An upload that has begun: what it will be, and who sends it. Kept as JSON beside its bytes, so
/// that it can go on after a restart.
struct Upload: Codable, Sendable {
  /// Random, the last part of its location.
  let id: String
  /// The SHA-256 that its bytes must have, as hexadecimal digits.
  let hash: String
  /// How many bytes it will have.
  let byteCount: UInt64
  let use: UploadUse
  /// The device that sends it.
  let device: UInt64
  /// The space for which it is, as hexadecimal digits; nil for the server's first.
  var space: String?
  /// Seconds since 1970, to forget what nobody goes on with.
  let began: Double
  /// Whether all its bytes came and were checked: from then on they may be where the blob is.
  var isWhole: Bool?
}
