import Reunion

/// How much something hurries.
enum Urgency: String, FieldValue {
  case low, high

  /// What an errand begins with.
  init() { self = .low }
}

// What is written by hand stands beside what is generated, and no build touches it.
extension Errand {
  /// The errand in a line.
  var line: String { "\(text) (\(urgency.rawValue))" }
}
