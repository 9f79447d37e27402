public import Foundation

extension Misunderstood: LocalizedError {
  /// The sentence, as an app shows it.
  public var errorDescription: String? { sentence }
}

extension CommandFailure: LocalizedError {
  /// The sentence, as an app shows it.
  public var errorDescription: String? { sentence }
}
