import ScreenTimeCore

extension Target {
  /// As a record has it: "day", "category:ID", "rest:ID". Nil for any other text.
  init?(text: String) {
    if text == "day" {
      self = .day
    } else if text.hasPrefix("category:") {
      self = .category(String(text.dropFirst(9)))
    } else if text.hasPrefix("rest:") {
      self = .rest(String(text.dropFirst(5)))
    } else {
      return nil
    }
  }

  /// As a record has it.
  var text: String {
    switch self {
    case .day: "day"
    case .category(let id): "category:\(id)"
    case .rest(let id): "rest:\(id)"
    }
  }
}
