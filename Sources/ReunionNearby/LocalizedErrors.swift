public import Foundation

// So that `error.localizedDescription`, which an app shows, is the sentence that names the remedy.

extension MemberError: LocalizedError {
  /// The sentence.
  public var errorDescription: String? { description }
}
