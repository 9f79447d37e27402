package import ReunionCore

extension Value {
  /// The value in a statement of SQL; nil for kinds and texts that SQL has no words for.
  package var sqlLiteral: String? {
    if let bool { return bool ? "1" : "0" }
    if kind == .int, let int { return "\(int)" }
    if let double { return double.isFinite ? "\(double)" : nil }
    guard let text, !text.utf8.contains(0) else { return nil }
    return "'"
      + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'"
  }
}
