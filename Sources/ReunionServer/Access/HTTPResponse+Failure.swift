import ReunionStore

extension HTTPResponse {
  /// The answer to a request that failed, on every route: the sentence of an error that is meant for who
  /// asks, else a general one. The words of any other error may name folders of the host's machine, so that
  /// they go to `tell` alone.
  static func failure(_ error: any Error, tell: (String) -> Void) -> HTTPResponse {
    switch error {
    case let error as Access.Refusal: return .error(error.status, error.description)
    case let error as UploadError:
      if let detail = error.detail { tell(detail) }
      return .refusal(error)
    case let error as StoreError where error.code == .diskFull:
      tell(HostNotices.fullDisk)
      return .error(507, "The server's disk is full. Try again when its host has made room.")
    default:
      tell("A request failed: \(error)")
      return .error(500, "The server could not do that. Try again, or tell the host.")
    }
  }

  /// The answer to an upload that was refused. Where the bytes themselves are the reason, it says so
  /// as `"verdict": "refused"`: nothing else makes a phone give a file up.
  private static func refusal(_ error: UploadError) -> HTTPResponse {
    guard [410, 413, 422].contains(error.status) else {
      return .error(error.status, error.description)
    }
    return .json(
      error.status, ["error": .text(error.description), "verdict": .text("refused")])
  }
}
