public import FoundationEssentials

// So that `error.localizedDescription`, which an app shows, is the sentence that names the remedy.
extension DesktopError: LocalizedError {
  /// The sentence.
  public var errorDescription: String? { description }
}
