public import FoundationEssentials

// So that `error.localizedDescription`, which an app shows, is the sentence that names the remedy.

extension ImageError: LocalizedError {
  /// The sentence.
  public var errorDescription: String? { description }
}

extension BarcodeError: LocalizedError {
  /// The sentence.
  public var errorDescription: String? { description }
}
