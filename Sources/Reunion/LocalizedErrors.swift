public import Foundation
public import ReunionFlow
public import ReunionStore
import ReunionSync

// So that `error.localizedDescription`, which an app shows, is the sentence that names the remedy. The
// modules below do without Foundation.

extension StoreError: LocalizedError {
  /// The sentence, then what the layer below said.
  public var errorDescription: String? { description }
}

extension RefusedChange: Error {}

extension RefusedChange: LocalizedError {
  /// The server's sentence.
  public var errorDescription: String? { sentence ?? "The server refused a change of this device." }
}

extension JoinError: LocalizedError {
  /// The sentence.
  public var errorDescription: String? { description }
}

extension AuditFailure: LocalizedError {
  /// The sentence.
  public var errorDescription: String? { sentence }
}

extension LinkFailure: LocalizedError {
  /// The sentence.
  public var errorDescription: String? { description }
}

extension InvalidTransition: LocalizedError {
  /// The sentence.
  public var errorDescription: String? { description }
}

extension BufferOverflow: LocalizedError {
  /// The sentence.
  public var errorDescription: String? { description }
}
