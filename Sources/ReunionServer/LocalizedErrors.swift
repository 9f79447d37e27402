public import FoundationEssentials

// So that `error.localizedDescription`, which an app shows, is the sentence that names the remedy.

extension ServerError: LocalizedError {
  /// The sentence.
  public var errorDescription: String? { description }
}

extension UploadError: LocalizedError {
  /// The sentence.
  public var errorDescription: String? { description }
}

extension Access.Refusal: LocalizedError {
  /// The sentence.
  public var errorDescription: String? { description }
}
